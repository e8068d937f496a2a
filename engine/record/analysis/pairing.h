#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/record/rows/rows.h"

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

/// Whether two are of one data set. They have one name in the rows, or one file or folder as both record it
/// at "dataset.name". Simulations recorded before the name was mended have a whole path in the row.
bool onOneDataset(const RunRow& a, const std::map<std::string, std::string>& ofA, const RunRow& b,
                  const std::map<std::string, std::string>& ofB);

/// Whether a simulation is of what a run did, the one rule for all tables and figures. A replay is of the run
/// that it names, by number and fingerprint. Others are of one method, data set, model and number of workers
/// as the rows say. They also have equal `model.*`, `dataset.*`, `partition.*`, seed and parameters of the
/// method where both record them. A simulation of published figures is of the whole data set. One of several
/// workers on an emulated link (machines emulated-…) is of a run with the same link.
bool isSimulationOf(const PairedRun& simulated, const PairedRun& measured);

/// The measured figure that a simulation's `epoch_seconds` is held against: the median epoch. It is the mean
/// where the simulation is the mean of several epochs that differ (`result.unlike_epochs`).
const std::string& measuredEpoch(const std::map<std::string, std::string>& simulated);

/// Whether a simulation's machine is a link that runs can be emulated with; a replay is none.
bool simulatesLink(const std::map<std::string, std::string>& simulated);

/// What decides how a run trains, wherever its ranks are: `run.*`, `model.*`, `dataset.*`, `partition.*` and
/// `training.*`.
std::map<std::string, std::string> trainingSettings(const std::map<std::string, std::string>& parameters);

/// Gbit/s of the network that a run was on: of its emulated link, or what `cluster.wire` says of real hosts.
struct RunsNetwork {
  double gbit = 0;
  bool emulated = false;
  std::int64_t ranksAHost = 1;
};
/// None where neither is recorded, there is one worker, or hosts have unlike numbers of ranks.
std::optional<RunsNetwork> networkOf(const PairedRun& run);

/// An emulated link stands for a network whose bandwidth differs by no more than this share of it.
inline constexpr double kEmulatedWithin = 0.1;

/// By what share the bandwidth of an emulated run's link differs from what the hosts' network of a measured
/// run carries. None where the one does not stand for the other. The bandwidths may differ by more than
/// kEmulatedWithin. Or the runs differ in method, data set, model, number of workers, ranks a host or
/// trainingSettings, as far as both record these.
std::optional<double> emulationGap(const PairedRun& emulated, const PairedRun& measured);

}  // namespace halo
