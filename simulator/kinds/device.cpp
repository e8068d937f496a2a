// [[simulate]] device: one epoch's aggregations on alike devices that share the feature columns.
#include <fmt/format.h>

#include <cmath>

#include "engine/record/trace/span_cycles.h"
#include "simulator/contract/simulation_kind.h"
#include "simulator/device/device_simulation.h"
#include "simulator/kinds/kind_parts.h"

namespace halo::sim {
namespace {

constexpr Parameter kParameters[] = {
    {"device", "accelerator (`haloscope methods`), or a device file, relative to the experiment file",
     Text{""}},
    kSlices,
    kWorkload,
    kLevel,
    kGraph,
    kTiling,
    kBand,
    kLocality,
    kReplicaScale,
    {"execute", "sum real rows too, as the device does, and hold them against the definition", Flag{false}},
};
constexpr std::string_view kSections[] = {"dataset", "model"};

DeviceSettings deviceOf(const SimulateSettings& settings) {
  DeviceSettings device =
      deviceSettings(settings, settings.figures.at("device"), settings.own.text("device"));
  device.execute = settings.own.flag("execute");
  return device;
}

std::vector<FigureKey> figures(const std::filesystem::path& resources) {
  return {acceleratorKey("device", "device", resources)};
}

std::string method(const SimulateSettings& settings) { return settings.figures.at("device").model; }

std::vector<Problem> check(SimulateSettings& settings, const SimulationContext& context) {
  std::vector<Problem> problems = checkTiling(settings, context);
  for (Problem& problem : checkModel(settings)) problems.push_back(std::move(problem));
  return problems;
}

std::vector<Problem> refusalsOf(const SimulateSettings& settings, const SimulationContext& context) {
  return refusals(deviceOf(settings), context.resources.library());
}

std::vector<Problem> refuseCountsOf(const SimulateSettings& settings, const SimulationContext& context,
                                    const DatasetCounts& counts) {
  std::vector<Problem> problems = checkEdges(counts, "aggregate");
  return problems.empty() ? refusals(deviceOf(settings), context.resources.library(), counts) : problems;
}

/// "spu 0", "spu 0-25": which devices a row stands for, each of them alike.
std::string deviceName(const DeviceSettings& settings, const DeviceClass& devices) {
  const std::string first = fmt::format("{} {}", settings.accelerator, devices.first);
  return devices.devices == 1 ? first : fmt::format("{}-{}", first, devices.first + devices.devices - 1);
}

std::map<std::string, std::string> foundParameters(const Simulated& simulation) {
  std::map<std::string, std::string> all = {{"result.level", std::string(text(simulation.level))},
                                            {"result.tiling", simulation.tiling},
                                            {"result.vertices", std::to_string(simulation.vertices)},
                                            {"result.nonzeros", std::to_string(simulation.nonzeros)},
                                            {"result.features", std::to_string(simulation.features)}};
  if (simulation.executed) {
    all["result.executed_outputs"] = std::to_string(simulation.executed->outputs);
    all["result.executed_relative_error"] = toText(Value(simulation.executed->largestError));
  }
  for (const DeviceResult& device : simulation.devices) addFactors(device.factors, "factor.", all);
  return all;
}

std::map<std::string, double> metricsOf(const DeviceSettings& settings, const Simulated& simulation) {
  const DeviceResult& first = simulation.devices.front();
  std::map<std::string, double> metrics = {
      {"simulated_seconds", simulation.seconds},
      {"simulated_joules", simulation.joules},
      {"simulated_joules_per_op", simulation.perOpJoules},
      {"simulated_joules_chip_power", simulation.chipPowerJoules},
      {"simulated_dram_bytes", simulation.dramBytes},
      {"simulated_operations", simulation.operations},
      {"simulated_devices", 0},
  };
  for (const DeviceClass& devices : simulation.classes)
    metrics["simulated_devices"] += static_cast<double>(devices.devices);
  const Roof roof = find<AcceleratorEntry>(settings.accelerator)->roof(settings.figures);
  metrics["roof_operations_per_second"] = roof.operationsPerSecond;
  metrics["roof_bytes_per_second"] = roof.bytesPerSecond;
  if (settings.workload == "training") metrics["epoch_seconds"] = simulation.seconds;
  if (simulation.executed) metrics["executed_relative_error"] = simulation.executed->largestError;
  if (first.cycles > 0 && !first.components.empty())
    metrics["simulated_memory_share"] =
        static_cast<double>(first.components.front().busyCycles) / static_cast<double>(first.cycles);
  return metrics;
}

std::vector<ComponentRow> componentRows(const DeviceSettings& settings, const Simulated& simulation) {
  std::vector<ComponentRow> rows;
  for (std::size_t c = 0; c < simulation.classes.size(); ++c)
    for (const Component& component : simulation.devices[c].components)
      rows.push_back({deviceName(settings, simulation.classes[c]), component.name, component.busyCycles,
                      component.stallCycles(), component.bytes, component.energyPj});
  return rows;
}

std::string countsOf(const DeviceSettings& settings, const Simulated& simulation) {
  std::string text = "device,devices,component,what,name,value,unit\n";
  for (std::size_t c = 0; c < simulation.classes.size(); ++c) {
    const DeviceResult& device = simulation.devices[c];
    const std::string head =
        fmt::format("{},{}", deviceName(settings, simulation.classes[c]), simulation.classes[c].devices);
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

/// Spans of the first device by engine, each in nanoseconds with the cycles that these were made of. At more
/// than 1 GHz whole nanoseconds do not tell the cycles.
std::vector<std::vector<CycledSpan>> spansOf(const DeviceResult& device) {
  const double nsPerCycle = device.cycles > 0 ? device.ns / static_cast<double>(device.cycles) : 0;
  const auto ns = [&](std::int64_t cycle) { return std::llround(static_cast<double>(cycle) * nsPerCycle); };
  std::vector<std::vector<CycledSpan>> lanes(device.components.size());
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
    lanes[from.engine].push_back({span, from.beginCycle, from.cycles});
  }
  return lanes;
}

/// The engines of the first device as rows of the timeline.
std::vector<SimulatedLane> lanesOf(const DeviceSettings& settings, const Simulated& simulation,
                                   const std::vector<std::vector<CycledSpan>>& spans) {
  std::vector<SimulatedLane> lanes;
  for (std::size_t e = 0; e < spans.size(); ++e) {
    WorkerRow row;
    row.role = settings.accelerator + ": " + simulation.devices.front().components[e].name;
    row.vertices = simulation.vertices;
    row.nonzeros = simulation.nonzeros;
    lanes.push_back({row, {}});
    for (const CycledSpan& cycledSpan : spans[e]) lanes.back().spans.push_back(cycledSpan.span);
  }
  return lanes;
}

SimulationOutcome run(const SimulateSettings& settings, const SimulationContext& context,
                      const Progress& progress) {
  const DeviceSettings device = deviceOf(settings);
  const Simulated simulation = simulate(device, context.resources.library(), progress);
  SimulationOutcome outcome;
  outcome.marks = simulation.marks;
  outcome.metrics = metricsOf(device, simulation);
  outcome.parameters = foundParameters(simulation);
  outcome.components = componentRows(device, simulation);
  const auto spans = spansOf(simulation.devices.front());
  outcome.lanes = lanesOf(device, simulation, spans);
  outcome.artifacts.push_back({"counts", "text/csv", countsOf(device, simulation)});
  outcome.artifacts.push_back({kCyclesArtifact, "text/csv", cyclesText(spans)});
  return outcome;
}

std::vector<Metric> recorded() {
  using Unit = Metric::Unit;
  return {
      {"simulated_seconds", "simulated: time", Unit::seconds, "time of the slowest device"},
      {"simulated_joules", "simulated: energy of all devices, J", Unit::plain,
       "energy of all devices, by the device's own `energy_mode`"},
      {"simulated_joules_chip_power", "  by the chips' power, J", Unit::plain,
       "energy of all devices, as chip power × time"},
      {"simulated_joules_per_op", "  by operations, J", Unit::plain,
       "energy of all devices, by counts of operations"},
      {"simulated_dram_bytes", "simulated: to and from DRAM, all devices", Unit::bytes,
       "bytes to and from DRAM, of all devices"},
      {"simulated_operations", "simulated: operations, all devices", Unit::plain,
       "operations of all devices"},
      {"simulated_devices", "simulated: devices", Unit::plain, "how many devices share the columns"},
      {"simulated_memory_share", "simulated: DRAM busy, share of the time", Unit::plain,
       "time in which the first device's DRAM was busy ÷ its time"},
      {"executed_relative_error", "executed: largest relative error of a sum", Unit::plain,
       "largest error of a sum ÷ sum of its terms' magnitudes, where the device summed real rows"},
      {"roof_operations_per_second", "most operations a second of one device", Unit::plain,
       "most operations a second that one device can do"},
      {"roof_bytes_per_second", "most bytes a second of one device's DRAM", Unit::plain,
       "most bytes a second that one device's DRAM can give"},
  };
}

const Registered<SimulationEntry> self{
    {.declaration = {"device", "devices that aggregate, sharing the feature columns",
                     "resources/design/simulator.md", kParameters},
     .sections = kSections,
     .figures = figures,
     .depends = dependsOnGraph,
     .method = method,
     .check = check,
     .refusals = refusalsOf,
     .refuseCounts = refuseCountsOf,
     .run = run,
     .metrics = recorded()}};

}  // namespace
}  // namespace halo::sim
