#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/record/rows.h"

namespace halo {

/// Workers that train; nothing where a simulation is not of such: a device's rows are its engines.
/// metrics: those of table `latest`.
std::optional<std::int64_t> trainingWorkers(const RunRow& run, const std::map<std::string, double>& metrics);

/// A run with what says which others it may stand beside. parameters: those of kPairingSections at least.
struct PairedRun {
  const RunRow& run;
  const std::map<std::string, std::string>& parameters;
  std::optional<std::int64_t> workers;  // as trainingWorkers
};

/// Where the keys stand that isSimulationOf goes by.
inline constexpr std::array<std::string_view, 9> kPairingSections = {
    "dataset", "model", "run", "simulate", "result", "partition", "training", "cluster", "machine"};

/// Whether two are of one data set: of one name in the rows, or of one file or folder as both record it at
/// "dataset.name" (simulations recorded before it was mended have a whole path in the row).
bool onOneDataset(const RunRow& a, const std::map<std::string, std::string>& ofA, const RunRow& b,
                  const std::map<std::string, std::string>& ofB);

/// Whether a simulation is of what a run did, the one rule for all tables and figures. A replay is of the run
/// that it names, by number and fingerprint. Others are of one method, data set, model and number of workers
/// as the rows say, and of equal `model.*`, `dataset.*`, `partition.*`, seed and parameters of the method
/// where both record them; one of published figures is of the whole data set; one of several workers on an
/// emulated link (machines emulated-…) is of a run with the same link.
bool isSimulationOf(const PairedRun& simulated, const PairedRun& measured);

/// The measured figure that a simulation's `epoch_seconds` is held against: the median epoch, and the mean
/// where the simulation is the mean of several that differ (`result.unlike_epochs`).
const std::string& measuredEpoch(const std::map<std::string, std::string>& simulated);

}  // namespace halo
