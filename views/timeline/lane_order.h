#pragma once

#include <QString>
#include <set>
#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

/// In which order lanes stand.
enum class LaneOrder {
  runs,   // each run below the one before it
  ranks,  // rank by rank: the lanes that the runs have of one rank stand together
  nodes,  // within each run host by host
  parts,  // within each run part by part of its graph
  layers  // layer by layer, and in each rank by rank
};
/// Whether lanes of several runs stand in turns.
constexpr bool isMixed(LaneOrder order) { return order == LaneOrder::ranks || order == LaneOrder::layers; }

/// Where a row stands in a picture, in device pixels; may lie partly outside.
struct RowPlace {
  std::size_t entry = 0;  // of the block's TimelineModel::rows()
  int top = 0, height = 0;
  std::size_t block = 0;
};

/// Heights of the rows from the top, in whatever unit `height` has. Main lanes are `height` high, links and
/// phases three fifths of it, and a gap stands above each rank.
std::vector<RowPlace> placeRows(const std::vector<RowEntry>& rows, int height, int gap);

/// Above lanes that belong together: of a host's ranks, of a part of the graph, or of a layer.
struct GroupPlace {
  int top = 0;
  QString name;
  bool operator==(const GroupPlace&) const = default;
};
/// The rows of several blocks, and what stands between them.
struct BlockPlaces {
  std::vector<RowPlace> rows;  // the pinned ones first, each part from its top
  std::size_t pinned = 0;      // how many of them stay on top
  int pinnedHeight = 0;        // of these
  std::vector<int> headings;   // tops, one a block, by the numbers of the blocks
  std::vector<GroupPlace> groups;
  int height = 0;  // of all
};
/// What stands above rows.
struct BlockHeads {
  int heading = 0;  // of a block, where there are several
  int change = 0;   // below that of each but the topmost: the lane of what changes from that one
  int group = 0;    // the name of a host, part or layer
};
/// `pinned` ranks stand above all others and are in no order but that of their blocks and numbers. A block
/// whose ranks are of one host has no names of hosts, and one of a single part none of parts. Layer by layer
/// the models list their rows by layers. `fromTop`: the numbers of the blocks as they stand; empty: in order.
BlockPlaces placeBlocks(const std::vector<const TimelineModel*>& blocks, int height, int gap,
                        BlockHeads heads, LaneOrder order = LaneOrder::runs,
                        const std::set<LaneChoice>& pinned = {}, std::vector<std::size_t> fromTop = {});

}  // namespace halo
