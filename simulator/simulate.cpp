#include "simulator/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "datasets/catalogue.h"
#include "datasets/generate_arcs.h"
#include "engine/base/check.h"

namespace halo::sim {
namespace {

constexpr double kReplicaError = 0.05;  // of its arcs: beyond, it stands for another graph

std::vector<DeviceClass> classesOf(const SimulateSettings& settings, std::int64_t features) {
  return passesOf(settings.model, features, settings.workload == "training", settings.slices);
}

/// Input width of what is simulated, or 0 where only the data set knows.
std::int64_t knownFeatures(const SimulateSettings& settings, const Library& library) {
  if (!settings.graph.empty()) {
    const auto figures = library.graphs.find(settings.graph);
    return figures == library.graphs.end() ? 0 : figures->second.features;
  }
  const CatalogueEntry* entry = catalogued(settings.dataset.name);
  return entry == nullptr || !settings.dataset.features.empty() ? 0 : entry->features;
}

std::vector<Problem> refusalsFor(const SimulateSettings& settings, const Library& library,
                                 const Values& figures, std::int64_t features) {
  std::vector<Problem> problems;
  const AcceleratorEntry* entry = find<AcceleratorEntry>(settings.accelerator);
  HALO_CHECK(entry != nullptr);
  if (std::ranges::find(entry->levels, levelOf(settings.level)) == entry->levels.end()) {
    std::string known;
    for (const Level level : entry->levels) known += (known.empty() ? "" : " ") + std::string(text(level));
    problems.push_back({"", 0, 0, "simulate.level",
                        fmt::format("'{}' arrives in a later version for {}; one of {}", settings.level,
                                    settings.accelerator, known)});
  }
  const bool counts =
      settings.tiling == "statistics" || (settings.tiling == "auto" && !settings.graph.empty());
  if (settings.level == "cycle" && counts)
    problems.push_back(
        {"", 0, 0, "simulate.level",
         "'cycle' counts in a graph, and there are figures only; tiling \"replica\", or a data "
         "set with tiling \"exact\""});
  if (features <= 0) return problems;
  const std::vector<DeviceClass> classes = classesOf(settings, features);
  // the first device has the widest slices
  for (Problem problem : entry->refuse(figures, library, classes.front().passes)) {
    problem.key = "device." + problem.key;
    problems.push_back(std::move(problem));
  }
  return problems;
}

/// A smaller graph with the figures' degrees.
Csr replicaOf(const SimulateSettings& settings, const GraphFigures& figures, const Progress& progress) {
  GraphShape shape;
  shape.name = settings.graph;
  shape.generator = "community";
  shape.vertices = figures.vertices;
  shape.averageDegree =
      static_cast<double>(figures.arcs) / static_cast<double>(std::max<std::int64_t>(1, figures.vertices));
  shape.exponent = figures.exponent;
  shape.maxDegree = figures.maxDegree;
  shape.homophily = 0.01;  // the generator needs some; where communities lie says nothing of numbers
  shape.classes = 2;
  shape.directed = true;
  return plantCommunities(shape, planGraph(shape, settings.replicaScale), settings.dataset.seed, progress, 0)
      .arcs;
}

void scale(std::int64_t& count, double by) { count = std::llround(static_cast<double>(count) * by); }

/// What the whole graph takes of the whole device, from what a replica took of the scaled one: as long, but
/// 1 / share of the bytes, operations and energy.
void scaleUp(DeviceResult& result, double by) {
  scale(result.operations, by);
  for (Count& stream : result.streams) scale(stream.value, by);
  for (Component& component : result.components) {
    scale(component.bytes, by);
    component.energyPj *= by;
  }
  for (EngineSpan& span : result.spans) scale(span.bytes, by);
  result.perOpPj *= by;
  result.chipPowerPj *= by;
}

/// Loads or makes what is aggregated over, and simulates every class of devices on it.
class Simulation {
 public:
  Simulation(const SimulateSettings& settings, const Library& library, const Progress& progress)
      : settings_(settings), library_(library), progress_(progress), figures_(settings.figures) {}

