#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/cluster/model_shape.h"
#include "simulator/cluster/plan.h"

namespace halo::cluster {

/// Of the run's method with its parameters, on so many ranks: as the method's own file says (MethodEntry).
MethodStyle styleOf(const RunSettings& run, int ranks);

/// What each rank aggregates and updates.
struct Loads {
  PerRank rows;            // that it updates
  PerRank entries;         // stored entries of those rows
  PerRank ownEntries;      // of these, whose column it owns too
  PerRank centralEntries;  // of these, of rows that have no others
  /// Where parts come one after the other: rounds: [r − 1] those of rank + r; broadcasts: [i] those of rank
  /// i; empty: not known, or not so.
  std::vector<PerRank> partEntries;
  PerRank rowsOfGroup, entriesOfGroup;  // transposed: of the group that the rank is of
};
/// Methods that take one part after the other are laid out so up to this many ranks; beyond, as if all came
/// before any is aggregated.
inline constexpr int kPartRanks = 128;
inline bool partByPart(const MethodStyle& style) {
  return style.order == ExchangeOrder::rounds ||
         (style.order == ExchangeOrder::broadcasts && style.wholeBlocks);
}
inline bool takesParts(const MethodStyle& style, int ranks) {
  return partByPart(style) && ranks > 1 && ranks <= kPartRanks;
}

/// Which traffic of the plan one pass of one layer has: those that follow one another.
struct PassTraffic {
  std::vector<int> rounds;          // −1: of a method that takes part after part, one that is empty
  PerRank plainBytes;               // without codes: what packing and coding read
  PerRank plainArrivedBytes;        // the same of what arrives
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
