#include "views/timeline/lane_order.h"

#include <algorithm>
#include <utility>

namespace halo {
namespace {

int tallOf(const RowEntry& row, int height) {
  return row.id.lane == Lane::main ? height : std::max(1, height * 3 / 5);
}

/// The listed rows of a rank, or of one layer of it.
struct Group {
  std::size_t block = 0, first = 0, last = 0;  // [first, last)
  std::int64_t rank = 0;
  std::int16_t layer = kEveryLayer;
};

std::vector<Group> groupsOf(const TimelineModel& model, std::size_t block) {
  std::vector<Group> groups;
  const std::vector<RowEntry>& rows = model.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].firstOfRank) groups.push_back({block, i, i, rows[i].id.rank, rows[i].id.layer});
    groups.back().last = i + 1;
  }
  return groups;
}

/// Puts groups below each other.
class Stack {
 public:
  Stack(const std::vector<const TimelineModel*>& blocks, int height, int gap, BlockHeads heads,
        const std::vector<std::size_t>& fromTop)
      : blocks_(blocks), height_(height), gap_(gap), heads_(heads), fromTop_(fromTop) {
    places_.headings.resize(blocks.size());
  }

  void pin(const std::vector<Group>& groups) {
    for (const Group& group : groups) {
      add(group);
      top_ += gap_;
    }
    places_.pinned = places_.rows.size();
    places_.pinnedHeight = top_;
  }

  /// Each block of its own, below its heading; by hosts or parts: in the order of their first ranks.
  void stackRuns(const std::vector<std::vector<Group>>& ofBlocks, LaneOrder order) {
    for (const std::size_t block : fromTop_) {
      if (block != fromTop_.front()) top_ += gap_;
      head(block);
      if (namesOf(ofBlocks[block], order).size() > 1)
        stackNamed(ofBlocks[block], order);
      else
        stack(ofBlocks[block]);
    }
  }

  /// All headings, and then rank by rank, in each layer where rows are of one.
  void stackRanks(const std::vector<std::vector<Group>>& ofBlocks) {
    std::vector<Group> all;
    for (const std::size_t block : fromTop_) {
      head(block);
      all.insert(all.end(), ofBlocks[block].begin(), ofBlocks[block].end());
    }
    std::ranges::stable_sort(
        all, {}, [](const Group& group) { return std::pair(placeOfLayer(group.layer), group.rank); });
    constexpr int kNearer = 4;  // lanes of one rank stand nearer to each other
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool newLayer = i == 0 || all[i].layer != all[i - 1].layer;
      if (i > 0) top_ += !newLayer && all[i].rank == all[i - 1].rank ? std::max(1, gap_ / kNearer) : gap_;
      if (newLayer && all[i].layer != kEveryLayer) name(layerText(all[i].layer));
      add(all[i]);
    }
  }

  BlockPlaces places() {
    places_.height = top_;
    return std::move(places_);
  }

 private:
  void add(const Group& group) {
    const std::vector<RowEntry>& rows = blocks_[group.block]->rows();
    for (std::size_t i = group.first; i < group.last; ++i) {
      const int tall = tallOf(rows[i], height_);
      places_.rows.push_back({i, top_, tall, group.block});
      top_ += tall;
    }
  }

  void head(std::size_t block) {
    places_.headings[block] = top_;
    top_ += heads_.heading + (block != fromTop_.front() ? heads_.change : 0);
  }

  void name(const QString& group) {
    places_.groups.push_back({top_, group});
    top_ += heads_.group;
  }

  void stack(const std::vector<Group>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (i > 0) top_ += gap_;
      add(groups[i]);
    }
  }

  /// Of the host or part that a rank's lanes stand below; empty: of none.
  QString nameOf(const Group& group, LaneOrder order) const {
    const TimelineModel& model = *blocks_[group.block];
    if (order == LaneOrder::parts) {
      const QString part = model.partOf(group.rank);
      return part.isEmpty() ? QStringLiteral("no part") : part;
    }
    if (order != LaneOrder::nodes) return {};
    const QString host = model.hostOf(group.rank);
    return QStringLiteral("host ") + (host.isEmpty() ? QStringLiteral("unknown") : host);
  }
  std::vector<QString> namesOf(const std::vector<Group>& groups, LaneOrder order) const {
    std::vector<QString> names;
    for (const Group& group : groups)
      if (QString named = nameOf(group, order); std::ranges::find(names, named) == names.end())
        names.push_back(std::move(named));
    return names;
  }

  void stackNamed(const std::vector<Group>& groups, LaneOrder order) {
    bool first = true;
    for (const QString& named : namesOf(groups, order)) {
      if (!first) top_ += gap_;
      first = false;
      name(named);
      std::vector<Group> together;
      std::ranges::copy_if(groups, std::back_inserter(together),
                           [&](const Group& group) { return nameOf(group, order) == named; });
      stack(together);
    }
  }

  const std::vector<const TimelineModel*>& blocks_;
  const int height_, gap_;
  const BlockHeads heads_;
  const std::vector<std::size_t>& fromTop_;
  BlockPlaces places_;
  int top_ = 0;
};

}  // namespace

std::vector<RowPlace> placeRows(const std::vector<RowEntry>& rows, int height, int gap) {
  std::vector<RowPlace> places;
  places.reserve(rows.size());
  int top = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].firstOfRank && i > 0) top += gap;
    const int tall = tallOf(rows[i], height);
    places.push_back({i, top, tall});
    top += tall;
  }
  return places;
}

BlockPlaces placeBlocks(const std::vector<const TimelineModel*>& blocks, int height, int gap,
                        BlockHeads heads, LaneOrder order, const std::set<LaneChoice>& pinned,
                        std::vector<std::size_t> fromTop) {
  if (fromTop.empty())
    for (std::size_t block = 0; block < blocks.size(); ++block) fromTop.push_back(block);
  std::vector<std::vector<Group>> ofBlocks(blocks.size());
  std::vector<Group> onTop;
  for (const std::size_t block : fromTop)
    for (const Group& group : groupsOf(*blocks[block], block)) {
      const bool isPinned = pinned.contains({static_cast<std::int32_t>(block), group.rank});
      (isPinned ? onTop : ofBlocks[block]).push_back(group);
    }
  Stack stack(blocks, height, gap, heads, fromTop);
  stack.pin(onTop);
  if (isMixed(order))
    stack.stackRanks(ofBlocks);
  else
    stack.stackRuns(ofBlocks, order);
  return stack.places();
}

}  // namespace halo
