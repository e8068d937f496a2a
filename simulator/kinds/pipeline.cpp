// [[simulate]] pipeline: sparse devices aggregate while dense devices update, batch by batch (MixGCN
// 3.2.2).
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <optional>

#include "engine/base/index.h"
#include "engine/base/whole_number.h"
#include "simulator/device/device_simulation.h"
#include "simulator/kinds/kind_parts.h"
#include "simulator/pipeline/paired_devices.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kMostStages = 100'000;

constexpr std::string_view kOrderings[] = {"none", "rcm"};
constexpr std::string_view kDependences[] = {"exact", "band", "all"};
constexpr Parameter kParameters[] = {
    {"pipeline.sparse", "device that aggregates, or a device file", Text{"spu"}},
    {"pipeline.dense", "device that updates, or a device file; empty: pipeline.dense_gmacs", Text{""}},
    {"pipeline.dense_gmacs", "multiply-adds of a dense device where none is named, 10^9 a second",
     Real{33'500, 1e-3, 1e9}},
    {"pipeline.stages", "batches of a phase; auto: the fewest that Proposition 3.5 asks for, or the shortest",
     Text{"auto", true}},
    {"pipeline.ordering", "of the vertices: as they are, or reverse Cuthill-McKee",
     Choice{"rcm", kOrderings}},
    {"pipeline.dependence",
     "what of the phase before a batch waits for: what it refers to, all within the bandwidth, or everything",
     Choice{"exact", kDependences}},
    {"pipeline.link", "between the devices: none takes no time, or a preset, or a table as cluster.link",
     Text{"none"}},
    {"pipeline.state_buffers", "of the vertices' state; with 1, updates go in its place", Integer{2, 1, 2}},
    {"pipeline.aggregated_batches", "that may wait for their update; 0: as many as there are",
     Integer{0, 0, kMostStages}},
    {"pipeline.overhead_us", "of a batch on either device", Real{0, 0, 1e6}},
    {"pipeline.units",
     "devices in all, divided into sparse and dense ones so that neither waits; 0: slices of each",
     Integer{0, 0, 65'536}},
    kSlices,
    kWorkload,
    kLevel,
    kGraph,
    kTiling,
    kBand,
    kLocality,
    kReplicaScale,
};
constexpr std::string_view kSections[] = {"dataset", "model"};

std::vector<FigureKey> figures(const std::filesystem::path& resources) {
  return {acceleratorKey("pipeline.sparse", "sparse", resources),
          acceleratorKey("pipeline.dense", "dense", resources)};
}

/// "auto" is 0; nothing where the text is no number of batches.
std::optional<int> stagesOf(const std::string& text) {
  if (text == "auto") return 0;
  int stages = 0;
  if (!readWhole(text, stages) || stages < 1 || stages > kMostStages) return std::nullopt;
  return stages;
}

const FigureSet* setOf(const SimulateSettings& settings, const char* section) {
  const auto entry = settings.figures.find(section);
  return entry == settings.figures.end() ? nullptr : &entry->second;
}

std::vector<Problem> check(SimulateSettings& settings, const SimulationContext& context) {
  std::vector<Problem> problems = checkTiling(settings, context);
  for (Problem& problem : checkModel(settings)) problems.push_back(std::move(problem));
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  const Values& own = settings.own;
  if (!stagesOf(own.text("pipeline.stages")))
    wrong("pipeline.stages",
          fmt::format("'{}' cannot be used; auto, or a whole number from 1 to {} without leading zeros",
                      own.text("pipeline.stages"), kMostStages));
  if (own.integer("pipeline.units") == 1)
    wrong("pipeline.units", "1 cannot be used; at least 2, one that aggregates and one that updates");
  if (own.text("pipeline.ordering") == "none" && own.real("band") < 1)
    wrong("simulate.band", "is what an order reaches; pipeline.ordering is \"none\"");
  if (own.text("pipeline.sparse").empty()) wrong("pipeline.sparse", "is empty; a device that aggregates");
  if (const FigureSet* dense = setOf(settings, "dense"); dense != nullptr)
    if (const auto* entry = find<AcceleratorEntry>(dense->model); entry->updatePs == nullptr)
      wrong("pipeline.dense", fmt::format("'{}' only aggregates; a device that multiplies", dense->model));
  return problems;
}

DeviceSettings sparseOf(const SimulateSettings& settings) {
  return deviceSettings(settings, settings.figures.at("sparse"), settings.own.text("pipeline.sparse"));
}

std::vector<Problem> ofSparse(std::vector<Problem> problems) {
  for (Problem& problem : problems)
    if (problem.key.starts_with("device.")) problem.key = "sparse" + problem.key.substr(6);
  return problems;
}

std::vector<Problem> refusalsOf(const SimulateSettings& settings, const SimulationContext& context) {
  return ofSparse(refusals(sparseOf(settings), context.resources.library()));
}

std::vector<Problem> refuseCountsOf(const SimulateSettings& settings, const SimulationContext& context,
                                    const DatasetCounts& counts) {
  std::vector<Problem> problems = checkEdges(counts, "aggregate");
  if (!problems.empty()) return problems;
  return ofSparse(refusals(sparseOf(settings), context.resources.library(), counts));
}

PairedSettings pairedOf(const SimulateSettings& settings) {
  const Values& own = settings.own;
  const DeviceSettings sparse = sparseOf(settings);
  PairedSettings paired;
  paired.sparse = sparse.accelerator;
  paired.sparseFigures = sparse.figures;
  if (const FigureSet* dense = setOf(settings, "dense"); dense != nullptr) {
    paired.dense = dense->model;
    paired.denseFigures = dense->figures;
  }
  paired.denseGmacs = own.real("pipeline.dense_gmacs");
  paired.slices = sparse.slices;
  paired.units = own.integer("pipeline.units");
  paired.model = settings.run.model;
  paired.training = sparse.workload == "training";
  paired.level = levelOf(sparse.level);
  paired.ordered = own.text("pipeline.ordering") == "rcm";
  const std::string& dependence = own.text("pipeline.dependence");
  paired.dependence = dependence == "all"    ? PipelineDependence::all
                      : dependence == "band" ? PipelineDependence::band
                                             : PipelineDependence::exact;
  paired.stages = *stagesOf(own.text("pipeline.stages"));
  paired.link = settings.run.cluster.link;
  paired.stateBuffers = static_cast<int>(own.integer("pipeline.state_buffers"));
  paired.aggregatedBatches = static_cast<int>(own.integer("pipeline.aggregated_batches"));
  paired.overheadUs = own.real("pipeline.overhead_us");
  return paired;
}

double secondsOf(std::int64_t ps) { return static_cast<double>(ps) * 1e-12; }
double over(double a, double b) { return b > 0 ? a / b : 1; }

std::map<std::string, double> metricsOf(const PairedSettings& settings, const PairedResult& result) {
  const PipelineTimes& times = result.times;
  const auto makespan = static_cast<double>(times.makespanPs);
  const auto idle = [&](PipelineUnit unit) {
    return makespan > 0 ? 1 - static_cast<double>(times.timesOf(unit).busyPs) / makespan : 0;
  };
  std::map<std::string, double> metrics = {
      {"simulated_seconds", secondsOf(times.makespanPs)},
      {"sequential_seconds", secondsOf(result.sequentialPs)},
      {"unordered_seconds", secondsOf(result.unorderedPs)},
      {"pipeline_gain", over(static_cast<double>(result.sequentialPs), makespan)},
      {"ordering_gain", over(static_cast<double>(result.unorderedPs), makespan)},
      {"stages", static_cast<double>(result.stages)},
      {"proposition_stages", static_cast<double>(result.propositionStages)},
      {"bandwidth", static_cast<double>(result.bandwidth)},
      {"bandwidth_share", over(static_cast<double>(result.bandwidth), static_cast<double>(result.vertices))},
      {"pipeline_balance", result.balance},
      {"pipeline_idle_share", times.idleness()},
      {"aggregators_idle", idle(PipelineUnit::sparse)},
      {"updaters_idle", idle(PipelineUnit::dense)},
      {"sparse_devices", static_cast<double>(result.sparseDevices)},
      {"dense_devices", static_cast<double>(result.denseDevices)},
  };
  if (!settings.link.emulated()) {  // both know two resources
    metrics["ordering_gain_by_law"] = result.lawGain;
    metrics["most_ordering_gain"] = result.mostGain;
  }
  if (settings.training) metrics["epoch_seconds"] = metrics["simulated_seconds"];
  return metrics;
}

std::map<std::string, std::string> foundParameters(const PairedSettings& settings, const SourceGraph& source,
                                                   const PairedResult& result) {
  std::map<std::string, std::string> all = {
      {"result.level", std::string(text(settings.level))},
      {"result.tiling", source.tiling},
      {"result.vertices", std::to_string(source.vertices)},
      {"result.nonzeros", std::to_string(source.nonzeros)},
      {"result.features", std::to_string(source.features)},
      {"result.cut_vertices", std::to_string(result.vertices)},
      {"result.overlaps_phases", result.stages >= result.propositionStages ? "true" : "false"},
  };
  if (const auto& idle = result.times.firstIdle)
    all["result.first_idle"] =
        fmt::format("{} before batch {} of phase {}, {:.6g} s, {}", kPipelineUnits[at(idle->unit)],
                    idle->batch, idle->phase, secondsOf(idle->ps), kIdleCauses[at(idle->cause)]);
  for (std::size_t p = 0; p < result.phases.size(); ++p) {
    const PairedPhase& phase = result.phases[p];
    const std::string name = fmt::format("result.phase_{}_", p);
    all[name + "layer"] = fmt::format("{} {}", text(phase.direction), phase.layer);
    all[name + "aggregate_seconds"] = toText(Value(secondsOf(phase.aggregatePs)));
    all[name + "update_seconds"] = toText(Value(secondsOf(phase.updatePs)));
  }
  if (settings.dense.empty()) {
    all["factor.dense_gmacs"] = toText(Value(settings.denseGmacs));
    all["factor.dense_gmacs.source"] = "assumed: no dense device is named";
  }
  addFactors(result.factors, "factor.sparse.", all);
  return all;
}

Name nameOf(std::optional<IdleCause> cause) {
  constexpr Name kWaits[] = {Name::awaitDependency, Name::awaitBuffer, Name::awaitLink};
  static_assert(std::size(kWaits) == kIdleCauses.size());
  return cause ? kWaits[at(*cause)] : Name::awaitFill;
}

std::vector<SimulatedLane> lanesOf(const PairedSettings& settings, const SourceGraph& source,
                                   const PairedResult& result) {
  constexpr Name kNames[] = {Name::aggregate, Name::update, Name::send, Name::send};
  const auto ns = [](std::int64_t ps) { return std::llround(static_cast<double>(ps) * 1e-3); };
  std::vector<SimulatedLane> lanes;
  const std::size_t units = settings.link.emulated() ? 4 : 2;
  for (std::size_t u = 0; u < units; ++u) {
    WorkerRow row;
    const std::string device = u == 0 ? settings.sparse : u == 1 ? settings.dense : "";
    row.role = "pipeline: " + std::string(kPipelineUnits[u]) + (device.empty() ? "" : " (" + device + ")");
    row.vertices = source.vertices;
    row.nonzeros = source.nonzeros;
    lanes.push_back({row, {}});
  }
  const auto add = [&](const auto& from, Name name, Kind kind) {
    const auto unit = at(from.unit);
    const PairedPhase& phase = result.phases[at(from.phase)];
    Span span;
    span.beginNs = ns(from.beginPs);
    span.durationNs = ns(from.endPs) - span.beginNs;
    span.epoch = 0;
    span.layer = static_cast<std::int16_t>(phase.layer);
    span.name = name;
    span.kind = kind;
    span.pass = phase.direction;
    if (span.durationNs > 0 && unit < units) lanes[unit].spans.push_back(span);
  };
  for (const PipelineSpan& from : result.times.spans) {
    const auto unit = at(from.unit);
    add(from, kNames[unit], unit < 2 ? Kind::compute : Kind::communication);
  }
  for (const PipelineWait& from : result.times.waits) add(from, nameOf(from.cause), Kind::idle);
  return lanes;
}

/// What each unit did: busy, waiting by cause, before its first batch and after its last.
std::string countsOf(const PairedResult& result) {
  std::string text = "unit,what,cause,seconds\n";
  for (std::size_t u = 0; u < kPipelineUnits.size(); ++u) {
    const UnitTimes& unit = result.times.units[u];
    const auto line = [&](const char* activity, std::string_view cause, std::int64_t ps) {
      text += fmt::format("{},{},{},{:.12g}\n", kPipelineUnits[u], activity, cause, secondsOf(ps));
    };
    line("fill", "", unit.fillPs);
    line("busy", "", unit.busyPs);
    for (std::size_t c = 0; c < kIdleCauses.size(); ++c) line("idle", kIdleCauses[c], unit.idlePs[c]);
    line("drain", "", unit.drainPs);
  }
  return text;
}

SimulationOutcome run(const SimulateSettings& settings, const SimulationContext& context,
                      const Progress& progress) {
  const Library& library = context.resources.library();
  const DeviceSettings sparse = sparseOf(settings);
  SourceGraph source = sourceGraph(graphRequest(sparse), library, progress);
  refuseWidths(sparse, library, {source.features, source.classes});
  const PairedSettings paired = pairedOf(settings);
  const PairedResult result = simulatePaired(paired, source, library, progress);
  SimulationOutcome outcome;
  outcome.marks = source.marks;
  if (paired.dense.empty()) outcome.marks.emplace_back("assumed dense rate");
  outcome.metrics = metricsOf(paired, result);
  outcome.parameters = foundParameters(paired, source, result);
  outcome.lanes = lanesOf(paired, source, result);
  outcome.artifacts.push_back({"counts", "text/csv", countsOf(result)});
  return outcome;
}

std::vector<Metric> recorded() {
  using Unit = Metric::Unit;
  return {
      {"simulated_seconds", "simulated: time", Unit::seconds, "the makespan of the pipeline"},
      {"sequential_seconds", "simulated: without overlap", Unit::seconds,
       "time with one batch a phase, so without overlap"},
      {"unordered_seconds", "simulated: every batch waiting for the whole phase before", Unit::seconds,
       "time of the same batches, each waiting for the whole phase before"},
      {"pipeline_gain", "gain of the pipeline over no overlap", Unit::plain,
       "`sequential_seconds` ÷ `simulated_seconds`"},
      {"ordering_gain", "gain of the order over none", Unit::plain,
       "`unordered_seconds` ÷ `simulated_seconds`"},
      {"ordering_gain_by_law", "  with batches all alike", Unit::plain,
       "`ordering_gain` by the law of pipelines, with batches that are all alike; recorded where no link is "
       "emulated"},
      {"most_ordering_gain", "  at most, whatever the order leaves to wait for", Unit::plain,
       "largest `ordering_gain` that any order has with batches as long as they are; recorded where no link "
       "is emulated"},
      {"proposition_stages", "stages that Proposition 3.5 asks for", Unit::plain,
       "batches of a phase that Proposition 3.5 asks for: ⌈2n ÷ (n - b)⌉, b the bandwidth of the order"},
      {"bandwidth_share", "bandwidth over vertices", Unit::plain, "`bandwidth` ÷ vertices"},
      {"pipeline_balance", "aggregation and update, shorter over longer", Unit::plain,
       "aggregation and update of all phases, the shorter ÷ the longer"},
      {"pipeline_idle_share", "slower device, share of its time idle in between", Unit::plain,
       "share of the time between its first and last batch in which the slower device is idle"},
      {"sparse_devices", "devices that aggregate", Unit::plain, "how many devices aggregate"},
      {"dense_devices", "devices that update", Unit::plain, "how many devices update"},
  };
}

const Registered<SimulationEntry> self{
    {.declaration = {"pipeline", "sparse and dense devices side by side, batch by batch", "MixGCN 3.2.2",
                     kParameters},
     .sections = kSections,
     .figures = figures,
     .depends = dependsOnGraph,
     .check = check,
     .refusals = refusalsOf,
     .refuseCounts = refuseCountsOf,
     .run = run,
     .metrics = recorded()}};

}  // namespace
}  // namespace halo::sim
