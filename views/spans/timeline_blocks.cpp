#include "views/spans/timeline_blocks.h"

#include <algorithm>
#include <numeric>

#include "engine/base/index.h"

namespace halo {

TimelineBlocks::TimelineBlocks(TimelineModel& first, QObject* parent) : QObject(parent), blocks_{{&first}} {
  follow(first);
}

void TimelineBlocks::follow(TimelineModel& model) {
  connect(&model, &TimelineModel::rowsChanged, this, &TimelineBlocks::rowsChanged);
  connect(&model, &TimelineModel::spansChanged, this, &TimelineBlocks::spansChanged);
  connect(&model, &TimelineModel::epochsChanged, this, &TimelineBlocks::epochsChanged);
  connect(&model, &TimelineModel::timeChanged, this, &TimelineBlocks::timeChanged);
  connect(&model, &TimelineModel::extentChanged, this, [this] { emit extentChanged(extent()); });
}

void TimelineBlocks::set(TimelineBlock first, std::vector<TimelineBlock> others) {
  first.model = blocks_.front().model;
  for (std::size_t i = 1; i < blocks_.size(); ++i) blocks_[i].model->disconnect(this);
  blocks_ = {std::move(first)};
  for (TimelineBlock& block : others) {
    block.model->setBlock(static_cast<std::int32_t>(blocks_.size()));
    follow(*block.model);
    blocks_.push_back(std::move(block));
  }
  for (const TimelineBlock& block : blocks_) block.model->setCrowded(several());
  setByLayer(byLayer_);
  emit rowsChanged();
  emit extentChanged(extent());
}

std::vector<std::size_t> TimelineBlocks::fromTop() const {
  std::vector<std::size_t> numbers(blocks_.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::stable_sort(numbers, {}, [this](std::size_t block) { return blocks_[block].place; });
  return numbers;
}

std::int32_t TimelineBlocks::topmostOf(const std::set<RowId>& rows) const {
  for (const std::size_t number : fromTop()) {
    const auto block = static_cast<std::int32_t>(number);
    if (std::ranges::any_of(rows, [block](const RowId& row) { return row.block == block; })) return block;
  }
  return 0;
}

void TimelineBlocks::setByLayer(bool byLayer) {
  byLayer_ = byLayer;
  for (const TimelineBlock& block : blocks_) block.model->setByLayer(byLayer);
}

bool TimelineBlocks::settled() const {
  return std::ranges::all_of(blocks_, [](const TimelineBlock& block) { return block.model->settled(); });
}

TimelineModel& TimelineBlocks::modelOf(RowId row) const {
  const auto place = at(row.block);
  return *blocks_[place < blocks_.size() ? place : 0].model;
}

std::vector<RowEntry> TimelineBlocks::rows() const {
  std::vector<RowEntry> rows;
  for (const TimelineBlock& block : blocks_)
    rows.insert(rows.end(), block.model->rows().begin(), block.model->rows().end());
  return rows;
}

std::vector<RowEntry> TimelineBlocks::everyRow() const {
  std::vector<RowEntry> rows;
  for (const TimelineBlock& block : blocks_)
    for (const RowEntry& row : block.model->everyRow()) rows.push_back(row);
  return rows;
}

bool TimelineBlocks::allCollapsed() const {
  return std::ranges::all_of(blocks_, [](const TimelineBlock& block) { return block.model->allCollapsed(); });
}

std::vector<Name> TimelineBlocks::waits() const {
  std::set<Name> all;
  for (const TimelineBlock& block : blocks_)
    for (const Name name : block.model->waits()) all.insert(name);
  return {all.begin(), all.end()};
}

TimeRange TimelineBlocks::extent() const {
  TimeRange all = first().extent();
  if (all.empty()) return all;
  for (const TimelineBlock& block : blocks_) {
    const TimeRange extent = block.model->extent();
    if (!extent.empty()) all = {std::min(all.beginNs, extent.beginNs), std::max(all.endNs, extent.endNs)};
  }
  return all;
}

}  // namespace halo
