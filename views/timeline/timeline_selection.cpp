#include <algorithm>
#include <cmath>

#include "views/timeline/timeline_canvas.h"

namespace halo {
namespace {

constexpr double kKeyZoomStep = 1.5;
constexpr double kKeyPanShare = 0.15;  // of the window

}  // namespace

void TimelineCanvas::perform(TimelineAction action) {
  using A = TimelineAction;
  const auto pan =
      static_cast<std::int64_t>(kKeyPanShare * static_cast<double>(window_.visible().lengthNs()));
  const SpanRow* spans = selected_.empty() ? nullptr : spansOf(selected_.back().row);
  const std::size_t at = selected_.empty() ? 0 : selected_.back().index;
  const auto step = [&](auto next, int by) {
    stepTo(spans != nullptr ? next(*spans, at, by) : std::nullopt);
  };
  switch (action) {
    case A::zoomIn:
      return window_.zoom(1 / kKeyZoomStep, zoomAnchor());
    case A::zoomOut:
      return window_.zoom(kKeyZoomStep, zoomAnchor());
    case A::panLeft:
      return window_.pan(-pan);
    case A::panRight:
      return window_.pan(pan);
    case A::laneUp:
      return stepLane(-1);
    case A::laneDown:
      return stepLane(1);
    case A::fit:
      return fitSelection();
    case A::selectArea:
      if (const auto range = selectedRange()) {
        std::set<RowId> rows;
        for (const Selected& selected : selected_) rows.insert(selected.row);
        selectArea(*range, std::move(rows));
      }
      return;
    case A::clear:
      return clearStep();
    case A::nextSpan:
      return step(stepSpan, 1);
    case A::previousSpan:
      return step(stepSpan, -1);
    case A::nextSame:
      return step(stepName, 1);
    case A::previousSame:
      return step(stepName, -1);
    case A::nextEpoch:
      return stepEpoch(1);
    case A::previousEpoch:
      return stepEpoch(-1);
    case A::nextPhase:
      return stepLayerPhase(1);
    case A::previousPhase:
      return stepLayerPhase(-1);
    case A::undoZoom:
      return window_.undoZoom();
    case A::back:
      return window_.back();
    case A::forward:
      return window_.forward();
    case A::up:
      return window_.up();
    case A::home:
      return window_.home();
    case A::follow:
      return window_.setFollowing(!window_.following());
    case A::foldAll:
      return model_.setAllCollapsed(!model_.allCollapsed());
  }
}

const SpanRow* TimelineCanvas::spansOf(RowId row) const {
  const RowEntry* entry = model_.find(row);
  return entry == nullptr || entry->row == nullptr ? nullptr : &entry->row->spans;
}

void TimelineCanvas::selectSpan(std::optional<Selected> span, bool add) {
  const SpanRow* spans = span ? spansOf(span->row) : nullptr;
  if (spans == nullptr) {
    selected_.clear();
    window_.selectSpan(-1, std::nullopt);
    update();
    return;
  }
  if (!add) selected_.clear();
  std::erase(selected_, *span);
  selected_.push_back(*span);
  currentRow_ = span->row;
  const Span chosen = spans->at(span->index);
  window_.selectSpan(span->row.rank, chosen);
  emit spanSelected(span->row.rank, chosen);
  update();
}

void TimelineCanvas::selectSpans(std::vector<Selected> spans) {
  if (spans.empty()) return;
  const Selected current = spans.back();
  selected_ = std::move(spans);
  selectSpan(current, true);
}

void TimelineCanvas::selectArea(TimeRange range, std::set<RowId> rows) {
  areaRows_ = std::move(rows);
  const auto kept = areaRows_;
  window_.select(range);
  areaRows_ = kept;  // an empty range clears them
  emit areaSelected(range.beginNs, range.endNs, areaRows_);
  update();
}

std::optional<TimeRange> TimelineCanvas::selectedRange() const {
  std::optional<TimeRange> range;
  for (const Selected& selected : selected_) {
    const SpanRow* spans = spansOf(selected.row);
    if (spans == nullptr || selected.index >= spans->size()) continue;
    const TimeRange one{spans->beginNs(selected.index), spans->endNs(selected.index)};
    range = range ? TimeRange{std::min(range->beginNs, one.beginNs), std::max(range->endNs, one.endNs)} : one;
  }
  if (!range && !window_.selection().empty()) range = window_.selection();
  return range;
}

void TimelineCanvas::fitSelection() {
  const auto range = selectedRange();
  if (!range) return;
  if (fitting_ == Fitting::centred || centred(window_.visible(), *range) == window_.visible()) {
    window_.setVisible(fitted(*range), Move::jump);
    return;
  }
  window_.setVisible(centred(window_.visible(), *range), Move::jump);
  fitting_ = Fitting::centred;
  if (!selected_.empty()) showRow(selected_.back().row);
}

void TimelineCanvas::clearStep() {
  if (drag_ != Drag::none || zoomRange_) {
    drag_ = Drag::none;
    zoomRange_.reset();
  } else if (measured_) {
    measured_.reset();
    emit measuredChanged();
  } else if (!window_.selection().empty()) {
    selectArea({}, {});
  } else if (selected_.size() > 1) {
    selectSpan(selected_.back());
  } else {
    selectSpan(std::nullopt);
  }
  update();
}

void TimelineCanvas::show(TimeRange range) {
  const TimeRange visible = window_.visible();
  if (range.beginNs >= visible.beginNs && range.endNs <= visible.endNs) return;
  if (range.lengthNs() > visible.lengthNs()) {
    // longer than the window: its begin shows
    const std::int64_t margin = visible.lengthNs() / 10;
    window_.setVisible({range.beginNs - margin, range.beginNs - margin + visible.lengthNs()}, Move::pan);
    return;
  }
  window_.setVisible(centred(visible, range), Move::pan);
}

void TimelineCanvas::showRow(RowId row) {
  for (const RowPlace& place : places_) {
    if (model_.rows()[place.entry].id != row) continue;
    const int top = static_cast<int>(place.top / ratio());
    const int bottom = static_cast<int>(std::ceil((place.top + place.height) / ratio()));
    if (top < scroll_) setScroll(top);
    if (bottom > scroll_ + viewHeight()) setScroll(bottom - viewHeight());
    return;
  }
}

void TimelineCanvas::stepTo(std::optional<std::size_t> index) {
  if (selected_.empty()) {
    // nothing selected yet: begin with the first span in view of the current lane, or of the first that has
    // one
    for (const RowEntry& entry : model_.rows()) {
      if (entry.row == nullptr || (currentRow_ && entry.id != *currentRow_)) continue;
      const auto [first, last] =
          entry.row->spans.touching(window_.visible().beginNs, window_.visible().endNs);
      if (first == last) continue;
      selectSpan(Selected{entry.id, first});
      return;
    }
    return;
  }
  if (!index) return;
  const RowId row = selected_.back().row;
  selectSpan(Selected{row, *index});
  const SpanRow* spans = spansOf(row);
  show({spans->beginNs(*index), spans->endNs(*index)});
  showRow(row);
}

void TimelineCanvas::stepLane(int step) {
  const auto& rows = model_.rows();
  if (rows.empty()) return;
  const RowEntry* current = currentRow_ ? model_.find(*currentRow_) : nullptr;
  const auto last = static_cast<std::ptrdiff_t>(rows.size()) - 1;
  const std::ptrdiff_t at = current == nullptr ? (step > 0 ? 0 : last) : current - rows.data() + step;
  const RowEntry& next = rows[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(at, 0, last))];
  const bool select = !selected_.empty() && next.row != nullptr && !next.row->spans.empty();
  if (select) {
    // the one that runs when the selected one begins, or the next
    const SpanRow* from = spansOf(selected_.back().row);
    const std::int64_t ns =
        from != nullptr ? from->beginNs(selected_.back().index) : window_.visible().beginNs;
    const std::size_t index = std::min(next.row->spans.firstEndingAfter(ns), next.row->spans.size() - 1);
    selectSpan(Selected{next.id, index});
  }
  currentRow_ = next.id;
  showRow(next.id);
  update();
}

