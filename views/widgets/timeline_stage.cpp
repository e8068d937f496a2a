#include "views/widgets/timeline_stage.h"

#include <QAction>
#include <QInputDialog>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/index.h"
#include "views/look/notice.h"
#include "views/look/units.h"
#include "views/recording/nothing_recorded.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/start_view.h"

namespace halo {

namespace {

/// Where the times of a run's notes begin, on the axis of the timeline.
std::int64_t zeroOf(const TimelineModel& model) {
  return model.epochs().empty() ? model.extent().beginNs : model.epochs().front().beginNs;
}

/// Of a time that the timeline shows, what was recorded.
std::int64_t recordedNs(std::int64_t ns, const TimelineModel& model) {
  return std::llround(static_cast<double>(ns) * model.time().divisor);
}

/// Where a run is looked at that has no timeline.
QString whereElse(const RunRow& run) {
  return run.kind == "training"
             ? " There is no timeline of it; the figures of its epochs are in Convergence and Ledger below."
             : " There is no timeline of it.";
}

LaneNote placed(const ChipNote& note, std::int32_t block, const TimelineModel& model) {
  return {{block, note.rank}, zeroOf(model) + dividedNs(note.ns, model.time().divisor), note.text};
}

}  // namespace

static_assert(static_cast<int>(OrderOfLanes::layers) == static_cast<int>(LaneOrder::layers));

TimelineStage::TimelineStage(Session& session, QWidget* parent)
    : QStackedWidget(parent),
      session_(session),
      start_(new StartView),
      notice_(new Notice),
      timeline_(new TimelineView(session.lanes(), session.window())) {
  addWidget(start_);
  addWidget(notice_);
  addWidget(timeline_);
  makeActions();
  connect(&session, &Session::stateChanged, this, &TimelineStage::showState);
  followScene();
  followArrows();
  followChains();
  connect(&session, &Session::runChosen, this, [this] {
    timeline_->canvas().setNodeMarks({});
    timeline_->canvas().setBadges({});
  });
  connect(&session, &Session::runRead, this, [this](const RunData& run) {
    takeMarks();
    timeline_->canvas().setBadges(badgesOf(run.run));
  });
  connect(&session, &Session::recentChanged, start_, &StartView::setRecent);
  followWhatIf();
  connect(start_, &StartView::sampleWanted, &session, &Session::sampleWanted);
  connect(start_, &StartView::experimentWanted, &session, &Session::experimentWanted);
  connect(start_, &StartView::openWanted, &session, [&session] { emit session.fileWanted({}); });
  connect(start_, &StartView::fileWanted, &session, &Session::fileWanted);
  connect(notice_, &Notice::pressed, this, [this] {
    if (opens_)
      emit session_.fileWanted({});
    else
      emit session_.experimentWanted();
  });
}

/// Order and pins of the lanes stand in the scene, so that they are saved and undone.
void TimelineStage::followScene() {
  connect(&session_.sceneLanes(), &SceneLanes::changed, this, [this] {
    timeline_->setOthers(session_.sceneLanes().first(), session_.sceneLanes().others());
    takePins();
    takeNotes();
  });
  connect(&session_.sceneLanes(), &SceneLanes::changed, this, &TimelineStage::takeRanks);
  connect(&session_, &Session::sceneRead, this, &TimelineStage::takeRanks);
  connect(&session_.scene(), &Scene::changed, this, &TimelineStage::takeRanks);
  connect(&session_.scene(), &Scene::changed, this, &TimelineStage::takeOrder);
  connect(&session_.scene(), &Scene::changed, this, &TimelineStage::takePins);
  connect(&session_.scene(), &Scene::changed, this, &TimelineStage::takeClock);
  connect(timeline_, &TimelineView::clockWanted, &session_.scene(), &Scene::setClock);
  connect(&session_, &Session::runChosen, this, [this] {
    ownPins_.clear();
    ownNotes_.clear();
    takePins();
    takeNotes();
  });
  connect(&timeline_->canvas(), &TimelineCanvas::orderChanged, this, [this] {
    const auto order = timeline_->canvas().places().order();
    if (!taking_) session_.scene().setLanes(static_cast<OrderOfLanes>(order));
  });
  connect(&timeline_->canvas(), &TimelineCanvas::pinsChanged, this, &TimelineStage::storePins);
  connect(&session_.scene(), &Scene::changed, this, &TimelineStage::takeNotes);
  connect(timeline_, &TimelineView::epochsChanged, this, &TimelineStage::takeNotes);
  connect(&timeline_->canvas(), &TimelineCanvas::noteWanted, this, &TimelineStage::askNote);
  connect(&timeline_->canvas(), &TimelineCanvas::noteUnwanted, this, &TimelineStage::dropNote);
}

/// Which ranks of each run are held against which of the topmost one, where they are not equally many.
void TimelineStage::takeRanks() {
  const SceneData& scene = session_.sceneData();
  const auto factsOf = [&](std::size_t chip) -> const RankFacts* {
    const auto place = std::ranges::find(scene.compared, chip) - scene.compared.begin();
    const auto& all = scene.comparison.rankFacts;
    return place < std::ssize(all) ? &all[at(place)] : nullptr;
  };
  std::map<std::int32_t, std::size_t> chips;  // of each block
  std::size_t topmost = SIZE_MAX;
  for (std::int32_t block = 0; block == 0 || session_.sceneLanes().at(block) != nullptr; ++block)
    if (const auto chip = session_.sceneLanes().chipOf(block)) {
      chips[block] = *chip;
      topmost = std::min(topmost, *chip);
    }
  RankMaps maps;
  const RankFacts* first = chips.empty() ? nullptr : factsOf(topmost);
  for (const auto& [block, chip] : chips) {
    const RankFacts* other = factsOf(chip);
    if (chip == topmost || first == nullptr || other == nullptr) continue;
    if (first->count() > 0 && other->count() > 0 && first->count() != other->count())
      maps[block] = rankMap(*first, *other, session_.scene().state().ranks);
  }
  timeline_->canvas().setRankMaps(std::move(maps));
}

/// Over the lanes, in the same time as these.
void TimelineStage::takeMarks() {
  const double divisor = session_.run().clock().divisor(session_.scene().state().clock);
  timeline_->canvas().setNodeMarks(nodeMarksOf(session_.run(), divisor));
}

void TimelineStage::takeClock() {
  if (std::exchange(clock_, session_.scene().state().clock) != session_.scene().state().clock) takeMarks();
}

void TimelineStage::takeOrder() {
  const QScopedValueRollback quiet(taking_, true);
  timeline_->canvas().setOrder(static_cast<LaneOrder>(session_.scene().state().lanes));
}

/// Of the chip whose run stands at a place of the timeline; −1: it is in none.
int TimelineStage::placeInScene(std::int32_t block) const {
  const auto chip = session_.sceneLanes().chipOf(block);
  if (!chip || *chip >= session_.sceneData().chips.size()) return -1;
  const Chip& sceneChip = session_.sceneData().chips[*chip].chip;
  return session_.scene().placeOf(sceneChip.recording, sceneChip.runs);
}

void TimelineStage::takePins() {
  std::set<LaneChoice> pinned;
  const auto blocks = static_cast<std::int32_t>(session_.sceneLanes().others().size()) + 1;
  for (std::int32_t block = 0; block < blocks; ++block) {
    const int place = placeInScene(block);
    if (place < 0 && block > 0) continue;
    const std::set<std::int64_t>& ranks =
        place < 0 ? ownPins_ : session_.scene().state().chips[at(place)].pinned;
    for (const std::int64_t rank : ranks) pinned.insert({block, rank});
  }
  const QScopedValueRollback quiet(taking_, true);
  timeline_->canvas().setPinned(std::move(pinned));
}

void TimelineStage::storePins() {
  if (taking_) return;
  const std::set<LaneChoice> pinned = timeline_->canvas().places().pinned();
  const auto blocks = static_cast<std::int32_t>(session_.sceneLanes().others().size()) + 1;
  for (std::int32_t block = 0; block < blocks; ++block) {
    std::set<std::int64_t> ranks;
    for (const LaneChoice& lane : pinned)
      if (lane.block == block) ranks.insert(lane.rank);
    const int place = placeInScene(block);
    if (place >= 0)
      session_.scene().setPinned(place, ranks);
    else if (block == 0)
      ownPins_ = std::move(ranks);
  }
}

/// Of a run of the timeline; null where there is none.
const TimelineModel* TimelineStage::modelAt(std::int32_t block) const {
  if (block == 0) return &session_.lanes();
  const TimelineBlock* other = session_.sceneLanes().at(block);
  return other == nullptr ? nullptr : other->model;
}

std::vector<ChipNote> TimelineStage::notesOf(std::int32_t block) const {
  const int place = placeInScene(block);
  if (place >= 0) return session_.scene().state().chips[at(place)].notes;
  return block == 0 ? ownNotes_ : std::vector<ChipNote>();
}

void TimelineStage::setNotesOf(std::int32_t block, const std::vector<ChipNote>& notes) {
  if (const int place = placeInScene(block); place >= 0) return session_.scene().setNotes(place, notes);
  if (block == 0) ownNotes_ = notes;
  takeNotes();
}

void TimelineStage::takeNotes() {
  std::vector<LaneNote> notes;
  const auto blocks = static_cast<std::int32_t>(session_.sceneLanes().others().size()) + 1;
  for (std::int32_t block = 0; block < blocks; ++block)
    if (const TimelineModel* model = modelAt(block))
      for (const ChipNote& note : notesOf(block)) notes.push_back(placed(note, block, *model));
  timeline_->canvas().setNotes(std::move(notes));
}

void TimelineStage::askNote(LaneChoice lane, std::int64_t ns) {
  const TimelineModel* model = modelAt(lane.block);
  if (model == nullptr) return;
  bool wanted = false;
  const QString text =
      QInputDialog::getText(
          this, "Note",
          QString("At %1 of %2:").arg(formatNs(ns - zeroOf(*model)), model->rankName(lane.rank)),
          QLineEdit::Normal, {}, &wanted)
          .trimmed();
  if (!wanted || text.isEmpty()) return;
  std::vector<ChipNote> notes = notesOf(lane.block);
  notes.push_back({lane.rank, recordedNs(ns - zeroOf(*model), *model), text});
  setNotesOf(lane.block, notes);
}

void TimelineStage::dropNote(const LaneNote& note) {
  const TimelineModel* model = modelAt(note.lane.block);
  if (model == nullptr) return;
  std::vector<ChipNote> notes = notesOf(note.lane.block);
  const auto unwanted = std::ranges::find_if(
      notes, [&](const ChipNote& each) { return placed(each, note.lane.block, *model) == note; });
  if (unwanted == notes.end()) return;
  notes.erase(unwanted);
  setNotesOf(note.lane.block, notes);
}

void TimelineStage::followArrows() {
  const auto again = [this] {
    arrows_.forget();
    askArrows();
  };
  connect(timeline_, &TimelineView::arrowsWanted, this, [this, again](bool shown) {
    arrowsShown_ = shown;
    timeline_->canvas().setArrows({shown, {}, false, false});
    again();
  });
  connect(&session_.window(), &TimeWindow::visibleChanged, this, &TimelineStage::askArrows);
  connect(&session_.sceneLanes(), &SceneLanes::changed, this, again);
  connect(timeline_, &TimelineView::epochsChanged, this, again);
  connect(&arrows_, &ArrowReader::arrowsRead, this,
          [this](const std::vector<MessageArrow>& arrows, bool tooMany) {
            if (arrowsShown_) timeline_->canvas().setArrows({true, arrows, tooMany, true});
          });
}

void TimelineStage::askArrows() {
  if (!arrowsShown_) return;
  std::vector<ArrowReader::Source> sources;
  for (std::int32_t block = 0; block == 0 || session_.sceneLanes().at(block) != nullptr; ++block)
    if (const auto source = sourceOf(block)) sources.push_back(*source);
  arrows_.ask(std::move(sources), session_.window().visible());
}

/// None where there is nothing to read of it.
std::optional<ArrowReader::Source> TimelineStage::sourceOf(std::int32_t block) const {
  const SceneLanes& lanes = session_.sceneLanes();
  const TimelineBlock* other = block == 0 ? nullptr : lanes.at(block);
  if (block != 0 && other == nullptr) return std::nullopt;
  const auto run =
      block == 0 ? std::optional(std::pair(lanes.recording(), session_.run().run.id)) : lanes.runAt(block);
  const TimelineModel& model = block == 0 ? session_.lanes() : *other->model;
  if (!run || run->first.isEmpty() || run->second == 0 || model.epochs().empty()) return std::nullopt;
  if (model.time().divisor != 1) return std::nullopt;  // of one rank, without messages
  const EpochRow& first = model.epochs().front();
  return ArrowReader::Source{run->first, run->second, block, first.epoch, first.beginNs};
}

/// Of a wait that becomes the selected span, here or by another view.
void TimelineStage::followChains() {
  connect(&session_.window(), &TimeWindow::spanChanged, this, &TimelineStage::askChain);
  connect(&session_.sceneLanes(), &SceneLanes::changed, this, &TimelineStage::askChain);
  connect(&chains_, &ChainReader::chainRead, this,
          [this](const WaitChain& chain) { session_.setChain(chain); });
  connect(&session_, &Session::chainChanged, this,
          [this] { timeline_->canvas().setChain(session_.chain()); });
  connect(&session_, &Session::waitWanted, this, &TimelineStage::goToWait);
  connect(&session_, &Session::spansWanted, this, &TimelineStage::goToSpans);
  connect(&session_, &Session::shownSpansWanted, this, [this](const SpanChoice& choice) {
    if (timeline_->canvas().goToSpans(0, choice)) emit session_.frontWanted(this);
  });
}

void TimelineStage::askChain() {
  const auto span = session_.window().selectedSpan();
  const auto source = span && isOfWait(*span) ? sourceOf(session_.window().selectedBlock()) : std::nullopt;
  chains_.forget();
  session_.setChain({});
  if (source) chains_.ask(*source, session_.window().selectedRank(), *span);
}

void TimelineStage::goToWait(Name reason, qint64 peer, qint64 layer) {
  if (!timeline_->canvas().goToWait(reason, static_cast<std::int32_t>(peer),
                                    static_cast<std::int16_t>(layer)))
    return;
  emit session_.frontWanted(this);
}

void TimelineStage::goToSpans(std::size_t chip, const SpanChoice& choice) {
  const auto block = session_.sceneLanes().blockOf(chip);
  if (block && timeline_->canvas().goToSpans(*block, choice)) emit session_.frontWanted(this);
}

void TimelineStage::makeActions() {
  for (const TimelineActionInfo& info : timelineActions()) {
    // the keys themselves belong to the timeline while it has the focus: letters must stay letters in a text
    // field
    auto* action = new QAction(info.text, this);
    if (!info.keys.isEmpty())
      action->setText(QString("%1\t%2").arg(info.text, info.keys.first().toString(QKeySequence::NativeText)));
    connect(action, &QAction::triggered, this, [this, command = info.action] {
      emit session_.frontWanted(this);
      timeline_->canvas().setFocus();
      timeline_->canvas().perform(command);
    });
    addAction(action);
  }
}

void TimelineStage::say(const QString& sentence, const QString& button, bool opens) {
  notice_->tell(sentence, button);
  opens_ = opens;
  setCurrentWidget(notice_);
}

void TimelineStage::showTimeline() {
  if (currentWidget() == timeline_) return;
  setCurrentWidget(timeline_);
  timeline_->canvas().takeKeys();
}

void TimelineStage::showState() {
  const OpenState& state = session_.state();
  const bool runs = session_.runs().rowCount() > 0;
  const std::string& status = session_.run().run.status;
  if (!state.failure.isEmpty())
    say(state.failure, "Open another file…", true);
  else if (!state.file && !state.starting)
    setCurrentWidget(start_);
  else if (!runs && state.starting)
    say("Starting the workers; their lanes appear here with their first spans. The log below tells how far "
        "they are.");
  else if (state.opening)
    say("Opening the recording…");
  else if (!runs)
    say("This recording holds no runs yet: a new experiment writes some.", "New experiment");
  else if (!session_.lanes().rows().empty() || session_.lanes().spans() > 0)  // by layers, rows come later
    showTimeline();
  else if (status == "queued" || (status == "running" && session_.run().epochs.empty()))
    say("The run is starting; its lanes appear here with their first spans.");
  else if (!state.reading && session_.run().spans == 0)
    say(noSpans(session_.run()) + whereElse(session_.run().run), "New experiment");
}

}  // namespace halo
