#include <algorithm>

#include "views/recording/runs_model.h"
#include "views/spans/last_there.h"
#include "views/view_registry.h"
#include "views/widgets/inspector_view.h"

namespace halo {
namespace {

const ChipData* chipAt(const Session& session, std::int32_t block) {
  const auto place = session.sceneLanes().chipOf(block);
  const auto& chips = session.sceneData().chips;
  return place && *place < chips.size() ? &chips[*place] : nullptr;
}

/// The run at a place of the timeline below the shown one; none where there is none.
std::optional<OtherRun> otherAt(const Session& session, std::int32_t block) {
  const auto run = session.sceneLanes().runAt(block);
  const ChipData* chip = chipAt(session, block);
  if (!run || chip == nullptr) return std::nullopt;
  const QString letter = chipLetter(*session.sceneLanes().chipOf(block));
  OtherRun other{letter, letter + "  " + chip->name};
  const auto row = std::ranges::find(chip->runs, run->second, &RunRow::id);
  if (row != chip->runs.end()) other.row = *row;
  const auto median = chip->latest.find("epoch_seconds");
  if (chip->runs.size() == 1 && median != chip->latest.end())  // else it is a mean of several
    other.medianEpoch = metricText(median->first, median->second).toStdString();
  return other;
}

void showChip(const Session& session, InspectorView& view) {
  const ChipData* chip = chipAt(session, 0);
  if (chip == nullptr) return view.setChip({}, {});
  const QString letter = chipLetter(*session.sceneLanes().chipOf(0));
  view.setChip(letter, letter + "  " + chip->name);
}

void showSelected(const Session& session, const TimeWindow& window, InspectorView& view) {
  const auto span = window.selectedSpan();
  const std::int32_t block = window.selectedBlock();
  const TimelineBlock* other = session.sceneLanes().at(block);
  const TimelineModel& lanes = other == nullptr ? session.lanes() : *other->model;
  const std::int64_t rank = window.selectedRank();
  const bool before = view.tellsOfOther();
  view.showSpan(rank, span ? &*span : nullptr, lanes.extent().beginNs,
                other == nullptr ? std::nullopt : otherAt(session, block),
                span ? lastThereText(lanes, rank, *span) : QString());
  if (before && !view.tellsOfOther()) view.showRun(session.run());
}

QWidget* make(Session& session) {
  auto* view = new InspectorView;
  QObject::connect(&session, &Session::runRead, view, &InspectorView::showRun);
  QObject::connect(&session, &Session::runChosen, view, [view](std::int64_t run) {
    view->showSpan(-1, nullptr, 0);
    view->clearRun(run);
  });
  QObject::connect(&session.sceneLanes(), &SceneLanes::changed, view,
                   [view, &session] { showChip(session, *view); });
  QObject::connect(&session.window(), &TimeWindow::spanChanged, view,
                   [view, &session] { showSelected(session, session.window(), *view); });
  QObject::connect(&session, &Session::chainChanged, view,
                   [view, &session] { view->showChain(chainText(session.chain())); });
  return view;
}

const Registered<ViewEntry> self{{{"Inspector", "facts of what is selected", ""},
                                  "Inspector",
                                  ViewArea::right,
                                  10,
                                  {Perspective::observe, Perspective::decide},
                                  {},
                                  make}};

}  // namespace
}  // namespace halo
