#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/comparison/configuration.h"
#include "engine/record/comparison/part_table.h"
#include "engine/record/comparison/scope.h"
#include "engine/record/comparison/span_totals.h"
#include "engine/record/comparison/time_parts.h"
#include "engine/record/comparison/traffic.h"
#include "engine/record/comparison/waits.h"

namespace halo {

struct Comparison;

/// One run with what is read of it once.
struct ReadRun {
  RunRow row;
  std::int64_t ranks = 0;  // that train; 0: a simulated device, whose lanes are no workers
  std::vector<EpochRow> epochs, inScope;
  std::map<std::int64_t, std::int64_t> bytes;  // sent by all ranks in each epoch
  std::vector<LayerRow> layers;
  std::optional<RunParts> bySpans, byRows;
  RunSpans spans;
  RunWaits waits;
  RunTraffic traffic;
  std::vector<WorkerRow> workers;
  std::vector<RankTimes> times;  // of each rank that trains
};
using ReadRuns = std::vector<ReadRun>;

/// What an epoch takes by a simulation; none of another run, or of what has no epochs.
std::optional<double> modelledEpochNs(Database& recording, const RunRow& run);

/// The runs of a configuration that recorded epochs. Of one without an epoch in scope, which
/// `comparison.notes` tells, only scores, bytes and layers are read. A run with a damaged block of spans is
/// as one without spans, for what the other blocks hold is not all of its time. Its damage is told in `notes`
/// and `damages`. Cost: reads every span once, if any.
ReadRuns readRuns(const Configuration& configuration, const Scope& scope, bool withSpans,
                  Comparison& comparison);

}  // namespace halo
