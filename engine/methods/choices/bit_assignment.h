#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

/// Neighbouring rows of a message that get one width of codes.
struct WidthGroup {
  std::int64_t rows = 0;
  double score = 0;  // coded with b bits they add score / (2^b − 1)² to the variance of what is summed
};

/// What one rank sends another in one exchange.
struct WidthMessage {
  int sender = 0, receiver = 0;
  std::int64_t width = 0;  // elements a row
  std::vector<WidthGroup> groups;
};

/// Bits (2, 4 or 8) by message and group.
using GroupWidths = std::vector<std::vector<std::uint8_t>>;

/// What assignWidths makes small: tradeOff · variance + (1 − tradeOff) · time. Each goes from 0 at its best
/// to 1 at its worst of what uniform widths give (0 where these do not differ). Time: messages go in P − 1
/// rounds, rank i to rank i + r in round r. A round lasts as long as its longest message, by bytes of codes.
double assignmentCost(std::span<const WidthMessage> messages, int parts, double tradeOff,
                      const GroupWidths& widths);

/// Widths that keep that cost small; all of 2 bits at trade-off 0, all of 8 at 1. It goes round by round,
/// through each length that a round can have. For each, the messages of the round spend what they may on the
/// groups that gain most a byte. Exact but for the last group of each message that the length would have to
/// cut. Source: AdaQP (Wan et al., MLSys 2023) 4.2, there a mixed integer program.
GroupWidths assignWidths(std::span<const WidthMessage> messages, int parts, double tradeOff);

/// assignWidths again and again: allocates nothing while messages and groups do not become more.
class WidthAssigner {
 public:
  /// What it gives stays until the next call.
  const GroupWidths& assign(std::span<const WidthMessage> messages, int parts, double tradeOff);

 private:
  /// A group gets its next width; its message is `length` bytes long then.
  struct Upgrade {
    std::size_t message = 0, group = 0;
    std::uint8_t bits = 0;
    double gain = 0, cost = 0, length = 0;
  };
  /// What a unit of variance and a byte of a round's length cost.
  struct Prices {
    double variance = 0, time = 0;
  };

  Prices pricesOf(std::span<const WidthMessage> messages, int parts, double tradeOff);
  void addUpgrades(const WidthMessage& message, std::size_t index);
  void assignRound(std::span<const WidthMessage> messages, int parts, int round, const Prices& prices);

  GroupWidths widths_;
  std::vector<double> rounds_;
  std::vector<Upgrade> upgrades_;
};

}  // namespace halo
