#pragma once

#include <QString>
#include <set>
#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

/// In which order lanes stand: each run below the one before it; rank by rank, where the lanes that the runs
/// have of one rank stand together; or, within each run, host by host.
enum class LaneOrder { runs, ranks, nodes };

/// Where a row stands in a picture, in device pixels; may lie partly outside.
struct RowPlace {
  std::size_t entry = 0;  // of the block's TimelineModel::rows()
  int top = 0, height = 0;
  std::size_t block = 0;
};

/// Heights of the rows from the top, in whatever unit `height` has: main lanes `height`, links and phases
/// three fifths of it, and a gap above each rank.
std::vector<RowPlace> placeRows(const std::vector<RowEntry>& rows, int height, int gap);

/// Above the lanes of a host's ranks.
struct NodePlace {
  int top = 0;
  QString host;
  bool operator==(const NodePlace&) const = default;
};
/// The rows of several blocks, and what stands between them.
struct BlockPlaces {
  std::vector<RowPlace> rows;  // the pinned ones first, each part from its top
  std::size_t pinned = 0;      // how many of them stay on top
  int pinnedHeight = 0;        // of these
  std::vector<int> headings;   // tops, one a block
  std::vector<NodePlace> nodes;
  int height = 0;  // of all
};
/// What stands above rows.
struct BlockHeads {
  int heading = 0;  // of a block, where there are several
  int change = 0;   // below that of each but the first: the lane of what changes from that one
  int node = 0;     // the name of a host
};
/// `pinned` ranks stand above all others and are in no order but that of their blocks and numbers. A block
/// whose ranks are of one host has no names of hosts.
BlockPlaces placeBlocks(const std::vector<const TimelineModel*>& blocks, int height, int gap,
                        BlockHeads heads, LaneOrder order = LaneOrder::runs,
                        const std::set<LaneChoice>& pinned = {});

}  // namespace halo
