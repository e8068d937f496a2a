#include "views/session/scene_lanes.h"

#include <algorithm>

#include "engine/record/tables/runs.h"

namespace halo {

namespace {

bool holds(const ChipData& chip, const QString& recording, std::int64_t run) {
  return chip.chip.recording == recording && std::ranges::find(chip.chip.runs, run) != chip.chip.runs.end();
}

bool mayGrow(const ChipData& chip) {
  return std::ranges::any_of(
      chip.runs, [](const RunRow& run) { return run.status == "queued" || run.status == "running"; });
}

double divisorOf(Database& recording, std::int64_t run, TimeClock clock) {
  const Runs runs(recording);
  const auto row = runs.find(run);
  return row ? runClock(*row, runs.parameters(run)).divisor(clock) : 1;
}

TimelineBlock headingOf(const SceneData& scene, std::size_t place, std::int64_t run) {
  const ChipData& chip = scene.chips[place];
  TimelineBlock block;
  block.name = chipLetter(place) + "  " + chip.name;
  if (chip.chip.runs.size() > 1) block.name += QString(" · run %1").arg(run);
  block.color = chip.chip.color;
  block.modelled = chip.modelled;
  block.place = place;
  return block;
}

}  // namespace

/// From the moment of a run to that of the shown one, each as it is shown; on the reading thread.
Shifted SceneLanes::shifted(const Wanted& request, Database& recording) {
  const auto beside = openToShow(request.beside.toStdString());
  const auto between = [&](const Anchor& shownAnchor, const Anchor& anchor) -> std::optional<std::int64_t> {
    const auto shownMoment = momentOf(*beside, request.shown, shownAnchor);
    const auto moment = momentOf(recording, request.run, anchor);
    if (!shownMoment || !moment) return std::nullopt;
    return dividedNs(*shownMoment, divisorOf(*beside, request.shown, request.clock)) -
           dividedNs(*moment, divisorOf(recording, request.run, request.clock));
  };
  if (request.shownAnchor && request.anchor)
    if (const auto shift = between(*request.shownAnchor, *request.anchor)) return {*shift, {}};
  if (const auto shift = between({}, {}))
    return {*shift, "not both runs have that moment; aligned at the first epochs"};
  const auto row = Runs(recording).find(request.run);
  if (row && row->kind == "simulation") return {0, "simulated, without epochs; stands at its begin"};
  return {0, "not both runs have epochs yet; aligned by their own clocks"};
}

void SceneLanes::show(const QString& recording, std::int64_t run, const SceneData& scene) {
  recording_ = recording;
  chips_.clear();
  first_ = {};
  std::vector<std::unique_ptr<Other>> next;
  const auto shownChip =
      std::ranges::find_if(scene.chips, [&](const ChipData& chip) { return holds(chip, recording, run); });
  if (shownChip != scene.chips.end())
    chips_.push_back(static_cast<std::size_t>(shownChip - scene.chips.begin()));
  if (shownChip != scene.chips.end() && scene.chips.size() > 1) {
    first_ = headingOf(scene, static_cast<std::size_t>(shownChip - scene.chips.begin()), run);
    first_.note = "aligned at: " + anchorText(scene.state);
    for (std::size_t place = 0; place < scene.chips.size(); ++place) {
      const ChipData& chip = scene.chips[place];
      if (&chip == &*shownChip || chip.chip.runs.empty()) continue;
      const std::int64_t chipRun = chip.chip.runs.front();
      const Wanted request{chip.chip.recording,
                           chipRun,
                           recording,
                           run,
                           anchorOf(scene, chip.chip.recording, chipRun),
                           anchorOf(scene, recording, run),
                           scene.state.clock};
      std::unique_ptr<Other> other = keep(request, mayGrow(chip) || mayGrow(*shownChip));
      if (!other) other = open(request);
      other->grows = mayGrow(chip);
      TimelineBlock heading = headingOf(scene, place, chipRun);
      heading.note = other->block.note;
      heading.model = &other->model;
      heading.replays = !heading.modelled;
      other->block = heading;
      next.push_back(std::move(other));
      chips_.push_back(place);
    }
  }
  otherBlocks_.swap(next);
  emit changed();  // before those that are shown no more go
  for (std::unique_ptr<Other>& other : next)
    if (other) leave(std::move(other));
}

/// Joining its thread could take as long as a slow read.
void SceneLanes::leave(std::unique_ptr<Other> other) {
  Feed& feed = other->feed;
  feed.disconnect(this);
  feed.close();
  feed.setPaused(false);  // else nobody would hear that its thread rests
  if (feed.rests()) return;
  const auto forget = [this, left = other.get()] {
    std::erase_if(leaving_, [left](const auto& each) { return each.get() == left; });
  };
  connect(&feed, &Feed::rested, this, forget,
          Qt::QueuedConnection);  // the feed is still at work in its signal
  leaving_.push_back(std::move(other));
}

/// One that is here already, and read as it should be.
/// `grows`: what was wrong then may be right by now.
std::unique_ptr<SceneLanes::Other> SceneLanes::keep(const Wanted& request, bool grows) {
  for (std::unique_ptr<Other>& other : otherBlocks_)
    if (other && other->what == request && (other->block.note.isEmpty() || !grows)) return std::move(other);
  return nullptr;
}

std::unique_ptr<SceneLanes::Other> SceneLanes::open(const Wanted& request) {
  auto other = std::make_unique<Other>();
  other->what = request;
  connect(&other->feed, &Feed::failed, this, [this, opened = other.get()](const QString& problem) {
    opened->block.note = problem;
    emit changed();
  });
  for (const auto over : {&Feed::complete, &Feed::ended})
    connect(&other->feed, over, this, [this, opened = other.get()] {
      opened->complete = true;
      if (paused_) opened->feed.setPaused(true);
    });
  other->feed.open(
      request.recording.toStdString(), request.run,
      [request](Database& recording) { return shifted(request, recording); }, request.clock);
  return other;
}

std::vector<TimelineBlock> SceneLanes::others() const {
  std::vector<TimelineBlock> blocks;
  for (const auto& other : otherBlocks_) blocks.push_back(other->block);
  return blocks;
}

const TimelineBlock* SceneLanes::at(std::int32_t block) const {
  const auto place = static_cast<std::size_t>(block);
  return block < 1 || place > otherBlocks_.size() ? nullptr : &otherBlocks_[place - 1]->block;
}

std::optional<std::pair<QString, std::int64_t>> SceneLanes::runAt(std::int32_t block) const {
  if (at(block) == nullptr) return std::nullopt;
  const Wanted& request = otherBlocks_[static_cast<std::size_t>(block) - 1]->what;
  return std::pair(request.recording, request.run);
}

std::optional<std::size_t> SceneLanes::chipOf(std::int32_t block) const {
  const auto place = static_cast<std::size_t>(block);
  return block < 0 || place >= chips_.size() ? std::nullopt : std::optional(chips_[place]);
}

std::optional<std::int32_t> SceneLanes::blockOf(std::size_t chip) const {
  const auto block = std::ranges::find(chips_, chip);
  return block == chips_.end() ? std::nullopt
                               : std::optional(static_cast<std::int32_t>(block - chips_.begin()));
}

void SceneLanes::setPaused(bool paused) {
  paused_ = paused;
  for (const auto& other : otherBlocks_)
    if (other->complete || !paused) other->feed.setPaused(paused);
}

bool SceneLanes::grows() const {
  return std::ranges::any_of(otherBlocks_, [](const auto& other) { return other->grows; });
}

bool SceneLanes::settled() const {
  return std::ranges::all_of(otherBlocks_, [](const auto& other) { return other->complete; });
}

}  // namespace halo
