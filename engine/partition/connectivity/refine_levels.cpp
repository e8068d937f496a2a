#include "engine/partition/connectivity/refine_levels.h"

#include <algorithm>
#include <cmath>

#include "engine/partition/hypergraph/rebalance.h"

namespace halo {

std::int64_t LevelRefiner::limitOn(const Levels& levels, std::size_t level, double room) const {
  const double spare = static_cast<double>(std::max<std::int64_t>(0, limit_ - mean()));
  const auto reserve = static_cast<std::int64_t>(spare * (1 - std::pow(room, static_cast<double>(level))));
  return isTight() ? std::max(limit_ - reserve, limitToMove(levels.graph(level))) : limit_ - reserve;
}

/// Under it single nodes can move, whatever the balance asks for.
std::int64_t LevelRefiner::limitToMove(const Hypergraph& graph) const {
  constexpr std::int64_t kNodesToMove =
      2;  // of mean weight, that a part has room for where nodes are to move
  return mean() + kNodesToMove * totalWeight(graph.nodeWeight) / graph.nodeCount();
}

Volume LevelRefiner::measured(NetParts& state) const {
  const std::int64_t heaviest = std::max(limit_, *std::ranges::max_element(state.weights()));
  return {heaviest, state.connectivity(), state.takeOwners()};
}

void LevelRefiner::refineFinest(NetParts& state, const RefineEffort& effort, std::uint64_t seed) const {
  if (const std::int64_t loose = limitToMove(graph_); isTight() && loose > limit_) {
    rebalance(state, loose);
    refine(state, loose, effort, seed - 1);
  }
  rebalance(state, limit_);
  swapIntoBalance(state, limit_);
  refine(state, limit_, effort, seed);
}

Volume LevelRefiner::refinedOn(const Levels& levels, Owners owners, std::uint64_t seed, double room) const {
  NetParts state(levels.coarsest(), std::move(owners), parts_);
  const std::int64_t limit = limitOn(levels, levels.count() - 1, room);
  rebalance(state, limit);
  refine(state, limit, onCoarse_, seed);
  return measured(state);
}

Volume LevelRefiner::uncoarsened(const Levels& levels, Owners owners, const RefineEffort& finest,
                                 std::uint64_t seed, double room) const {
  for (std::size_t level = levels.count(); level-- > 0;) {
    NetParts state(levels.graph(level), std::move(owners), parts_);
    if (level == 0) {
      refineFinest(state, finest, seed + 100);
      return measured(state);
    }
    const std::int64_t limit = limitOn(levels, level, room);
    rebalance(state, limit);
    refine(state, limit, onCoarse_, seed + 100 + level);
    owners = levels.toFiner(state.owners(), level);
  }
  return {};
}

}  // namespace halo
