#include "views/scene/scene.h"

#include <QUndoCommand>
#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {

QString chipLetter(std::size_t place) { return QString(QChar('A' + static_cast<int>(place))); }

RunChips chipsOfRuns(const SceneState& state, const QString& recording) {
  RunChips chips;
  for (std::size_t place = 0; place < state.chips.size(); ++place)
    if (const Chip& chip = state.chips[place]; chip.recording == recording)
      for (const std::int64_t run : chip.runs) chips.try_emplace(run, RunChip{place, chip.color});
  return chips;
}

/// One step of the history: a state and the one before it.
class Scene::Change : public QUndoCommand {
 public:
  Change(Scene& scene, const QString& caption, SceneState after)
      : QUndoCommand(caption), scene_(scene), before_(scene.state()), after_(std::move(after)) {}
  void undo() override { scene_.become(before_); }
  void redo() override { scene_.become(after_); }

 private:
  Scene& scene_;
  SceneState before_, after_;
};

void Scene::become(const SceneState& state) {
  state_ = state;
  emit changed(state_);
}

void Scene::change(const QString& caption, const SceneState& state) {
  if (state != state_) undo_.push(new Change(*this, caption, state));
}

int Scene::placeOf(const QString& recording, const std::vector<std::int64_t>& runs) const {
  const auto place = std::ranges::find_if(
      state_.chips, [&](const Chip& chip) { return chip.recording == recording && chip.runs == runs; });
  return place == state_.chips.end() ? -1 : static_cast<int>(place - state_.chips.begin());
}

bool Scene::add(const QString& recording, const std::vector<std::int64_t>& runs) {
  if (placeOf(recording, runs) >= 0) return true;
  const auto isPart = [&](const Chip& chip) {
    return chip.recording == recording && std::ranges::all_of(chip.runs, [&](std::int64_t run) {
             return std::ranges::find(runs, run) != runs.end();
           });
  };
  SceneState grown = state_;
  if (const auto part = std::ranges::find_if(grown.chips, isPart); part != grown.chips.end()) {
    part->runs = runs;
    grown.chips.erase(std::remove_if(part + 1, grown.chips.end(), isPart), grown.chips.end());
    change("add a run", grown);
    return true;
  }
  if (static_cast<int>(state_.chips.size()) >= kMostChips) return false;
  Chip chip{recording, runs, 0};
  const auto taken = [&] {
    return std::ranges::any_of(state_.chips, [&](const Chip& other) { return other.color == chip.color; });
  };
  while (taken()) ++chip.color;
  SceneState next = state_;
  next.chips.push_back(std::move(chip));
  change("add a run", next);
  return true;
}

void Scene::remove(int place) {
  SceneState next = state_;
  HALO_CHECK(place >= 0 && place < std::ssize(next.chips));
  next.chips.erase(next.chips.begin() + place);
  change("remove a run", next);
}

void Scene::removeRun(const QString& recording, std::int64_t run) {
  SceneState next = state_;
  for (Chip& chip : next.chips)
    if (chip.recording == recording) std::erase(chip.runs, run);
  std::erase_if(next.chips, [](const Chip& chip) { return chip.runs.empty(); });
  change("remove a run", next);
}

void Scene::setBaseline(int place) {
  SceneState next = state_;
  HALO_CHECK(place >= 0 && place < std::ssize(next.chips));
  std::rotate(next.chips.begin(), next.chips.begin() + place, next.chips.begin() + place + 1);
  change("choose the baseline", next);
}

void Scene::setAlignment(Alignment alignment, std::int64_t epoch, int layer) {
  SceneState next = state_;
  next.alignment = alignment;
  next.epoch = epoch;
  next.layer = layer;
  change("align", next);
}

void Scene::setAccuracy(std::optional<double> accuracy) {
  SceneState next = state_;
  next.accuracy = accuracy;
  change("choose the score", next);
}

void Scene::setScope(FigureScope scope) {
  SceneState next = state_;
  next.scope = scope;
  change("choose the scope", next);
}

void Scene::setEpochs(const Scope& epochs) {
  SceneState next = state_;
  next.epochs = epochs;
  change("choose the epochs", next);
}

void Scene::setBase(TimeBase base) {
  SceneState next = state_;
  next.base = base;
  change("choose the time", next);
}

void Scene::setLanes(OrderOfLanes lanes) {
  SceneState next = state_;
  next.lanes = lanes;
  change("order lanes", next);
}

void Scene::setClock(TimeClock clock) {
  SceneState next = state_;
  next.clock = clock;
  change("choose the clock", next);
}

void Scene::setRanks(RankRule rule) {
  SceneState next = state_;
  next.ranks = rule;
  change("match ranks", next);
}

void Scene::setPinned(int place, const std::set<std::int64_t>& ranks) {
  SceneState next = state_;
  HALO_CHECK(place >= 0 && place < std::ssize(next.chips));
  next.chips[at(place)].pinned = ranks;
  change("keep lanes on top", next);
}

void Scene::setNotes(int place, const std::vector<ChipNote>& notes) {
  SceneState next = state_;
  HALO_CHECK(place >= 0 && place < std::ssize(next.chips));
  next.chips[at(place)].notes = notes;
  change("change the notes", next);
}

void Scene::setName(const QString& name) {
  SceneState next = state_;
  next.name = name;
  change("name the scene", next);
}

void Scene::load(const SceneState& state) {
  undo_.clear();
  become(state);
}

}  // namespace halo
