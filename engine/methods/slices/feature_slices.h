#pragma once

#include <array>
#include <optional>

#include "engine/methods/full_graph/full_graph.h"

namespace halo {

constexpr std::array<std::string_view, 2> kPlacements = {"contiguous", "block-cyclic"};
inline constexpr Parameter kRowsParameter{
    "rows", "which vertices a worker updates: neighbouring ones, or blocks dealt out in turn",
    Choice{"contiguous", kPlacements}};

/// `groups` groups of `slices` neighbouring ranks. A group owns vertices together and aggregates them
/// together, each of its ranks one slice of the columns (MixGCN 3.1.2, 5.2.1).
struct SliceGrid {
  int groups = 1, slices = 1;
  int size() const { return groups * slices; }
  int groupOf(int rank) const { return rank / slices; }
  int sliceOf(int rank) const { return rank % slices; }
};

/// Full-graph training that aggregates by slices of columns and updates by rows. `ring` (one group only):
/// nobody holds the whole propagation matrix, its row blocks travel round the ranks in every aggregation.
std::unique_ptr<Method> makeSliced(WorkerParts& parts, const Values& values, SliceGrid grid, bool ring);

/// The partitioner's groups, or all vertices, and within a group its vertices by parameter `rows`.
Owners placeSlices(const PlacementRequest& request, SliceGrid grid);

// The tables of a VolumeRequest. The first: vertices of i at [i][i]; halo rows that i's group sends j's at
// [i][j], ranks of one slice. With a ring, what i passes on to j in one forward and one backward aggregation:
// messages, then bytes.
std::vector<RowTable> countSlices(const CountRequest& request, SliceGrid grid, bool ring);
std::vector<PredictedVolume> predictSlices(const VolumeRequest& request, SliceGrid grid);

/// Columns of all vertices of the group, as they are aggregated and as sums, and the signs of what was. Own
/// rows between columns and rows count too, and the group's halo rows, if it is not alone. The input's own
/// slice, unless layer 0 is aggregated once, is in the place of rows that no layer reads. Of layers that do
/// not attend.
Memory sliceMemory(const MemoryRequest& request);

/// Whether layers of so many heads can attend on a grid. Between groups a worker makes the scores of the rows
/// it fetches from their columns, so these must be whole heads.
bool attendsOn(SliceGrid grid, Index heads);

/// More slices than some aggregated layer has columns. Without `widths`, by what the run itself tells of
/// them.
std::vector<Problem> refuseSlices(const RunSettings& run, std::string_view method, int slices,
                                  std::optional<std::span<const Index>> widths);

}  // namespace halo
