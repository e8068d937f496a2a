// [[simulate]] device: one epoch's aggregations on alike devices that share the feature columns.
#include <fmt/format.h>

#include <cmath>

#include "simulator/kind_parts.h"
#include "simulator/simulate.h"
#include "simulator/simulation.h"

namespace halo::sim {
namespace {

constexpr std::string_view kWorkloads[] = {"training", "inference"};
constexpr std::string_view kLevels[] = {"analytic", "tile", "cycle"};
constexpr std::string_view kTilings[] = {"auto", "statistics", "exact", "replica"};
constexpr Parameter kParameters[] = {
    {"device", "accelerator (`haloscope methods`), or a device file, relative to the experiment file",
     Text{""}},
    {"slices", "devices that share the feature columns", Integer{32, 1, 1'000'000}},
    {"workload", "training: 2L-1 aggregations of L layers; inference: L", Choice{"training", kWorkloads}},
    {"level", "how closely: a bound, an event a tile, or cycle by cycle", Choice{"tile", kLevels}},
    {"graph", "published figures of a graph (resources/graphs.toml) in place of [dataset]", Text{""}},
    {"tiling",
     "what blocks hold: expected from the figures, counted in the graph, or counted in a smaller graph made "
     "alike; auto: counted where there is a graph",
     Choice{"auto", kTilings}},
    {"band",
     "with figures: neighbours lie at most this share of the vertices apart, as after ordering; 1: anywhere",
     Real{1.0, 0.0, 1.0}},
    {"replica_scale", "share of vertices and of buffers that a replica keeps", Real{0.01, 1e-6, 1.0}},
};
constexpr std::string_view kSections[] = {"dataset", "model"};

DeviceSettings deviceOf(const SimulateSettings& settings) {
  const Values& own = settings.own;
  const FigureSet& set = settings.figures.at("device");
  DeviceSettings device;
  device.device = own.text("device");
  device.accelerator = set.model;
  device.figures = set.figures;
  device.slices = own.integer("slices");
  device.workload = own.text("workload");
  device.level = own.text("level");
  device.graph = own.text("graph");
  device.tiling = own.text("tiling");
  device.replicaScale = own.real("replica_scale");
  device.band = own.real("band");
  device.dataset = settings.run.dataset;
  device.model = settings.run.model;
  return device;
}

std::vector<FigureKey> figures(const std::filesystem::path& resources) {
  return {acceleratorKey("device", "device", resources)};
}

bool depends(const SimulateSettings& settings, const std::string& key) {
  if (key.starts_with("model.")) return key == "model.layers" || key == "model.hidden";
  if (key == "dataset.seed") return true;
  if (!settings.own.text("graph").empty()) return false;
  return key == "dataset.name" || key == "dataset.format" || key == "dataset.scale" ||
         key == "dataset.directed" || key == "dataset.features";
}

std::string method(const SimulateSettings& settings) { return settings.figures.at("device").model; }

/// Counting blocks needs a graph, making one alike needs figures.
std::vector<Problem> check(SimulateSettings& settings, const SimulationContext& context) {
  std::vector<Problem> problems = checkGraph(settings, context);
  const Values& own = settings.own;
  const std::string &tiling = own.text("tiling"), &graph = own.text("graph");
  const auto wrong = [&](const char* key, const char* message) {
    problems.push_back({"", 0, 0, key, message});
  };
  if (tiling == "exact" && !graph.empty())
    wrong("simulate.tiling",
          "'exact' counts in a graph, and simulate.graph gives figures only; statistics or replica");
  const bool expected = tiling == "statistics" || (tiling == "auto" && !graph.empty());
  if (own.real("band") < 1 && !expected)
    wrong("simulate.band", "is for tiling = \"statistics\"; a graph has the order it has");
  if (tiling == "replica" && graph.empty())
    wrong("simulate.tiling", "'replica' is made from published figures: name a graph in simulate.graph");
  return problems;
}

std::vector<Problem> refusalsOf(const SimulateSettings& settings, const SimulationContext& context) {
  return refusals(deviceOf(settings), context.resources.library());
}

/// "spu 0", "spu 0-25": which devices a row stands for, each of them alike.
std::string deviceName(const DeviceSettings& settings, const DeviceClass& devices) {
  const std::string first = fmt::format("{} {}", settings.accelerator, devices.first);
  return devices.devices == 1 ? first : fmt::format("{}-{}", first, devices.first + devices.devices - 1);
}

std::map<std::string, std::string> foundParameters(const Simulated& found) {
  std::map<std::string, std::string> all = {{"result.level", std::string(text(found.level))},
                                            {"result.tiling", found.tiling},
                                            {"result.vertices", std::to_string(found.vertices)},
                                            {"result.nonzeros", std::to_string(found.nonzeros)},
                                            {"result.features", std::to_string(found.features)}};
  for (const DeviceResult& device : found.devices) addFactors(device.factors, "factor.", all);
  return all;
}

std::map<std::string, double> metricsOf(const DeviceSettings& settings, const Simulated& found) {
  const DeviceResult& first = found.devices.front();
  std::map<std::string, double> metrics = {
      {"simulated_seconds", found.seconds},           {"simulated_joules", found.joules},
      {"simulated_joules_per_op", found.perOpJoules}, {"simulated_joules_chip_power", found.chipPowerJoules},
      {"simulated_dram_bytes", found.dramBytes},      {"simulated_operations", found.operations},
  };
  const Roof roof = find<AcceleratorEntry>(settings.accelerator)->roof(settings.figures);
  metrics["roof_operations_per_second"] = roof.operationsPerSecond;
  metrics["roof_bytes_per_second"] = roof.bytesPerSecond;
  if (settings.workload == "training") metrics["epoch_seconds"] = found.seconds;
  if (first.cycles > 0 && !first.components.empty())
    metrics["simulated_memory_share"] =
        static_cast<double>(first.components.front().busyCycles) / static_cast<double>(first.cycles);
  return metrics;
}

std::vector<ComponentRow> componentRows(const DeviceSettings& settings, const Simulated& found) {
  std::vector<ComponentRow> rows;
  for (std::size_t c = 0; c < found.classes.size(); ++c)
    for (const Component& component : found.devices[c].components)
      rows.push_back({deviceName(settings, found.classes[c]), component.name, component.busyCycles,
                      component.stallCycles(), component.bytes, component.energyPj});
  return rows;
}

std::string countsOf(const DeviceSettings& settings, const Simulated& found) {
  std::string text = "device,devices,component,what,name,value,unit\n";
  for (std::size_t c = 0; c < found.classes.size(); ++c) {
    const DeviceResult& device = found.devices[c];
    const std::string head =
        fmt::format("{},{}", deviceName(settings, found.classes[c]), found.classes[c].devices);
    text += fmt::format("{},,makespan,,{},cycles\n", head, device.cycles);
    for (const Count& stream : device.streams)
      text += fmt::format("{},,stream,{},{},bytes\n", head, stream.name, stream.value);
    for (const Component& component : device.components) {
      for (const Count& stall : component.stalls)
        text += fmt::format("{},{},stall,{},{},cycles\n", head, component.name, stall.name, stall.value);
      text += fmt::format("{},{},idle,,{},cycles\n", head, component.name, component.idleCycles);
    }
  }
  return text;
}

/// The engines of the first device as rows of the timeline.
std::vector<SimulatedLane> lanesOf(const DeviceSettings& settings, const Simulated& found) {
  const DeviceResult& device = found.devices.front();
  const double nsPerCycle = device.cycles > 0 ? device.ns / static_cast<double>(device.cycles) : 0;
  const auto ns = [&](std::int64_t cycle) { return std::llround(static_cast<double>(cycle) * nsPerCycle); };
  std::vector<SimulatedLane> lanes;
  for (const Component& component : device.components) {
    WorkerRow row;
    row.role = settings.accelerator + ": " + component.name;
    row.vertices = found.vertices;
    row.nonzeros = found.nonzeros;
    lanes.push_back({row, {}});
  }
  for (const EngineSpan& from : device.spans) {
    Span span;
    span.beginNs = ns(from.beginCycle);
    span.durationNs = ns(from.beginCycle + from.cycles) - span.beginNs;
    span.bytes = from.bytes;
    span.epoch = 0;
    span.layer = from.layer;
    span.name = from.name;
    span.kind = from.kind;
    span.pass = from.pass;
    lanes[from.engine].spans.push_back(span);
  }
  return lanes;
}

SimulationOutcome run(const SimulateSettings& settings, const SimulationContext& context,
                      const Progress& progress) {
  const DeviceSettings device = deviceOf(settings);
  const Simulated found = simulate(device, context.resources.library(), progress);
  SimulationOutcome outcome;
  outcome.marks = found.marks;
  outcome.metrics = metricsOf(device, found);
  outcome.found = foundParameters(found);
  outcome.components = componentRows(device, found);
  outcome.lanes = lanesOf(device, found);
  outcome.artifacts.push_back({"counts", "text/csv", countsOf(device, found)});
  return outcome;
}

const Registered<SimulationEntry> self{
    {.declaration = {"device", "devices that aggregate, sharing the feature columns", "simulator.md",
                     kParameters},
     .sections = kSections,
     .figures = figures,
     .depends = depends,
     .method = method,
     .check = check,
     .refusals = refusalsOf,
     .run = run}};

}  // namespace
}  // namespace halo::sim
