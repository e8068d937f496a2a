#include "simulator/device/device_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "datasets/catalogue.h"
#include "datasets/generate/generate.h"
#include "datasets/input/limits.h"
#include "engine/base/check.h"
#include "simulator/device/graph_source.h"

namespace halo::sim {
namespace {

constexpr std::chrono::milliseconds kBetweenReleases{20};  // of pages of what is streamed

std::vector<DeviceClass> classesOf(const DeviceSettings& settings, const GraphWidths& widths) {
  return passesOf(
      wholePasses(settings.model, widths.features, widths.classes, settings.workload == "training"),
      settings.slices);
}

/// Of what is simulated, or nothing where only the data set knows.
GraphWidths knownWidths(const DeviceSettings& settings, const Library& library) {
  if (!settings.graph.empty()) {
    const auto figures = library.graphs.find(settings.graph);
    if (figures == library.graphs.end()) return {};
    return {figures->second.features, figures->second.classes};
  }
  const DatasetRequest& dataset = settings.dataset;
  const CatalogueEntry* entry = catalogued(dataset.name);
  if (entry == nullptr || !dataset.features.empty() || !dataset.labels.empty()) return {};
  return {entry->features, entry->classes};
}

GraphRequest requestOf(const DeviceSettings& settings) {
  return {settings.graph,    settings.tiling,  settings.replicaScale, settings.band,
          settings.locality, settings.dataset, settings.execute,      /*stream=*/true};
}

bool countsAlone(const DeviceSettings& settings) {
  return settings.tiling == "statistics" || (settings.tiling == "auto" && !settings.graph.empty());
}

/// Summing takes the graph itself, and not too much of it.
std::vector<Problem> executeRefusals(const DeviceSettings& settings, std::int64_t nonzeros,
                                     const std::vector<DeviceClass>& classes) {
  if (!settings.execute) return {};
  double products = 0;
  for (const DeviceClass& devices : classes) products += executedProducts(nonzeros, devices.passes);
  if (products <= kMostExecuted) return {};
  return {{.key = "simulate.execute",
           .message = fmt::format(
               "'true' sums {:.2g} rows' elements of this graph and these slices one by one, at most "
               "{:.2g}; more slices, or a smaller graph",
               products, kMostExecuted)}};
}

std::vector<Problem> refusalsFor(const DeviceSettings& settings, const Library& library,
                                 const Values& figures, const GraphWidths& widths) {
  std::vector<Problem> problems;
  const AcceleratorEntry* entry = find<AcceleratorEntry>(settings.accelerator);
  HALO_CHECK(entry != nullptr);
  if (std::ranges::find(entry->levels, levelOf(settings.level)) == entry->levels.end()) {
    std::string levels;
    for (const Level level : entry->levels) levels += (levels.empty() ? "" : " ") + std::string(text(level));
    problems.push_back({.key = "simulate.level",
                        .message = fmt::format("'{}' is no level of {}; one of {}", settings.level,
                                               settings.accelerator, levels)});
  }
  if (settings.execute && countsAlone(settings))
    problems.push_back(
        {.key = "simulate.execute",
         .message = "'true' sums rows along edges, and there are figures only; tiling \"replica\", or a "
                    "data set with tiling \"exact\""});
  if (settings.level == "cycle" && countsAlone(settings))
    problems.push_back(
        {.key = "simulate.level",
         .message = "'cycle' counts in a graph, and there are figures only; tiling \"replica\", or a data "
                    "set with tiling \"exact\""});
  if (widths.features <= 0) return problems;
  const std::vector<DeviceClass> classes = classesOf(settings, widths);
  // the first device has the widest slices
  for (Problem problem : entry->refuse(figures, library, classes.front().passes)) {
    problem.key = "device." + problem.key;
    problems.push_back(std::move(problem));
  }
  return problems;
}

/// What is known of the graph before it is there. Nothing is known where only the data set knows, or where a
/// replica stands for the graph. `arcs` is the share of a generated set's arcs that is counted on, for it has
/// about as many as it says.
std::optional<Graph> knownGraph(const DeviceSettings& settings, const Library& library, double arcs) {
  if (settings.tiling == "replica") return std::nullopt;
  if (!settings.graph.empty()) {
    const auto entry = library.graphs.find(settings.graph);
    if (entry == library.graphs.end()) return std::nullopt;
    const GraphFigures& figures = entry->second;
    return {{figures.vertices,
             figures.arcs,
             settings.band,
             nullptr,
             figures.exponent,
             figures.maxDegree,
             {},
             settings.locality}};
  }
  const DatasetRequest& dataset = settings.dataset;
  const CatalogueEntry* entry = catalogued(dataset.name);
  if (entry == nullptr) return std::nullopt;
  if (entry->kind != "generated") return Graph{entry->vertices, entry->arcs};
  return Graph{std::llround(static_cast<double>(entry->vertices) * dataset.scale),
               std::llround(static_cast<double>(entry->arcs) * dataset.scale * arcs)};
}

/// What the device says of a task of this graph, or of its counts alone.
std::vector<Problem> taskRefusals(const DeviceSettings& settings, const Library& library, const Graph& graph,
                                  const GraphWidths& widths) {
  const std::vector<DeviceClass> classes = classesOf(settings, widths);
  try {
    find<AcceleratorEntry>(settings.accelerator)
        ->refuseTask({settings.figures, library, graph, classes.front().passes, levelOf(settings.level)});
  } catch (const InputError& error) {
    return error.problems();
  }
  return executeRefusals(settings, graph.nonzeros, classes);
}

/// Of a replica, which a device with as large a share of the figures works on.
std::vector<Problem> replicaTaskRefusals(const DeviceSettings& settings, const Library& library,
                                         const GraphFigures& figures, double arcs) {
  const GraphRequest request = requestOf(settings);
  const double scale = settings.replicaScale;
  if (scale <= 0 || scale > 1) return {};
  if (auto problems = replicaRefusals(request, figures, availableBytes()); !problems.empty()) return problems;
  const Index vertices = replicaVertices(request, figures);
  const double share = static_cast<double>(vertices) / static_cast<double>(figures.vertices);
  DeviceSettings scaled = settings;
  if (share < 1)
    scaled.figures = find<AcceleratorEntry>(settings.accelerator)->scaled(settings.figures, share);
  const GraphWidths widths = knownWidths(settings, library);
  if (auto problems = refusalsFor(settings, library, scaled.figures, widths); !problems.empty())
    return problems;
  const double nonzeros = static_cast<double>(figures.arcs) * share * arcs;
  return taskRefusals(scaled, library, Graph{vertices, std::llround(nonzeros)}, widths);
}

/// The same by what is known before the graph is there.
std::vector<Problem> taskRefusals(const DeviceSettings& settings, const Library& library, double arcs) {
  const std::optional<Graph> graph = knownGraph(settings, library, arcs);
  const GraphWidths widths = knownWidths(settings, library);
  if (const auto figures = library.graphs.find(settings.graph);
      settings.tiling == "replica" && figures != library.graphs.end())
    return replicaTaskRefusals(settings, library, figures->second, arcs);
  if (!graph || widths.features <= 0) return {};
  return taskRefusals(settings, library, *graph, widths);
}

void scale(std::int64_t& count, double by) { count = std::llround(static_cast<double>(count) * by); }

/// What the whole graph takes of the whole device, from what a replica took of the scaled one. It takes as
/// long, but 1 / share of the bytes, operations and energy.
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

/// Simulates every class of devices on what is aggregated over.
class Simulation {
 public:
  Simulation(const DeviceSettings& settings, const Library& library, const Progress& progress)
      : settings_(settings), library_(library), progress_(progress), figures_(settings.figures) {}

