#include "views/timeline/timeline_commands.h"

#include <algorithm>

#include "engine/base/index.h"
#include "views/timeline/timeline_navigation.h"

namespace halo {
namespace {

constexpr double kZoomStep = 1.5;
constexpr double kPanShare = 0.15;  // of the window

}  // namespace

TimelineCommands::TimelineCommands(TimelineBlocks& blocks, TimeWindow& window, TimelineLayout& layout,
                                   TimelineSelection& selection, QObject* parent)
    : QObject(parent), blocks_(blocks), window_(window), layout_(layout), selection_(selection) {
  connect(&window_, &TimeWindow::visibleChanged, this, [this] { centred_ = false; });
}

void TimelineCommands::perform(TimelineAction action, std::int64_t anchorNs) {
  using A = TimelineAction;
  switch (action) {
    case A::zoomIn:
      return window_.zoom(1 / kZoomStep, anchorNs);
    case A::zoomOut:
      return window_.zoom(kZoomStep, anchorNs);
    case A::panLeft:
      return pan(-kPanShare);
    case A::panRight:
      return pan(kPanShare);
    case A::laneUp:
      return stepLane(-1);
    case A::laneDown:
      return stepLane(1);
    case A::fit:
      return fitSelection();
    case A::selectArea:
      return makeArea();
    case A::clear:
      return selection_.clearStep();
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
      return stepPhase(1);
    case A::previousPhase:
      return stepPhase(-1);
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
      return foldAll();
    case A::openLink:
      return openLink();
    case A::laneOrder:
      return nextOrder();
    case A::pin:
      return pinLane();
    case A::arrows:
    case A::clock:
    case A::foldEpochs:
    case A::search:
    case A::statistics:
      return emit aroundWanted(action);
  }
}

void TimelineCommands::pan(double share) {
  window_.pan(static_cast<std::int64_t>(share * static_cast<double>(window_.visible().lengthNs())));
}

void TimelineCommands::makeArea() {
  const auto range = selection_.range();
  if (!range) return;
  std::set<RowId> rows;
  for (const SpanId& span : selection_.spans()) rows.insert(span.row);
  selection_.selectArea(*range, std::move(rows));
}

void TimelineCommands::fitSelection() {
  const auto range = selection_.range();
  if (!range) return;
  const TimeRange middle = centred(window_.visible(), *range);
  if (centred_ || middle == window_.visible()) {
    window_.setVisible(fitted(*range), Move::jump);
    return;
  }
  window_.setVisible(middle, Move::jump);
  centred_ = true;
  if (const auto span = selection_.current()) layout_.reveal(span->row);
}

void TimelineCommands::show(TimeRange range) {
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

void TimelineCommands::goTo(SpanId span) {
  blocks_.modelOf(span.row).unfoldTo(span.row);
  selection_.selectSpan(span);
  const SpanRow* spans = selection_.spansOf(span.row);
  show({spans->beginNs(span.index), spans->endNs(span.index)});
  layout_.reveal(span.row);
}

void TimelineCommands::step(std::optional<std::size_t> (*next)(const SpanRow&, std::size_t, int), int by) {
  const auto from = selection_.current();
  if (!from) return selectFirstInView();
  const SpanRow* spans = selection_.spansOf(from->row);
  const auto index = spans == nullptr ? std::nullopt : next(*spans, from->index, by);
  if (index) goTo({from->row, *index});
}

/// Of the current lane, or of the first that has any.
void TimelineCommands::selectFirstInView() {
  const auto row = selection_.currentRow();
  for (const RowEntry& entry : blocks_.rows()) {
    if (entry.row == nullptr || (row && entry.id != *row)) continue;
    const auto [first, last] = entry.row->spans.touching(window_.visible().beginNs, window_.visible().endNs);
    if (first == last) continue;
    selection_.selectSpan(SpanId{entry.id, first});
    return;
  }
}

void TimelineCommands::stepLane(int by) {
  std::vector<RowEntry> rows;  // as they stand
  for (const RowPlace& place : layout_.places()) rows.push_back(layout_.entryOf(place));
  if (rows.empty()) return;
  const auto row = selection_.currentRow();
  const auto current = std::ranges::find_if(rows, [&](const RowEntry& entry) { return row == entry.id; });
  const auto last = std::ssize(rows) - 1;
  const std::ptrdiff_t position = current == rows.end() ? (by > 0 ? 0 : last) : current - rows.begin() + by;
  const RowEntry& next = rows[at(std::clamp<std::ptrdiff_t>(position, 0, last))];
  const auto selected = selection_.current();
  if (selected && next.row != nullptr && !next.row->spans.empty()) {
    // the one that runs when the selected one begins, or the next
    const SpanRow* from = selection_.spansOf(selected->row);
    const std::int64_t ns = from != nullptr ? from->beginNs(selected->index) : window_.visible().beginNs;
    const std::size_t index = std::min(next.row->spans.firstEndingAfter(ns), next.row->spans.size() - 1);
    selection_.selectSpan(SpanId{next.id, index});
  }
  selection_.setCurrentRow(next.id);
  layout_.reveal(next.id);
}

void TimelineCommands::foldAll() {
  const bool folded = blocks_.allCollapsed();
  for (const TimelineBlock& block : blocks_.all()) block.model->setAllCollapsed(!folded);
}

/// Of the rank that keys go from, else of all; one that is open closes them.
void TimelineCommands::openLink() {
  const auto current = selection_.currentRow();
  std::vector<RowId> links;
  for (const RowEntry& entry : blocks_.rows())
    if (entry.inFlight && (!current || (entry.id.block == current->block && entry.id.rank == current->rank)))
      links.push_back(entry.id);
  const auto isOpen = [&](const RowId& link) { return blocks_.modelOf(link).linkOpen(link.rank); };
  const bool open = std::ranges::none_of(links, isOpen);
  for (const RowId& link : links) blocks_.modelOf(link).setLinkOpen(link.rank, open);
}

/// The next that makes a difference.
void TimelineCommands::nextOrder() {
  constexpr int kOrders = 5;
  auto next = static_cast<int>(layout_.order());
  do next = (next + 1) % kOrders;
  while (!layout_.differs(static_cast<LaneOrder>(next)));
  layout_.setOrder(static_cast<LaneOrder>(next));
}

/// Of the rank that keys go from.
void TimelineCommands::pinLane() {
  const auto row = selection_.currentRow();
  if (!row) return;
  std::set<LaneChoice> pinned = layout_.pinned();
  const LaneChoice lane{row->block, row->rank};
  if (pinned.erase(lane) == 0) pinned.insert(lane);
  layout_.setPinned(std::move(pinned));
  layout_.reveal(*row);
}

/// Of the run that keys go from.
void TimelineCommands::stepEpoch(int by) {
  const TimelineModel& model = blocks_.modelOf(selection_.currentRow().value_or(RowId{}));
  const auto& epochs = model.epochs();
  if (epochs.empty()) return;
  const TimeRange visible = window_.visible();
  const auto middle = model.epochAt(visible.beginNs + visible.lengthNs() / 2);
  // the chosen epoch is the first run's, for all views; in another one keys only move the window
  const bool own = &model == &blocks_.first();
  const auto chosen = own ? window_.epoch() : std::nullopt;
  std::ptrdiff_t index = middle ? static_cast<std::ptrdiff_t>(*middle) : -1;
  for (std::size_t i = 0; chosen && i < epochs.size(); ++i)
    if (epochs[i].epoch == *chosen) index = static_cast<std::ptrdiff_t>(i);
  index = std::clamp<std::ptrdiff_t>(index + by, 0, std::ssize(epochs) - 1);
  const EpochRow& epoch = epochs[at(index)];
  if (own) window_.setEpoch(epoch.epoch);
  window_.setVisible(fitted(TimeRange{epoch.beginNs, epoch.beginNs + epoch.wallNs}), Move::jump);
}

void TimelineCommands::stepPhase(int by) {
  // main lanes know the layer of what they do; of the current rank, else of the first
  const auto row = selection_.currentRow();
  const TimelineModel& model = blocks_.modelOf(row.value_or(RowId{}));
  if (model.rows().empty()) return;
  const std::int64_t rank = row ? row->rank : model.rows().front().id.rank;
  const TimelineRow* main = model.mainOf(rank);
  if (main == nullptr || main->spans.empty()) return;
  const SpanRow& spans = main->spans;
  const auto selected = selection_.current();
  const bool within = selected && selected->row.block == model.block() && selected->row.rank == rank &&
                      selected->row.lane == Lane::main && selected->row.sub == 0;
  const std::int64_t middle = window_.visible().beginNs + window_.visible().lengthNs() / 2;
  const std::size_t from = within
                               ? spans.firstFrom(selection_.spansOf(selected->row)->beginNs(selected->index))
                               : std::min(spans.firstEndingAfter(middle), spans.size() - 1);
  const auto index = stepLayer(spans, std::min(from, spans.size() - 1), by);
  if (!index) return;
  if (const auto at = model.locate(rank, spans.at(*index))) goTo(*at);
}

}  // namespace halo
