#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/comm/communicator.h"
#include "engine/methods/bit_assignment.h"

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

struct WidthChoices {
  std::map<MessageName, std::vector<std::uint8_t>> widths;         // by group
  std::map<MessageName, std::array<std::int64_t, 3>> rowsOfWidth;  // in the order of kCodeWidths
  double meanBits = 0, bytes = 0;  // of an element; of all these messages together, codes and ranges
};

/// Collective control traffic: rank 0 chooses widths for every rank's messages, each layer and direction for
/// itself, and tells all. `rangeBytes`: what a row takes beside its codes.
WidthChoices chooseTogether(Communicator& comm, const std::vector<WidthRequest>& own, double tradeOff,
                            std::int64_t rangeBytes);

}  // namespace halo
