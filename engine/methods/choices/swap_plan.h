#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace halo {

/// Rows that a device computes forward and needs again backward: kept there, they save their way to the host
/// and back.
struct SwapItem {
  std::int64_t bytes = 0, saved = 0;
};

/// Which to keep, so that together they fit into `capacity` bytes and the most is saved; of equals the
/// smallest. All are kept at the same time, when the backward pass begins. That makes it a knapsack, solved
/// exactly by going through the items once with the best of every size (ROC's dynamic program).
std::vector<bool> planSwaps(std::span<const SwapItem> items, std::int64_t capacity);

}  // namespace halo
