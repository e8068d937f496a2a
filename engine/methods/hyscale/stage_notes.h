#pragma once

#include <vector>

#include "engine/hybrid/stage_model.h"
#include "engine/methods/contract/iteration.h"
#include "engine/methods/hyscale/drivers.h"
#include "engine/methods/hyscale/plan.h"

namespace halo::hyscale {

/// The actors of a node with so many cards, as they are recorded, in the order of the stages. The runtime is
/// first. `cardsAre`: what links and trainers of cards run on; all the others are modelled if they are.
std::vector<ActorRow> actorRows(int cards, ActorDevice cardsAre);
std::int64_t numberOf(const Actor& actor, int cards);

/// What is known of a task besides when it ran.
struct NotedTask {
  const PlannedTask* planned = nullptr;  // nullptr: nothing is modelled
  std::int64_t plannedEndNs = 0;
  double nsPerSecond = 0;  // of modelled time, on the run's clock; 0: nothing is modelled
  double predictedSeconds = 0;
  std::int64_t bytes = 0;
};

/// Whether a task is one of a stage that is recorded: not what an actor does besides.
bool isStage(const Task& task);
/// The row of such a task; epoch and iteration are left to who knows them.
StageRow stageRow(std::int64_t actor, const Task& task, const TaskTimes& times, const NotedTask& noted);
/// The same as a span of the actor.
Span spanOf(const StageRow& row);

/// What the model says of the task's stage.
double predictedSeconds(const Task& task, const HybridTimes& predicted);

}  // namespace halo::hyscale