  Simulated run() {
    result_.level = levelOf(settings_.level);
    const SourceGraph source = sourceGraph(requestOf(settings_), library_, progress_);
    result_.tiling = source.tiling;
    result_.vertices = source.vertices;
    result_.nonzeros = source.nonzeros;
    result_.features = source.features;
    result_.marks = source.marks;
    if (EnergyTable::extrapolates(settings_.figures.real("technology_nm")))
      result_.marks.emplace_back(kExtrapolatedEnergy);
    const AcceleratorEntry& entry = *find<AcceleratorEntry>(settings_.accelerator);
    if (source.share < 1) figures_ = entry.scaled(settings_.figures, source.share);
    Graph graph = source.graph();
    const GraphWidths widths{source.features, source.classes};
    if (const auto problems = refusalsFor(settings_, library_, figures_, widths); !problems.empty())
      throw InputError(problems);
    result_.classes = classesOf(settings_, widths);
    std::chrono::steady_clock::time_point released;
    graph.askStop = [this, &source, &released] {
      const auto now = std::chrono::steady_clock::now();
      if (source.streamed && now - released > kBetweenReleases) {
        source.streamed->release();
        released = now;
      }
      if (progress_)
        progress_("simulating",
                  static_cast<double>(result_.devices.size()) / static_cast<double>(result_.classes.size()));
    };
    HALO_CHECK((result_.level != Level::cycle && !settings_.execute) ||
               graph.matrix != nullptr);  // refusalsFor saw to it
    for (const DeviceClass& devices : result_.classes) {
      graph.askStop();
      result_.devices.push_back(entry.simulate({figures_, library_, graph, devices.passes, result_.level}));
      if (source.share < 1) scaleUp(result_.devices.back(), 1 / source.share);
      add(result_.devices.back(), static_cast<double>(devices.devices));
    }
    if (settings_.execute) executeAll(entry, source, graph);
    return std::move(result_);
  }

