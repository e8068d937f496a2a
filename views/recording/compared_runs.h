#pragma once

#include <QStringList>
#include <optional>
#include <span>

#include "views/recording/run_data.h"

namespace halo {

/// Where the figures of a run come from, by its kind and marks.
enum class Origin { measured, simulated, extrapolated };
Origin originOf(const RunRow& run);
const char* text(Origin origin);

/// Of the run, where it is recorded and a number.
std::optional<double> metricOf(const RunsData& data, const RunRow& run, const char* name);

/// As engine/record/analysis/pairing.h has it.
std::optional<std::int64_t> trainingWorkers(const RunsData& data, const RunRow& run);

/// Those that RunsData has of the run.
const std::map<std::string, std::string>& parametersOf(const RunsData& data, const RunRow& run);

/// In what the runs differ though it is not what they are compared for, in one sentence; empty: in nothing.
QString unlikeSentence(const RunsData& data, const std::vector<const RunRow*>& runs);

/// With what says which others it may stand beside. Outlives neither.
PairedRun paired(const RunsData& data, const RunRow& run);

/// The completed ones of `chosen`, by id; empty: of all.
std::vector<const RunRow*> completedRuns(const RunsData& data, std::span<const std::int64_t> chosen);

/// What tells runs of one method apart in their names: "overlap=none", "partition.method=random", without
/// workers, seeds, and what stands elsewhere.
QStringList variation(const RunRow& run, const RunsData& data);

/// What a simulation of training is on, or which run it replays; empty for a run.
QString machineOf(const RunRow& run, const RunsData& data);

/// "vanilla ×4".
QString methodAndWorkers(const RunsData& data, const RunRow& run);

/// Median epoch times of one method, as its runs were varied, on one data set and model.
struct ScalingLine {
  QString method;   // "vanilla, overlap=none"; with data set and model where the runs differ in them
  QString machine;  // that is simulated; of replays the link
  QString base;     // data set and model with their settings, and machine: what may be compared
  Origin origin = Origin::measured;
  bool replayed = false;                 // simulations of recorded runs' own work and messages
  std::vector<double> workers, seconds;  // by workers
  std::vector<double> speedups;          // over one worker, as simulations have them; else not a number
  std::vector<std::vector<const RunRow*>> runs;  // behind each
};

/// Of completed runs that train and have epoch times. Where a file was run again the last of its runs count.
/// For one line and number of workers these are the runs of the youngest experiment, of which the median
/// counts. By name, then origin.
std::vector<ScalingLine> scalingLines(const RunsData& data, std::span<const std::int64_t> chosen);

/// A training run and a simulation of it (engine/record/analysis/pairing.h).
struct SimulatedPair {
  const RunRow* measured = nullptr;
  const RunRow* simulated = nullptr;
  const char* measuredEpoch =
      nullptr;  // the measured figure beside the simulation's, as engine/record/analysis/pairing.h
};

/// Each simulation of training with the youngest training run that it is of, by the simulation's id.
std::vector<SimulatedPair> simulatedPairs(const RunsData& data, std::span<const std::int64_t> chosen);

}  // namespace halo
