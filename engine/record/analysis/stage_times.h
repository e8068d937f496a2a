#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/record/rows/hybrid_rows.h"

namespace halo {

/// What one stage took for a batch. Stages are served by actors side by side, so the slowest of them counts.
/// Times are ns of modelled time. Of what is measured on the host alone, they are ns of the run's clock.
struct StageTime {
  std::int64_t epoch = 0, iteration = 0;
  std::optional<std::int64_t> predictedNs, plannedNs;
  std::int64_t measuredNs = 0;  // modelled_ns where there is one, else busy_ns
  std::int64_t waitNs = 0;      // on the run's clock: of all its actors together
};

/// A stage over the batches that were recorded. Medians as middle ranks: of an even number the mean of two.
struct StageSeries {
  BatchStage stage = BatchStage::sample;
  std::vector<StageTime> batches;                // in order
  std::optional<double> predictedNs, plannedNs;  // medians; none: of no batch known
  double measuredNs = 0;
};

/// By stage, in its order; those that occur. rows: as the recording gives them, by epoch and iteration.
std::vector<StageSeries> stagesOver(std::span<const StageRow> rows);
/// The same of what one actor did.
std::vector<StageSeries> stagesOver(std::span<const StageRow> rows, std::int64_t actor);

/// How many batches wait before a stage from `ns` on, on the run's clock, until the next step.
struct QueueStep {
  std::int64_t ns = 0, queued = 0;
  bool operator==(const QueueStep&) const = default;
};
struct QueueLine {
  BatchStage stage = BatchStage::sample;
  std::int64_t actor = 0;
  std::vector<QueueStep> steps;  // by time; steps that change nothing are left out
};

/// What waits for each actor of a stage, by stage and actor: a line to draw beneath its lane.
std::vector<QueueLine> queuesOver(std::span<const StageRow> rows);

}  // namespace halo
