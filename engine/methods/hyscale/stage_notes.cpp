#include "engine/methods/hyscale/stage_notes.h"

#include <cmath>
#include <string>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::hyscale {
namespace {

constexpr double kNsPerSecond = 1e9;

std::int64_t ns(double seconds) { return static_cast<std::int64_t>(std::llround(seconds * kNsPerSecond)); }

std::string ofTrainer(int trainer, const char* action) {
  return (trainer == 0 ? "processors: " : "card " + std::to_string(trainer - 1) + ": ") + action;
}

std::string recordedName(const Actor& actor) {
  switch (actor.role) {
    case Role::runtime:
      return "runtime";
    case Role::sampler:
      return "sample";
    case Role::loader:
      return "load";
    case Role::link:
      return ofTrainer(actor.trainer, "transfer");
    case Role::trainer:
      return ofTrainer(actor.trainer, "train");
    case Role::synchroniser:
      break;
  }
  return "synchronise";
}

BatchStage stageOf(Stage stage) {
  switch (stage) {
    case Stage::load:
      return BatchStage::load;
    case Stage::transfer:
      return BatchStage::transfer;
    case Stage::train:
      return BatchStage::propagate;
    case Stage::synchronise:
      return BatchStage::synchronise;
    case Stage::draw:
    case Stage::sample:
    case Stage::step:
      break;
  }
  return BatchStage::sample;
}

}  // namespace

std::vector<ActorRow> actorRows(int cards, ActorDevice cardsAre) {
  static_assert(static_cast<int>(ActorKind::synchroniser) == static_cast<int>(Role::synchroniser));
  std::vector<ActorRow> rows = {{0, 0, "runtime", ActorKind::runtime, ActorDevice::host}};
  const ActorDevice others = cardsAre == ActorDevice::modelled ? cardsAre : ActorDevice::host;
  for (const Actor& actor : actorsOf(cards)) {
    const bool ofCard = actor.trainer > 0;  // links are all of cards
    rows.push_back({numberOf(actor, cards), 0, recordedName(actor), static_cast<ActorKind>(actor.role),
                    ofCard ? cardsAre : others});
  }
  return rows;
}

std::int64_t numberOf(const Actor& actor, int cards) {
  constexpr std::int64_t kLinks = 3;
  switch (actor.role) {
    case Role::runtime:
      return 0;
    case Role::sampler:
      return 1;
    case Role::loader:
      return 2;
    case Role::link:
      return kLinks + actor.trainer - 1;
    case Role::trainer:
      return kLinks + cards + actor.trainer;
    case Role::synchroniser:
      break;
  }
  return kLinks + 2 * std::int64_t{cards} + 1;
}

bool isStage(const Task& task) { return task.stage != Stage::draw && task.stage != Stage::step; }

StageRow stageRow(std::int64_t actor, const Task& task, const TaskTimes& times, const NotedTask& noted) {
  StageRow row;
  row.stage = stageOf(task.stage);
  row.actor = actor;
  row.beginNs = times.beginNs;
  row.busyNs = times.busyNs;
  row.waitNs = times.waitNs;
  row.queued = times.queued;
  row.bytes = noted.bytes;
  if (noted.planned == nullptr) return row;
  row.modelledNs = static_cast<std::int64_t>(
      std::llround(static_cast<double>(times.busyNs) / noted.nsPerSecond * kNsPerSecond));
  row.plannedNs = ns(noted.planned->seconds());
  row.plannedEndNs = noted.plannedEndNs;
  row.predictedNs = ns(noted.predictedSeconds);
  return row;
}

Span spanOf(const StageRow& row) {
  constexpr std::array<Name, kBatchStages> kNames = {Name::sample, Name::gather, Name::copied, Name::update,
                                                     Name::allReduce};
  constexpr std::array<Kind, kBatchStages> kKinds = {Kind::compute, Kind::compute, Kind::communication,
                                                     Kind::compute, Kind::synchronise};
  Span span;
  span.beginNs = row.beginNs;
  span.durationNs = row.busyNs;
  span.bytes = row.bytes;
  span.epoch = static_cast<std::int32_t>(row.epoch);
  span.name = kNames[at(row.stage)];
  span.kind = kKinds[at(row.stage)];
  return span;
}

double predictedSeconds(const Task& task, const HybridTimes& predicted) {
  switch (task.stage) {
    case Stage::sample:
      return predicted.sample();
    case Stage::load:
      return predicted.load;
    case Stage::transfer:
      return predicted.transfer;
    case Stage::train:
      return task.trainer == 0 ? predicted.trainCpu : predicted.trainCard;
    case Stage::synchronise:
      return predicted.sync;
    case Stage::draw:
    case Stage::step:
      break;
  }
  return 0;
}

}  // namespace halo::hyscale
