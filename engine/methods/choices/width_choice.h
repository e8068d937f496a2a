#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/comm/communicator/communicator.h"
#include "engine/methods/choices/bit_assignment.h"

namespace halo {

/// Which message: of a layer, forward (0) or backward (1), from one rank to another.
struct MessageName {
  std::int32_t layer = 0, pass = 0, sender = 0, receiver = 0;
  auto operator<=>(const MessageName&) const = default;
  bool sameExchange(const MessageName& other) const { return layer == other.layer && pass == other.pass; }
};

/// A message whose groups want widths.
struct WidthRequest {
  MessageName name;
  WidthMessage message;
};

/// Widths of every rank's messages, chosen by rank 0 again and again, each layer and direction for itself.
/// Which messages there are, and of how many rows, is told once; a choice gathers scores and tells widths,
/// and allocates nothing. Control traffic: not counted.
class WidthChoice {
 public:
  /// Collective. `own`: what this rank sends; scores do not matter yet. `rangeBytes`: what a row takes beside
  /// its codes.
  WidthChoice(Communicator& comm, const std::vector<WidthRequest>& own, double tradeOff,
              std::int64_t rangeBytes);

  /// The scores of this rank's groups, message by message in the order of their names; to be filled in before
  /// a choice.
  std::span<double> scores() { return ownScores_; }
  /// This rank's messages in that order.
  std::span<const MessageName> own() const { return own_; }
  /// Collective.
  void choose();

  /// By group; empty where there is no such message. Valid until the next choice.
  std::span<const std::uint8_t> widths(const MessageName& name) const;
  std::span<const WidthRequest> messages() const { return messages_; }
  /// Of a message's rows, in the order of kCodeWidths.
  std::array<std::int64_t, 3> rowsOfWidth(const WidthRequest& request) const;
  /// Of an element, and of all these messages together, codes and ranges.
  double meanBits() const { return meanBits_; }
  double bytes() const { return bytes_; }

 private:
  /// Of one layer and direction: its messages are neighbours.
  struct Exchange {
    std::vector<WidthMessage> messages;
    std::size_t first = 0;  // among all
    WidthAssigner assigner;
  };
  void layOut(std::vector<WidthRequest> all);
  void assignAll();
  void sumUp();

  Communicator& comm_;
  double tradeOff_;
  std::int64_t rangeBytes_;
  double meanBits_ = 0, bytes_ = 0;
  std::vector<WidthRequest> messages_;  // of all ranks, by name
  std::vector<std::size_t> begin_;      // where each one's groups begin, and where the last ends
  std::vector<std::uint8_t> widths_;    // of all groups
  std::vector<MessageName> own_;
  std::vector<double> ownScores_;
  // rank 0's
  std::vector<Exchange> exchanges_;
  std::vector<double> gathered_;      // rank by rank
  std::vector<std::int64_t> counts_;  // of each one's
  std::vector<std::int64_t> places_;  // scratch
};

}  // namespace halo