void TimelineCanvas::stepEpoch(int step) {
  const auto& epochs = model_.epochs();
  if (epochs.empty()) return;
  const TimeRange visible = window_.visible();
  const auto at = model_.epochAt(visible.beginNs + visible.lengthNs() / 2);
  const auto chosen = window_.epoch();
  std::ptrdiff_t index = at ? static_cast<std::ptrdiff_t>(*at) : -1;
  for (std::size_t i = 0; chosen && i < epochs.size(); ++i)
    if (epochs[i].epoch == *chosen) index = static_cast<std::ptrdiff_t>(i);
  index = std::clamp<std::ptrdiff_t>(index + step, 0, static_cast<std::ptrdiff_t>(epochs.size()) - 1);
  const EpochRow& epoch = epochs[static_cast<std::size_t>(index)];
  window_.setEpoch(epoch.epoch);
  window_.setVisible(fitted(TimeRange{epoch.beginNs, epoch.beginNs + epoch.wallNs}), Move::jump);
}

void TimelineCanvas::stepLayerPhase(int step) {
  // main lanes know the layer of what they do; of the current rank, else of the first
  const std::int64_t rank = currentRow_ ? currentRow_->rank : -1;
  const auto lane = std::ranges::find_if(model_.rows(), [rank](const RowEntry& entry) {
    return entry.row != nullptr && entry.id.lane == Lane::main && (rank < 0 || entry.id.rank == rank);
  });
  if (lane == model_.rows().end() || lane->row->spans.empty()) return;
  const SpanRow& spans = lane->row->spans;
  const bool within = !selected_.empty() && selected_.back().row == lane->id;
  const std::int64_t middle = window_.visible().beginNs + window_.visible().lengthNs() / 2;
  const std::size_t from =
      within ? selected_.back().index : std::min(spans.firstEndingAfter(middle), spans.size() - 1);
  const auto index = stepLayer(spans, from, step);
  if (!index) return;
  selectSpan(Selected{lane->id, *index});
  show({spans.beginNs(*index), spans.endNs(*index)});
  showRow(lane->id);
}

}  // namespace halo
