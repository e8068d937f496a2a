// [[simulate]] cluster: one training epoch of a method on many workers of a cluster.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "engine/base/check.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/record/rows/layer_orders.h"
#include "engine/record/rows/resolved_keys.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/flows.h"
#include "simulator/cluster/machines/machine_figures.h"
#include "simulator/cluster/plans/degree_model.h"
#include "simulator/cluster/plans/model_shape.h"
#include "simulator/cluster/plans/pattern.h"
#include "simulator/cluster/plans/plan_choice.h"
#include "simulator/contract/simulation_kind.h"
#include "simulator/device/graph_source.h"
#include "simulator/kinds/cluster_outcome.h"
#include "simulator/kinds/kind_parts.h"

namespace halo::cluster {
namespace {

using sim::SimulationContext;
using sim::SimulationOutcome;

constexpr std::string_view kEngines[] = {"auto", "bulk", "events", "flows"};
constexpr std::string_view kPlans[] = {"auto", "counted", "summed", "expected", "fitted"};
constexpr Parameter kParameters[] = {
    {"cluster", "machine (`resources/clusters`), or a cluster file, relative to the experiment file",
     Text{""}},
    {"method", "training method (`haloscope methods`)", Text{"vanilla"}},
    {"workers", "ranks", Integer{8, 1, 1'000'000}},
    {"engine",
     "bulk: steps; events: a clock a rank; flows: links shared; auto: events where messages are kept",
     Choice{"auto", kEngines}},
    {"plan",
     "where figures come from: every message of a partition, sums of each rank, a random partition expected, "
     "or growth fitted; auto: by the number of workers",
     Choice{"auto", kPlans}},
    sim::kGraph,
    {"halo_rows", "that all workers get together, where that is published; 0: as the plan finds them",
     Integer{0, 0, 1'000'000'000'000'000}},
    {"draws", "iterations that are drawn of a method that trains on mini-batches", Integer{8, 1, 1'000'000}},
    kSensitivityParameter,
};
constexpr std::string_view kSections[] = {"dataset", "model", "training", "partition"};

const FigureSet& machineFigures(const SimulateSettings& settings) { return settings.figures.at("machine"); }

bool atHand(const SimulateSettings& settings) { return settings.own.text("graph").empty(); }

/// The run as a worker would get it.
RunSettings runOf(const SimulateSettings& settings) {
  RunSettings run = settings.run;
  run.cluster.workers = settings.own.integer("workers");
  if (!atHand(settings)) run.dataset.name.clear();  // no rule may go by the data set that is not used
  return run;
}

PlanSource planOf(const SimulateSettings& settings, const RunSettings& run) {
  const std::string& name = settings.own.text("plan");
  for (const PlanSource source :
       {PlanSource::counted, PlanSource::summed, PlanSource::expected, PlanSource::fitted})
    if (name == text(source)) return source;
  return chosenPlan(run, atHand(settings), static_cast<int>(run.cluster.workers));
}

std::vector<FigureKey> figures(const std::filesystem::path& resources) {
  return {{"cluster", "machine", "cluster", "cluster", resources / "clusters", {machineDeclaration()}}};
}

bool depends(const SimulateSettings& settings, const std::string& key) {
  if (key.starts_with("training.")) return key == "training.seed";
  if (key == "model.dropout") return false;
  if (key.starts_with("dataset.") || key.starts_with("partition.")) return atHand(settings);
  return true;
}

std::string method(const SimulateSettings& settings) { return settings.run.method; }

std::vector<Problem> check(SimulateSettings& settings, const SimulationContext& context) {
  std::vector<Problem> problems = sim::checkGraph(settings, context);
  for (Problem& problem : machineProblems(machineFigures(settings).figures))
    problems.push_back(std::move(problem));
  if (const double factor = settings.own.real("sensitivity"); factor > 0 && factor <= 1)
    problems.push_back(
        {.key = "simulate.sensitivity",
         .message = fmt::format("{} cannot be used; a factor above 1, or 0 where it is not asked", factor)});
  return problems;
}

/// Keys of runs as [[simulate]] has them.
std::string keyHere(const std::string& key) {
  if (key.starts_with("run.")) return "simulate." + key.substr(4);
  return key == "cluster.workers" || key == "workers" ? "simulate.workers" : key;
}

std::vector<Problem> engineProblems(const SimulateSettings& settings, const Machine& machine,
                                    PlanSource source, int ranks) {
  const std::string& engine = settings.own.text("engine");
  std::vector<Problem> problems;
  const auto wrong = [&](const std::string& message) {
    problems.push_back({.key = "simulate.engine", .message = message});
  };
  const bool clocks = engine == "events" || engine == "flows";
  const int most = engine == "flows" ? kFlowRanks : kPairwiseRanks;
  if (engine == "flows")
    for (const std::string& why : flowRefusals(machine)) wrong(why);
  if (clocks && ranks > most)
    wrong(fmt::format("'{}' follows every message, of at most {} workers, and there are {}; bulk", engine,
                      most, ranks));
  else if (clocks && source != PlanSource::counted)
    wrong(fmt::format(
        "'{}' follows every message, and a plan that is {} has sums of each worker only; bulk, or "
        "plan = \"counted\" on a data set",
        engine, text(source)));
  return problems;
}

/// What the method says of published widths; those of a data set it says when that is read.
std::vector<Problem> widthProblems(const MethodEntry& entry, const RunSettings& run,
                                   const SimulateSettings& settings, const SimulationContext& context) {
  if (atHand(settings) || entry.refuseData == nullptr) return {};
  const sim::GraphFigures& graph = context.resources.library().graphs.at(settings.own.text("graph"));
  const auto widths = sim::layerWidths(run.model, graph.features, graph.classes);
  const std::vector<Index> graphWidths(widths.begin(), widths.end());
  return entry.refuseData(run, {graphWidths});
}

bool exchangesHalo(const RunSettings& run, int ranks) {
  const ExchangeOrder order = styleOf(run, ranks).order;
  if (find<MethodEntry>(run.method)->sampled) return false;
  return order != ExchangeOrder::transposed && order != ExchangeOrder::broadcasts;
}

std::vector<Problem> refusalsOf(const SimulateSettings& settings, const SimulationContext& context) {
  const RunSettings run = runOf(settings);
  const int ranks = static_cast<int>(run.cluster.workers);
  const MethodEntry& entry = *find<MethodEntry>(run.method);
  std::vector<Problem> problems = refusals(entry, run);
  if (!entry.distributed && ranks > 1)
    problems.push_back({.key = "simulate.workers", .message = run.method + " trains on one worker"});
  const FigureSet& set = machineFigures(settings);
  const Machine machine = machineOf(settings.own.text("cluster"), set.figures, set.sources);
  for (Problem& problem : cluster::refusals(machine, ranks)) problems.push_back(std::move(problem));
  if (problems.empty()) problems = widthProblems(entry, run, settings, context);
  for (Problem& problem : problems) problem.key = keyHere(problem.key);
  if (!problems.empty()) return problems;
  const PlanSource source = planOf(settings, run);
  problems = planProblems(run, source, atHand(settings), ranks);
  for (Problem& problem : engineProblems(settings, machine, source, ranks))
    problems.push_back(std::move(problem));
  if (settings.own.integer("halo_rows") > 0 && source != PlanSource::expected)
    problems.push_back(
        {.key = "simulate.halo_rows",
         .message =
             fmt::format("stands for what a plan that is expected finds, and this one is {}", text(source))});
  if (settings.own.integer("halo_rows") > 0 && !exchangesHalo(run, ranks))
    problems.push_back({.key = "simulate.halo_rows",
                        .message = "'" + run.method + "' exchanges " +
                                   (entry.sampled ? "rows of batches" : "columns or whole blocks") +
                                   ", no halo rows; leave it out"});
  return problems;
}

std::vector<Problem> refuseCountsOf(const SimulateSettings&, const SimulationContext&,
                                    const DatasetCounts& counts) {
  return sim::checkEdges(counts, "aggregate");
}

/// The last graph that was asked for, and its pattern, kept for the next simulation of a sweep.
struct KeptGraph {
  std::string key;
  sim::SourceGraph source;
  ConsumerHistogram consumers;
  std::string kind;
  Csr propagation;
};

/// Everything of a data set that its simulations depend on.
std::string keyOf(const SimulateSettings& settings) {
  std::string key = settings.own.text("graph") + "\n" + settings.library + "\n";
  for (const auto& [name, value] : settings.sections)
    if (name.starts_with("dataset.")) key += name + "=" + value + "\n";
  return key;
}

ConsumerHistogram modelled(const sim::GraphFigures& figures) {
  return powerLawConsumers(figures.vertices, figures.arcs, figures.exponent, figures.maxDegree);
}

const KeptGraph& graphOf(const SimulateSettings& settings, const SimulationContext& context,
                         const halo::Progress& progress) {
  static std::unique_ptr<KeptGraph> cache;
  const std::string key = keyOf(settings);
  const sim::Library& library = context.resources.library();
  if (cache == nullptr || cache->key != key) {
    cache.reset();  // before another graph is made
    sim::GraphRequest request;
    request.graph = settings.own.text("graph");
    request.dataset = settings.run.dataset;
    auto graph = std::make_unique<KeptGraph>();
    graph->source = sim::sourceGraph(request, library, progress);
    graph->consumers =
        request.graph.empty() ? consumersOf(graph->source.arcs) : modelled(library.graphs.at(request.graph));
    graph->key = key;
    cache = std::move(graph);
  }
  const std::string& kind = settings.run.model.kind;
  if (cache->kind != kind && atHand(settings)) cache->propagation = patternOf(cache->source.arcs, kind);
  cache->kind = kind;
  return *cache;
}

ProjectedGraph projected(const SimulateSettings& settings, const KeptGraph& cache) {
  ProjectedGraph graph;
  if (atHand(settings)) {
    graph.arcs = &cache.source.arcs;
    graph.propagation = &cache.propagation;
    graph.split = cache.source.split;
    graph.draws = settings.own.integer("draws");
  }
  graph.directed = cache.source.directed;
  graph.vertices = cache.source.vertices;
  graph.arcCount = cache.source.nonzeros;
  graph.consumers = cache.consumers;
  graph.haloRows = static_cast<double>(settings.own.integer("halo_rows"));
  graph.widths = sim::layerWidths(settings.run.model, cache.source.features, cache.source.classes);
  return graph;
}

/// Of each layer the order and the width of the rows that travel, as runs record it.
std::string layerOrders(const RunSettings& run, const std::vector<std::int64_t>& widths) {
  std::string orders;
  for (const LayerShape& layer : shapeFor(*find<MethodEntry>(run.method), run, widths).layers)
    orders += fmt::format("{}{} {}", orders.empty() ? "" : ", ",
                          layer.updatesBeforeForward    ? "update-first"
                          : layer.updatesBeforeBackward ? "aggregate-first"
                                                        : "update-last",
                          layer.propagated);
  return orders;
}

/// One worker's epoch on the same machine, whatever it can keep; nothing where the method cannot do with one.
std::optional<double> oneWorkerNs(RunSettings run, const ProjectedGraph& graph, const Machine& machine,
                                  const SimulateOptions& options) {
  run.cluster.workers = 1;
  if (!refusals(*find<MethodEntry>(run.method), run).empty()) return std::nullopt;
  const PlanSource source = chosenPlan(run, graph.arcs != nullptr, 1);
  return simulateCycle(projectedCycle(run, graph, source, 1), machine, simulateBulk, options).epochNs;
}

SimulationOutcome run(const SimulateSettings& settings, const SimulationContext& context,
                      const halo::Progress& progress) {
  const RunSettings runSettings = runOf(settings);
  const int ranks = static_cast<int>(runSettings.cluster.workers);
  const FigureSet& set = machineFigures(settings);
  const Machine machine = machineOf(settings.own.text("cluster"), set.figures, set.sources);
  const KeptGraph& cache = graphOf(settings, context, progress);
  ProjectedGraph graph = projected(settings, cache);
  graph.ranksPerNode = machine.ranksPerNode;
  const PlanSource source = planOf(settings, runSettings);
  if (progress) progress(fmt::format("plan ({})", text(source)), 0);
  const PlanCycle cycle = projectedCycle(runSettings, graph, source, ranks);
  const Engine engine = engineNamed(settings.own.text("engine"), cycle.first());
  SimulateOptions options;
  options.seed = runSettings.training.seed;
  options.lanes = kShownRanks;
  options.progress = progress;
  const ClusterResult result = simulateCycle(cycle, machine, engine, options);
  SimulationOutcome outcome = outcomeOf(cycle, machine, result);
  options.lanes = 0;
  if (const auto singleNs = oneWorkerNs(runSettings, graph, machine, options))
    addSpeedup(*singleNs, result, outcome);
  if (const double factor = settings.own.real("sensitivity"); factor > 0)
    addSensitivity(sensitivity(cycle, machine, engine, options, factor), outcome);
  outcome.marks.insert(outcome.marks.end(), cache.source.marks.begin(), cache.source.marks.end());
  outcome.parameters["result.vertices"] = std::to_string(graph.vertices);
  outcome.parameters["result.nonzeros"] = std::to_string(graph.arcCount);
  outcome.parameters["result.features"] = std::to_string(graph.widths.front());
  outcome.parameters["result.plan_source"] = std::string(text(source));
  outcome.parameters[kLayerOrders] = layerOrders(runSettings, graph.widths);
  if (const MethodEntry* method = find<MethodEntry>(runSettings.method))
    outcome.parameters[kKeepsLayer0] = cachesLayer0(*method, runSettings.parameters) ? "true" : "false";
  if (const MethodStyle style = styleOf(runSettings, ranks); style.order == ExchangeOrder::transposed)
    outcome.parameters[kRanksPerPart] = std::to_string(ranks / style.groups);
  return outcome;
}

const Registered<sim::SimulationEntry> self{
    {.declaration = {"cluster", "one epoch of a training method on many workers of a cluster",
                     "resources/design/simulator.md, Clusters", kParameters},
     .sections = kSections,
     .figures = figures,
     .ofMethods = true,
     .depends = depends,
     .method = method,
     .check = check,
     .refusals = refusalsOf,
     .refuseCounts = refuseCountsOf,
     .run = run,
     .metrics = clusterMetrics()}};

}  // namespace
}  // namespace halo::cluster
