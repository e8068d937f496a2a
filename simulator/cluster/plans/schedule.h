#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/cluster/plans/model_shape.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// Of the run's method with its parameters, on so many ranks: as the method's own file says (MethodEntry).
MethodStyle styleOf(const RunSettings& run, int ranks);

/// What each rank aggregates and updates.
struct Loads {
  PerRank rows;            // its own
  PerRank leaves;          // clones of others' vertices, which it updates too
  PerRank entries;         // stored entries of those rows
  PerRank ownEntries;      // of these, whose column it owns too
  PerRank centralEntries;  // of these, of rows that have no others
  /// Where parts come one after the other. Of rounds: those of rank + r at the step of round r − 1. Of
  /// broadcasts: [i] those of rank i. Empty: not known, or not so.
  std::vector<PerRank> partEntries;
  PerRank rowsOfGroup, entriesOfGroup;  // transposed: of the group that the rank is of
  /// Others' rows that own ones aggregate, or those of the rank's group; where messages do not say it.
  PerRank haloRows;
  PerRank groupSent;  // transposed: own rows that other groups aggregate, of the rank's group
};
/// Methods that take one part after the other are laid out so, each part a step, up to this many ranks.
/// Beyond, blocks that are broadcast are aggregated when all have come; of rounds several make a step.
inline constexpr int kPartRanks = 128;
inline bool partByPart(const MethodStyle& style) {
  return style.order == ExchangeOrder::rounds ||
         (style.order == ExchangeOrder::broadcasts && style.wholeBlocks);
}
inline bool takesParts(const MethodStyle& style, int ranks) {
  if (style.order == ExchangeOrder::rounds) return ranks > 1;
  return partByPart(style) && ranks > 1 && ranks <= kPartRanks;
}
/// In how many steps the ranks − 1 rounds are laid out. Up to kPartRanks each round has its own. Then steps
/// get fewer as ranks grow, down to 16, so that ranks × steps does not grow.
inline int roundSteps(int ranks) {
  constexpr int kLeast = 16;
  if (ranks <= kPartRanks) return ranks - 1;
  return std::max(kLeast, (kPartRanks - 1) * kPartRanks / ranks);
}
/// Which of them round `round`, from 0, is part of.
inline int stepOfRound(int round, int ranks) {
  return static_cast<int>(std::int64_t{round} * roundSteps(ranks) / (ranks - 1));
}
/// Of one figure of each rank, all rounds together, what falls to each of the steps.
std::vector<PerRank> inRoundSteps(const PerRank& all, int ranks);

/// Which traffic of the plan one pass of one layer has: those that follow one another.
struct PassTraffic {
  std::vector<int> rounds;    // −1: of a method that takes part after part, one that is empty
  std::size_t atOnce = 1;     // of these, the first that leave together; the next once the first is there
  PerRank plainBytes;         // without codes: what packing and coding read
  PerRank plainArrivedBytes;  // the same of what arrives
  std::optional<PerRank> gathered;  // bytes that each rank first tells all others
};
using TrafficOf = std::map<std::pair<int, Pass>, PassTraffic>;

/// Appends the steps of one epoch to the plan: layers forward, backward, the gradients' sum.
///
/// cached  whether layer 0 was aggregated before this epoch
void writeSteps(const ModelShape& shape, const MethodStyle& style, const Loads& loads, bool cached,
                const TrafficOf& traffic, Plan& plan);

/// Columns of a width d that slice `index` of `count` has: from ⌊d i/P⌋ to ⌊d (i+1)/P⌋.
std::int64_t sliceWidth(std::int64_t width, std::int64_t index, std::int64_t count);

}  // namespace halo::cluster