 private:
  /// Every width of every device.
  void executeAll(const AcceleratorEntry& entry, const SourceGraph& source, const Graph& graph) {
    if (auto problems = executeRefusals(settings_, graph.nonzeros, result_.classes); !problems.empty())
      throw InputError(std::move(problems));
    std::vector<SlicePass> passes;
    for (const DeviceClass& devices : result_.classes)
      passes.insert(passes.end(), devices.passes.begin(), devices.passes.end());
    result_.executed = sim::execute(entry, {figures_, library_, *graph.matrix, source.rows, passes, [this] {
                                              if (progress_) progress_("executing", 1);
                                            }});
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

  const DeviceSettings& settings_;
  const Library& library_;
  const Progress& progress_;
  Values figures_;
  Simulated result_;
};

}  // namespace

std::vector<Problem> refusals(const DeviceSettings& settings, const Library& library) {
  auto problems = refusalsFor(settings, library, settings.figures, knownWidths(settings, library));
  constexpr double kSureOf = 0.8;
  if (!problems.empty() || taskRefusals(settings, library, kSureOf).empty()) return problems;
  return taskRefusals(settings, library, 1);
}

std::vector<Problem> refusals(const DeviceSettings& settings, const Library& library,
                              const DatasetCounts& counts) {
  const GraphWidths widths{counts.features, counts.classes};
  auto problems = refusalsFor(settings, library, settings.figures, widths);
  if (!problems.empty() || widths.features <= 0) return problems;
  return taskRefusals(settings, library, Graph{counts.vertices, counts.arcs}, widths);
}

void refuseWidths(const DeviceSettings& settings, const Library& library, const GraphWidths& widths) {
  if (auto problems = refusalsFor(settings, library, settings.figures, widths); !problems.empty())
    throw InputError(std::move(problems));
}

Simulated simulate(const DeviceSettings& settings, const Library& library, const Progress& progress) {
  return Simulation(settings, library, progress).run();
}

}  // namespace halo::sim
