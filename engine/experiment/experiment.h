#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "datasets/graph/dataset.h"
#include "engine/base/declaration.h"
#include "engine/base/problem.h"

namespace halo {

struct ModelSettings {
  std::string kind = "gcn";
  std::int64_t layers = 2, hidden = 16;
  double dropout = 0.0;
  std::string norm = "none";   // none | layer
  std::string order = "auto";  // aggregate-first | update-first | auto
  bool learnEpsilon = false;
  std::string dropoutPosition = "before-aggregation";  // before-aggregation | after-aggregation
  bool dropsAggregate() const { return dropoutPosition == "after-aggregation"; }
  std::int64_t heads = 8;
};

struct TrainingSettings {
  std::int64_t epochs = 200;
  std::string optimizer = "adam";
  double learningRate = 0.01, weightDecay = 0.0;
  std::string loss = "auto";
  std::uint64_t seed = 1;
  std::int64_t evaluateEvery = 1;
  std::string initialWeights;  // resolved against the experiment file's folder
  std::int64_t repeat = 1;
};

/// An emulated interconnect; off when bandwidth is 0. Staging 0: messages need no copies between a device and
/// its host. Ranks per host 0: each rank has a card of its own (per = "rank").
struct LinkSettings {
  std::string name = "none";
  double bandwidthGbit = 0, latencyUs = 0, stagingGbit = 0;
  std::int64_t ranksPerHost = 0;
  bool emulated() const { return bandwidthGbit > 0; }
};

struct ClusterSettings {
  std::int64_t workers = 1, threads = 1;  // threads 0: cores / ranks on that host
  std::string launcher = "local";
  std::vector<std::string> hosts;
  LinkSettings link;
  std::int64_t silenceS = 900;  // of one rank, s; 0: for ever
  LinkSettings wire = {};       // what the real network between hosts carries; for reports and checks alone
};

struct PartitionSettings {
  std::string method = "metis";
  double imbalance = 0.03;
  Values parameters;  // what the partitioner itself declares
};

/// So many that a run records no more than some tens of thousands.
inline constexpr std::int64_t kAutoStep = -1;

struct RecordSettings {
  std::int64_t spansEvery = 1;  // 1: all, 0: none, N: every N-th epoch
  std::int64_t iterationsEvery = kAutoStep;
  std::int64_t staleness = 10;
  std::int64_t checkpointS = 60;  // seconds between checkpoints; 0: none
};

/// One run, fully resolved: nothing left to look up.
struct RunSettings {
  std::string name;  // "PipeGCN against vanilla / vanilla / workers=4"
  std::string method = "vanilla";
  Values parameters;  // the method's own
  DatasetRequest dataset;
  ModelSettings model;
  TrainingSettings training;
  ClusterSettings cluster;
  PartitionSettings partition;
  RecordSettings record;
  /// Every resolved key, dotted, as the file would write it: what table `parameter` holds.
  std::map<std::string, std::string> flat() const;
  /// Hex digest of flat() without what does not change results (name, record.*): what --resume goes by.
  std::string fingerprint() const;
};

/// What a file of figures says (a device, a platform), with what an experiment puts in its place.
struct FigureSet {
  std::string file;                            // where they stand
  std::string model;                           // what they are figures of: the name of an accelerator
  Values figures;                              // every parameter of that model
  std::map<std::string, std::string> sources;  // of each figure: where it comes from
};

/// One [[simulate]], fully resolved.
struct SimulateSettings {
  std::string name;                          // "Table 3 / spu / graph=orkut"
  std::string kind;                          // device | pipeline | …: the key that selects it
  Values own;                                // every key that the kind declares: "slices", "pipeline.stages"
  std::map<std::string, FigureSet> figures;  // by the section that overrides them: "device"
  /// What the sections say that the kind reads, and of a kind of methods the method with its parameters. The
  /// link that `link` names is cluster.link.
  RunSettings run;
  std::map<std::string, std::string>
      sections;         // of these the keys that it depends on, as in RunSettings::flat
  std::string library;  // digest of the files of resources/ that it depends on
  /// Where keys stand in the file, by the names that problems have ("simulate.replay"); "": the table. No
  /// part of what is simulated.
  std::map<std::string, Problem> places;
  /// The problem where its key stands; one of a file of its own stays there.
  Problem placed(Problem problem) const;
  /// Every resolved key, dotted, as the file would write it: what table `parameter` holds.
  std::map<std::string, std::string> flat() const;
  /// Hex digest of flat(): what --resume goes by.
  std::string fingerprint() const;
};

struct Experiment {
  std::filesystem::path file;
  std::string name, notes, text;
  std::vector<std::string> tags;
  std::vector<RunSettings> runs;              // every [[run]] × [sweep] × repeat, in order of the file
  std::vector<SimulateSettings> simulations;  // every [[simulate]] × [sweep]
};

/// A key of [[simulate]] that names a file of figures with their sources, and the section whose keys replace
/// them.
struct FigureKey {
  std::string key;                  // of the kind: "device", "pipeline.sparse"; empty value: no figures
  std::string section;              // "device": device.hbm_gbps = 512
  std::string what;                 // as messages call it: "device"
  std::string header;               // the key of the file that says what they are figures of: "accelerator"
  std::filesystem::path folder;     // where NAME.toml of a file without a path lies
  std::vector<Declaration> models;  // what they may be figures of
};

/// A kind of [[simulate]], told by the program that can run it.
struct SimulationKind {
  /// name: the key that selects it. parameters: its keys; "pipeline.stages" is stages in the table
  /// `pipeline`.
  Declaration declaration;
  std::vector<std::string> sections;  // of the file that it reads
  std::vector<FigureKey> figures;
  bool ofMethods = false;  // `method` names a method, whose parameters are keys too
  /// Whether a simulation depends on a key of the sections; none: on all.
  std::function<bool(const SimulateSettings&, const std::string& key)> depends;
  /// Fills in what only the program knows (the library's digest). What is wrong with values by themselves or
  /// together, by the key that is: also told beside other problems.
  std::function<std::vector<Problem>(SimulateSettings&)> complete;
  /// Why the simulation cannot be done, by the key that is wrong; asked once nothing else is.
  std::function<std::vector<Problem>(const SimulateSettings&)> refusals;
};

/// What may be named in an experiment file; filled by the program from the registries.
struct Known {
  std::vector<Declaration> methods, partitioners, layers;
  std::map<std::string, LinkSettings> links;        // resources/links.toml
  std::vector<SimulationKind> simulations;          // of [[simulate]]
  std::vector<std::string> metrics;                 // of [[published]]; none: any may be named
  std::vector<std::string> oneWorker = {"single"};  // methods that train on exactly one worker
  /// Methods whose runs have so many workers where cluster.workers is not given; others one.
  std::map<std::string, std::int64_t> fewestWorkers;
  /// Why the run's method cannot do the run, by the key that is wrong; none: whatever is declared can be run.
  std::function<std::vector<Problem>(const RunSettings&)> refusals;
  /// Makes runs alike in what nobody said (`fair = true`); what they do not allow, by the key `fair`.
  std::function<std::vector<Problem>(std::vector<RunSettings>&)> makeAlike;
  bool filesMustExist = false;  // refuse files that are not there: who is about to run, on this machine
};

/// One assignment of the command line: --set training.epochs=10.
struct Override {
  std::string key, value;
};

/// What `declaration` has, with the values that are `set` by its own keys (--set largest=1.5). Throws
/// InputError with every problem at once. A key that only `others` have is told to be theirs.
Values parametersOf(const Declaration& declaration, const std::vector<Override>& set,
                    const std::vector<Declaration>& others = {});

/// Reads, checks and expands an experiment file. Throws InputError with every problem at once.
Experiment readExperiment(const std::filesystem::path& file, const Known& known,
                          const std::vector<Override>& set = {});
/// The same for text (the desktop's form); `file` names it in messages.
Experiment parseExperiment(const std::string& text, const std::filesystem::path& file, const Known& known,
                           const std::vector<Override>& set = {});

/// Why this training.loss cannot be used on this data set; "" if it can.
std::string lossMismatch(const std::string& loss, bool multiLabel, const std::string& dataset);

/// Every section of the file with its keys, as one declaration a section ("dataset", "model", "training",
/// "cluster", "partition", "record"). The parser, the help, the form and the manual read these.
const std::vector<Declaration>& sections();

std::map<std::string, LinkSettings> readLinks(const std::filesystem::path& file);

/// The resolved run as JSON text and back: how the supervisor hands it to the worker. Loses nothing.
std::string toJson(const RunSettings& run);
RunSettings runFromJson(const std::string& text);

}  // namespace halo
