#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/dataset_counts.h"
#include "engine/base/registry.h"
#include "engine/experiment/experiment.h"
#include "engine/record/database/database.h"
#include "engine/record/rows/batch_rows.h"
#include "engine/record/rows/metric.h"
#include "engine/record/rows/rows.h"
#include "simulator/device/library.h"

namespace halo::sim {

/// The folder resources/ and what is read of it, when it is first asked for.
class Resources {
 public:
  explicit Resources(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  /// Throws InputError, each time, where a file of it is damaged.
  const Library& library() const;
  /// Of the contents of the files that library() reads.
  const std::string& libraryDigest() const;

 private:
  std::filesystem::path folder_;
  mutable std::unique_ptr<Library> library_;
  mutable std::string digest_;
};

struct SimulationContext {
  const Resources& resources;
  Database* recording = nullptr;  // that is written to; nullptr while a file is only checked
};

/// A row of the timeline.
struct SimulatedLane {
  WorkerRow worker;  // without its rank, which is its place; role: "spu: adders"
  std::vector<Span> spans;
};

/// What a simulation found, as one recorder writes it. The mark "simulated" is understood.
struct SimulationOutcome {
  std::vector<std::string> marks;
  std::map<std::string, double> metrics;          // table `latest`, by the names of `haloscope compare`
  std::map<std::string, std::string> parameters;  // "result.level", "factor.…", "factor.….source"
  std::vector<ComponentRow> components;
  std::vector<SimulatedLane> lanes;
  std::vector<ArtifactRow> artifacts;
  // of mini-batches, on lanes that are actors' ranks
  std::vector<ActorRow> actors;
  BatchRows batches;
};

/// A kind of [[simulate]]; its file stands in simulator/kinds/ and registers one of these.
struct SimulationEntry {
  /// name: the key that selects it in a table. parameters: its keys; "pipeline.stages" is stages in the table
  /// `pipeline`. A key `link`, or one that ends so, is none, a preset or a table, as cluster.link is.
  Declaration declaration;
  std::span<const std::string_view> sections;  // of the file that it reads
  /// Its keys that name files of figures, and where these lie; declarations of their models included.
  std::vector<FigureKey> (*figures)(const std::filesystem::path& resources) = nullptr;
  bool ofMethods = false;  // `method` names a method, whose parameters are keys too
  /// Whether the result depends on a key of the sections; none: on all.
  bool (*depends)(const SimulateSettings& settings, const std::string& key) = nullptr;
  /// What the run list and --only call it by: an accelerator, a method; none: the kind.
  std::string (*method)(const SimulateSettings& settings) = nullptr;
  /// What is wrong with values by themselves or together, whatever else is; may set settings.library. None:
  /// nothing. Problems' keys: "simulate.KEY", "pipeline.KEY", "device.KEY".
  std::vector<Problem> (*check)(SimulateSettings& settings, const SimulationContext& context) = nullptr;
  /// Why this simulation cannot be done, as far as that is known without reading a data set.
  std::vector<Problem> (*refusals)(const SimulateSettings& settings,
                                   const SimulationContext& context) = nullptr;
  /// Why it cannot be done, once the data set's counts are known; none: they are fine. Not asked of published
  /// figures.
  std::vector<Problem> (*refuseCounts)(const SimulateSettings& settings, const SimulationContext& context,
                                       const DatasetCounts& counts) = nullptr;
  /// Puts what the recording says in the place of words that depend on it ("last"), so that the fingerprint
  /// is of what is done. False where it depends on training runs that are still to come. Throws InputError
  /// where the recording has not what the settings name. None: nothing depends on a recording.
  bool (*resolve)(SimulateSettings& settings, Database& recording, bool runsToCome) = nullptr;
  /// Does it: the same for any number of threads. Throws InputError, DamagedInput, what `progress` throws
  /// (somebody wants to stop; asked often enough to be answered within a second or so).
  SimulationOutcome (*run)(const SimulateSettings& settings, const SimulationContext& context,
                           const Progress& progress) = nullptr;
  /// The figures that it records beside those that runs have too, in the order of reports.
  std::vector<Metric> metrics = {};
};

/// The kinds that are registered, as the parser takes them.
std::vector<SimulationKind> simulationKinds(const std::shared_ptr<const Resources>& resources);

/// What the run list and --only call a simulation by.
std::string methodOf(const SimulateSettings& settings);

/// What is wrong once the data set is at hand, by the places of the keys. Its counts are looked up; where
/// nobody knows them, the data set is loaded. A data set that cannot be read is left to runSimulation, which
/// tells why.
std::vector<Problem> refuseByCounts(const SimulateSettings& settings, const SimulationContext& context);

/// Whether the simulation is of something in the recording.
bool isOfRecording(const SimulateSettings& settings);
/// Settles what depends on the recording, before fingerprint() says anything; false where that is not there
/// yet, as training runs are to come. Throws InputError where it will not be.
bool resolve(SimulateSettings& settings, Database& recording, bool runsToCome = false);

/// Runs a simulation of any kind, resolved.
SimulationOutcome runSimulation(const SimulateSettings& settings, const SimulationContext& context,
                                const Progress& progress = {});

}  // namespace halo::sim
