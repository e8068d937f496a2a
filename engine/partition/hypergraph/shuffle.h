#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/index.h"
#include "engine/base/philox.h"

namespace halo {

/// Puts `items` in a random order (Fisher and Yates).
inline void shuffle(std::span<Vertex> items, PhiloxStream& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

/// Nodes whose arrays stay in the caches together, and enough of them that a walk among them is random.
constexpr std::size_t kShuffleBlock = 32768;

/// [0, count) in an order that the stream's number decides. Blocks of neighbouring numbers come in a random
/// order, and so do the numbers of a block. Graphs larger than the caches are thus visited a block at a time.
/// Random throughout up to kShuffleBlock.
inline std::vector<Vertex> shuffledInBlocks(Vertex count, std::uint64_t stream) {
  PhiloxStream random(stream, Purpose::partition, 1);
  const auto all = at(count);
  std::vector<Vertex> blocks((all + kShuffleBlock - 1) / kShuffleBlock), order;
  std::iota(blocks.begin(), blocks.end(), 0);
  shuffle(blocks, random);
  order.reserve(all);
  for (const Vertex block : blocks) {
    const std::size_t begin = at(block) * kShuffleBlock, placed = order.size();
    order.resize(placed + std::min(kShuffleBlock, all - begin));
    const auto blockOrder = std::span(order).subspan(placed);
    std::iota(blockOrder.begin(), blockOrder.end(), static_cast<Vertex>(begin));
    shuffle(blockOrder, random);
  }
  return order;
}

/// [0, count) in a random order that the stream's number decides.
inline std::vector<Vertex> shuffled(Vertex count, std::uint64_t stream) {
  std::vector<Vertex> order(at(count));
  std::iota(order.begin(), order.end(), 0);
  PhiloxStream random(stream, Purpose::partition, 1);
  shuffle(order, random);
  return order;
}

}  // namespace halo
