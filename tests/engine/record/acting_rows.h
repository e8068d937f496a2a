#pragma once

#include <optional>
#include <vector>

#include "engine/record/rows/batch_rows.h"
#include "engine/record/trace/span.h"

namespace halo::acting {

// Rows of a rank with actors, small and in agreement: B 100, two cards, 16 threads, dilation 2.

inline const std::vector<ActorRow> kActors = {
    {0, 0, "sample", ActorKind::sampler, ActorDevice::host},
    {1, 0, "load", ActorKind::loader, ActorDevice::host},
    {2, 0, "card 0: link", ActorKind::link, ActorDevice::modelled},
    {3, 0, "card 0: train", ActorKind::trainer, ActorDevice::modelled},
    {4, 0, "train", ActorKind::trainer, ActorDevice::host},
    {5, 0, "synchronise", ActorKind::synchroniser, ActorDevice::host}};

/// Seeds moved, threads moved and back, sampling moved, rest.
inline std::vector<DecisionRow> decisions() {
  using enum MappingAction;
  std::vector<DecisionRow> rows(5);
  for (std::int64_t i = 0; DecisionRow & row : rows) {
    row.decision = i, row.epoch = i / 2, row.iteration = i % 2;
    row.cpuSeeds = i == 0 ? 40 : 31, row.cardSeeds = i == 0 ? 30 : 35;
    row.sampleThreads = 6, row.loadThreads = i == 2 ? 4 : 5, row.trainThreads = i == 2 ? 6 : 5;
    row.cardSampleShare = i >= 3 ? 0.25 : 0;
    row.outcome = DecisionOutcome::kept;
    ++i;
  }
  const auto setAction = [&](std::size_t i, MappingAction action, MappingPart from, MappingPart to,
                             std::int64_t before, std::int64_t after) {
    rows[i].action = action, rows[i].takenFrom = from, rows[i].givenTo = to;
    rows[i].beforeNs = before, rows[i].afterNs = after;
  };
  rows[0].afterNs = 1000;
  setAction(1, work, MappingPart::cpu, MappingPart::cards, 1000, 900);
  setAction(2, threads, MappingPart::load, MappingPart::train, 900, 899);
  rows[2].outcome = DecisionOutcome::undone;
  setAction(3, sampling, MappingPart::cpu, MappingPart::cards, 900, 700);
  rows[4].action = rest, rows[4].beforeNs = 700, rows[4].outcome = DecisionOutcome::rest;
  return rows;
}

/// What the actors do for a batch whose iteration begins then: 0.5 ms each, stage after stage. The sampler
/// waits for room 1 us.
inline std::vector<StageRow> stagesOf(const IterationRow& iteration) {
  constexpr std::int64_t kBusyNs = 500'000;
  const auto row = [&](BatchStage stage, std::int64_t actor, std::int64_t waitNs = 0) {
    StageRow stageRow;
    stageRow.epoch = iteration.epoch, stageRow.iteration = iteration.iteration, stageRow.stage = stage,
    stageRow.actor = actor;
    stageRow.beginNs = iteration.beginNs + static_cast<std::int64_t>(stage) * kBusyNs;
    stageRow.busyNs = kBusyNs, stageRow.waitNs = waitNs;
    stageRow.modelledNs = stageRow.plannedNs = kBusyNs / 2, stageRow.predictedNs = kBusyNs / 4;
    stageRow.plannedEndNs = stageRow.beginNs + kBusyNs;
    stageRow.bytes = 100, stageRow.queued = static_cast<std::int64_t>(stage) == 1 ? iteration.iteration : 0;
    return stageRow;
  };
  return {row(BatchStage::sample, 0, 1000), row(BatchStage::load, 1),      row(BatchStage::transfer, 2),
          row(BatchStage::propagate, 3),    row(BatchStage::propagate, 4), row(BatchStage::synchronise, 5)};
}

/// The sampler's, of the batches of an epoch; it draws those of epoch 1 in epoch 0.
inline Span sampled(std::int64_t epoch) {
  Span span;
  span.beginNs = 5000 + epoch * 100, span.durationNs = 50 + epoch;
  span.epoch = static_cast<std::int32_t>(epoch);
  span.name = Name::sample;
  return span;
}

}  // namespace halo::acting
