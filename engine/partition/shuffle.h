#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "datasets/csr.h"
#include "engine/base/philox.h"

namespace halo {

/// Puts `items` in a random order (Fisher and Yates).
inline void shuffle(std::vector<Vertex>& items, PhiloxStream& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[static_cast<std::size_t>(random.below(i))]);
}

/// [0, count) in a random order that the stream's number decides.
inline std::vector<Vertex> shuffled(Vertex count, std::uint64_t stream) {
  std::vector<Vertex> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  PhiloxStream random(stream, Purpose::partition, 1);
  shuffle(order, random);
  return order;
}

}  // namespace halo
