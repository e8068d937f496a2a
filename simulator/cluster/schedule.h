#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/cluster/model_shape.h"
#include "simulator/cluster/plan.h"

namespace halo::cluster {

/// In which order a method's epoch works and exchanges.
enum class Style : std::uint8_t {
  halo,        // rows come before the forward aggregation; gradients leave after the backward one
  sums,        // partial sums leave after the aggregation, and totals come back: two rounds
  transposed,  // columns are aggregated, between two all-to-alls (of the first layer forward: before one)
  broadcasts,  // whole blocks come before every aggregation, one rank's after the other
};

struct MethodStyle {
  Style style = Style::halo;
  int depth = 0;            // epochs that messages may travel
  bool localFirst = false;  // own rows are aggregated while others' travel
  bool codes = false;       // rows travel as codes
  int groups = 1;  // transposed: of ranks that share a row block; the others of a group have its slices
  /// Why its work cannot be laid out in steps; empty if it can.
  std::string unknown;
};

/// Of the run's method with its parameters, on so many ranks. Methods not known by name exchange halos, in
/// every epoch, before they aggregate.
MethodStyle styleOf(const RunSettings& run, int ranks);

/// What each rank aggregates and updates.
struct Loads {
  PerRank rows;                         // that it updates
  PerRank entries;                      // stored entries of those rows
  PerRank ownEntries;                   // of these, whose column it owns too
  PerRank rowsOfGroup, entriesOfGroup;  // transposed: of the group that the rank is of
};

/// Which traffic of the plan one pass of one layer has: those that follow one another, ascending.
struct PassTraffic {
  std::vector<int> rounds;
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
