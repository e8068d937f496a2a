#pragma once

#include <cstdint>

namespace halo::cluster {

/// Ranks numbered node by node, as many a node; the last node may have fewer.
struct NodeRanks {
  std::int64_t ranks = 1, perNode = 1;
};

/// Where the messages of one step of a collective go, of which each rank sends and gets one at most.
struct Crossings {
  std::int64_t beyond = 0;  // that leave one node, or enter it: the most of any node
  bool within = false;      // whether some stay in their node
};

/// Rank i sends to rank i + distance, round and round.
Crossings shiftedBy(const NodeRanks& among, std::int64_t distance);
/// Ranks i and i xor distance, a power of two, send to each other.
Crossings exchangedAt(const NodeRanks& among, std::int64_t distance);
/// Step of a binomial tree: counted from the root, ranks that are multiples of 2 · distance send to those
/// `distance` further on. No node has two that cross its border one way, wherever the root is.
Crossings handedOn(const NodeRanks& among, std::int64_t distance, std::int64_t root);

}  // namespace halo::cluster
