#include "views/timeline/timeline_selection.h"

#include <algorithm>

namespace halo {

TimelineSelection::TimelineSelection(const TimelineBlocks& blocks, TimeWindow& window, QObject* parent)
    : QObject(parent), blocks_(blocks), window_(window) {
  connect(&blocks_, &TimelineBlocks::rowsChanged, this, &TimelineSelection::dropGone);
  connect(&window_, &TimeWindow::selectionChanged, this, [this](TimeRange range) {
    if (range.empty()) areaRows_.clear();
    emit changed();
  });
  connect(&window_, &TimeWindow::laneChanged, this, &TimelineSelection::followLane);
  connect(&window_, &TimeWindow::spanChanged, this, [this] {
    if (!window_.selectedSpan()) spans_.clear();
    emit changed();
  });
}

void TimelineSelection::dropGone() {
  std::erase_if(spans_, [&](const SpanId& span) { return spansOf(span.row) == nullptr; });
}

void TimelineSelection::forgetOthers() {
  const auto isOther = [](const RowId& row) { return row.block > 0; };
  if (currentRow_ && isOther(*currentRow_)) setCurrentRow({});
  if (std::erase_if(areaRows_, isOther) > 0)
    areaRows_.empty() ? selectArea({}, {}) : selectArea(window_.selection(), areaRows_);
  const bool erased = std::erase_if(spans_, [&](const SpanId& span) { return isOther(span.row); }) > 0;
  if (erased || window_.selectedBlock() > 0) selectSpan(current(), true);
}

TimelineSelection::Kept TimelineSelection::kept() const {
  Kept state{{}, areaRows_};
  for (const SpanId& span : spans_)
    if (const SpanRow* row = spansOf(span.row); row != nullptr && span.index < row->size())
      state.spans.push_back({span.row.block, span.row.rank, row->at(span.index)});
  return state;
}

void TimelineSelection::restore(const Kept& kept) {
  std::set<RowId> rows;
  for (const RowId& before : kept.areaRows)
    for (const RowEntry& entry : blocks_.modelOf(before).everyRow()) {
      RowId row = entry.id;
      row.layer = before.layer;
      // which rows transfers have is another question for each layer
      if (row == before && row.lane != Lane::link) rows.insert(entry.id);
    }
  const bool lost = rows.empty() && !kept.areaRows.empty();
  if (!window_.selection().empty()) selectArea(lost ? TimeRange{} : window_.selection(), std::move(rows));
  std::vector<SpanId> spans;
  for (const auto& [block, rank, span] : kept.spans) {
    TimelineModel& model = blocks_.modelOf(RowId{.block = block});
    const auto at = model.locate(rank, span);
    if (!at) continue;
    model.unfoldTo(at->row);
    spans.push_back(*at);
  }
  currentRow_.reset();
  if (!spans.empty())
    selectSpans(std::move(spans));
  else
    followLane();
}

const SpanRow* TimelineSelection::spansOf(RowId row) const {
  const RowEntry* entry = blocks_.find(row);
  return entry == nullptr || entry->row == nullptr ? nullptr : &entry->row->spans;
}

std::optional<SpanId> TimelineSelection::current() const {
  return spans_.empty() ? std::nullopt : std::optional(spans_.back());
}

void TimelineSelection::selectSpan(std::optional<SpanId> span, bool add) {
  const SpanRow* row = span ? spansOf(span->row) : nullptr;
  if (row == nullptr) {
    spans_.clear();
    window_.selectSpan(-1, std::nullopt);
    emit changed();
    return;
  }
  if (!add) spans_.clear();
  std::erase(spans_, *span);
  spans_.push_back(*span);
  setCurrentRow(span->row);
  const Span chosen = row->at(span->index);
  window_.selectSpan(span->row.rank, chosen, span->row.block);
  emit spanSelected(span->row.rank, chosen);
  emit changed();
}

void TimelineSelection::selectSpans(std::vector<SpanId> spans) {
  if (spans.empty()) return;
  const SpanId last = spans.back();
  spans_ = std::move(spans);
  selectSpan(last, true);
}

void TimelineSelection::selectArea(TimeRange range, std::set<RowId> rows) {
  areaRows_ = std::move(rows);
  const auto savedRows = areaRows_;
  window_.select(range);
  areaRows_ = savedRows;  // an empty range clears them
  emit areaSelected(range.beginNs, range.endNs, areaRows_);
  emit changed();
}

std::optional<TimeRange> TimelineSelection::range() const {
  std::optional<TimeRange> range;
  for (const SpanId& span : spans_) {
    const SpanRow* row = spansOf(span.row);
    if (row == nullptr || span.index >= row->size()) continue;
    const TimeRange spanRange{row->beginNs(span.index), row->endNs(span.index)};
    range = range ? TimeRange{std::min(range->beginNs, spanRange.beginNs),
                              std::max(range->endNs, spanRange.endNs)}
                  : spanRange;
  }
  if (!range && !window_.selection().empty()) range = window_.selection();
  return range;
}

void TimelineSelection::setCurrentRow(std::optional<RowId> row) {
  currentRow_ = row;
  window_.chooseLane(row ? std::optional(LaneChoice{row->block, row->rank}) : std::nullopt);
  emit changed();
}

void TimelineSelection::followLane() {
  const std::optional<LaneChoice> lane = window_.lane();
  const auto isOfIt = [&](const RowId& row) { return row.block == lane->block && row.rank == lane->rank; };
  if (!lane) {
    currentRow_.reset();
    return emit changed();
  }
  if (currentRow_ && isOfIt(*currentRow_)) return;
  const std::vector<RowEntry>& rows = blocks_.modelOf(RowId{-1, Lane::main, 0, lane->block}).rows();
  const auto row = std::ranges::find_if(rows, [&](const RowEntry& entry) { return isOfIt(entry.id); });
  if (row == rows.end()) return;  // its spans are not read yet
  currentRow_ = row->id;
  emit laneFollowed(row->id);
  emit changed();
}

void TimelineSelection::setMeasured(std::optional<TimeRange> range) {
  if (measured_ == range) return;
  measured_ = range;
  emit measuredChanged();
  emit changed();
}

void TimelineSelection::setZoomRange(std::optional<TimeRange> range) {
  zoomRange_ = range;
  emit changed();
}

void TimelineSelection::clearStep() {
  if (measured_) {
    setMeasured(std::nullopt);
  } else if (!window_.selection().empty()) {
    selectArea({}, {});
  } else if (spans_.size() > 1) {
    selectSpan(spans_.back());
  } else {
    selectSpan(std::nullopt);
  }
}

}  // namespace halo