  Simulated run() {
    result_.level = levelOf(settings_.level);
    result_.marks.push_back("simulated");
    if (settings_.graph.empty())
      fromDataset();
    else
      fromFigures(library_.graphs.at(settings_.graph));
    if (const auto problems = refusalsFor(settings_, library_, figures_, result_.features); !problems.empty())
      throw InputError(problems);
    result_.classes = classesOf(settings_, result_.features);
    const AcceleratorEntry& entry = *find<AcceleratorEntry>(settings_.accelerator);
    for (const DeviceClass& devices : result_.classes) {
      if (progress_)
        progress_("simulating",
                  static_cast<double>(result_.devices.size()) / static_cast<double>(result_.classes.size()));
      result_.devices.push_back(entry.simulate({figures_, library_, graph_, devices.passes, result_.level}));
      if (share_ < 1) scaleUp(result_.devices.back(), 1 / share_);
      add(result_.devices.back(), static_cast<double>(devices.devices));
    }
    return std::move(result_);
  }

 private:
  void fromDataset() {
    dataset_ = loadDataset(settings_.dataset, progress_);
    graph_ = {dataset_.vertices(), dataset_.arcs.nonzeros(), settings_.band, nullptr};
    result_.tiling = settings_.tiling == "statistics" ? "statistics" : "exact";
    if (result_.tiling == "exact") graph_.matrix = &dataset_.arcs;
    result_.vertices = graph_.vertices;
    result_.nonzeros = graph_.nonzeros;
    result_.features = dataset_.features.cols();
    result_.marks.insert(result_.marks.end(), dataset_.marks.begin(), dataset_.marks.end());
  }

  void fromFigures(const GraphFigures& figures) {
    result_.vertices = figures.vertices;
    result_.nonzeros = figures.arcs;
    result_.features = figures.features;
    result_.tiling = settings_.tiling == "replica" ? "replica" : "statistics";
    graph_ = {figures.vertices, figures.arcs,     settings_.band,
              nullptr,          figures.exponent, figures.maxDegree};
    if (result_.tiling == "statistics") return;
    dataset_.arcs = replicaOf(settings_, figures, progress_);
    graph_ = {dataset_.arcs.rows(), dataset_.arcs.nonzeros(), 1, &dataset_.arcs};
    share_ = static_cast<double>(graph_.vertices) / static_cast<double>(figures.vertices);
    refuseThinReplica(static_cast<double>(figures.arcs) * share_);
    figures_ = find<AcceleratorEntry>(settings_.accelerator)->scaled(settings_.figures, share_);
    result_.marks.push_back("replica");
  }

  /// A replica of few vertices has no room for the degrees of the graph.
  void refuseThinReplica(double arcs) const {
    if (std::abs(static_cast<double>(graph_.nonzeros) - arcs) <= kReplicaError * arcs) return;
    throw InputError(
        {"", 0, 0, "simulate.replica_scale",
         fmt::format("a replica of {} vertices has {} arcs, {:.0f} would stand for '{}'; a larger scale "
                     "has room for its degrees",
                     graph_.vertices, graph_.nonzeros, arcs, settings_.graph)});
  }

  void add(const DeviceResult& device, double devices) {
    result_.seconds = std::max(result_.seconds, device.ns * 1e-9);
    for (const Component& component : device.components)
      result_.joules += devices * component.energyPj * 1e-12;
    result_.perOpJoules += devices * device.perOpPj * 1e-12;
    result_.chipPowerJoules += devices * device.chipPowerPj * 1e-12;
    result_.dramBytes += devices * static_cast<double>(device.dramBytes());
    result_.operations += devices * static_cast<double>(device.operations);
  }

  const SimulateSettings& settings_;
  const Library& library_;
  const Progress& progress_;
  Values figures_;
  Dataset dataset_;
  Graph graph_;
  double share_ = 1;  // of the vertices that a replica has
  Simulated result_;
};

}  // namespace

std::vector<Problem> refusals(const SimulateSettings& settings, const Library& library) {
  return refusalsFor(settings, library, settings.figures, knownFeatures(settings, library));
}

Simulated simulate(const SimulateSettings& settings, const Library& library, const Progress& progress) {
  return Simulation(settings, library, progress).run();
}

}  // namespace halo::sim
