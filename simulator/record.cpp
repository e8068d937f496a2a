#include "simulator/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "engine/record/components.h"
#include "engine/record/runs.h"
#include "engine/record/spans.h"

namespace halo::sim {
namespace {

/// "spu 0", "spu 0-25": which devices a row stands for, each of them alike.
std::string deviceName(const SimulateSettings& settings, const DeviceClass& devices) {
  const std::string first = fmt::format("{} {}", settings.accelerator, devices.first);
  return devices.devices == 1 ? first : fmt::format("{}-{}", first, devices.first + devices.devices - 1);
}

std::map<std::string, std::string> parametersOf(const SimulateSettings& settings) {
  std::map<std::string, std::string> all = settings.flat();
  for (const auto& [key, source] : settings.sources) all["device." + key + ".source"] = source;
  return all;
}

std::map<std::string, std::string> foundParameters(const Simulated& found) {
  std::map<std::string, std::string> all = {{"result.level", std::string(text(found.level))},
                                            {"result.tiling", found.tiling},
                                            {"result.vertices", std::to_string(found.vertices)},
                                            {"result.nonzeros", std::to_string(found.nonzeros)},
                                            {"result.features", std::to_string(found.features)}};
  for (const DeviceResult& device : found.devices)
    for (const Factor& factor : device.factors) {
      all["factor." + factor.name] = toText(Value(factor.value));
      all["factor." + factor.name + ".source"] = factor.from;
    }
  return all;
}

std::map<std::string, double> metricsOf(const SimulateSettings& settings, const Simulated& found) {
  const DeviceResult& first = found.devices.front();
  std::map<std::string, double> metrics = {
      {"simulated_seconds", found.seconds},
      {"simulated_joules", found.joules},
      {"simulated_joules_per_op", found.perOpJoules},
      {"simulated_joules_chip_power", found.chipPowerJoules},
      {"simulated_dram_bytes", found.dramBytes},
      {"simulated_operations", found.operations},
      {"simulated_devices", 0},
  };
  for (const DeviceClass& devices : found.classes)
    metrics["simulated_devices"] += static_cast<double>(devices.devices);
  const Roof roof = find<AcceleratorEntry>(settings.accelerator)->roof(settings.figures);
  metrics["roof_operations_per_second"] = roof.operationsPerSecond;
  metrics["roof_bytes_per_second"] = roof.bytesPerSecond;
  if (settings.workload == "training") metrics["epoch_seconds"] = found.seconds;
  if (first.cycles > 0 && !first.components.empty())
    metrics["simulated_memory_share"] =
        static_cast<double>(first.components.front().busyCycles) / static_cast<double>(first.cycles);
  return metrics;
}

std::vector<ComponentRow> componentRows(const SimulateSettings& settings, const Simulated& found) {
  std::vector<ComponentRow> rows;
  for (std::size_t c = 0; c < found.classes.size(); ++c)
    for (const Component& component : found.devices[c].components)
      rows.push_back({deviceName(settings, found.classes[c]), component.name, component.busyCycles,
                      component.stallCycles(), component.bytes, component.energyPj});
  return rows;
}

std::string countsOf(const SimulateSettings& settings, const Simulated& found) {
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

/// The engines of the first device as ranks of the timeline.
void addTimeline(Database& database, std::int64_t run, const SimulateSettings& settings,
                 const Simulated& found) {
  const DeviceResult& device = found.devices.front();
  const double nsPerCycle = device.cycles > 0 ? device.ns / static_cast<double>(device.cycles) : 0;
  const auto ns = [&](std::int64_t cycle) { return std::llround(static_cast<double>(cycle) * nsPerCycle); };
  std::vector<WorkerRow> lanes;
  std::vector<std::vector<Span>> spans(device.components.size());
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
    spans[from.engine].push_back(span);
  }
  for (std::size_t e = 0; e < device.components.size(); ++e) {
    WorkerRow lane;
    lane.rank = static_cast<std::int64_t>(e);
    lane.role = settings.accelerator + ": " + device.components[e].name;
    lane.vertices = found.vertices;
    lane.nonzeros = found.nonzeros;
    lanes.push_back(std::move(lane));
    if (!spans[e].empty()) Spans(database).append(run, static_cast<std::int64_t>(e), spans[e]);
  }
  Runs(database).setWorkers(run, lanes);
}

}  // namespace

std::int64_t beginRun(Database& database, std::int64_t experiment, const SimulateSettings& settings,
                      const std::string& tags, const std::string& host) {
  RunRow row;
  row.experimentId = experiment;
  row.name = settings.name;
  row.kind = "simulation";
  row.method = settings.accelerator;
  row.dataset = settings.graph.empty() ? settings.dataset.name : settings.graph;
  row.model = settings.model.kind;
  row.seed = static_cast<std::int64_t>(settings.dataset.seed);
  row.marks = "simulated";
  row.host = host;
  row.version = HALO_VERSION;
  row.supervisorPid = ::getpid();
  row.fingerprint = settings.fingerprint();
  row.tags = tags;
  Transaction transaction(database);
  Runs runs(database);
  const std::int64_t id = runs.add(row);
  runs.setParameters(id, parametersOf(settings));
  runs.setStatus(id, "running");
  transaction.commit();
  return id;
}

void completeRun(Database& database, std::int64_t run, const SimulateSettings& settings,
                 const Simulated& found) {
  Transaction transaction(database);
  Runs runs(database);
  if (auto row = runs.find(run)) {
    row->marks = fmt::format("{}", fmt::join(found.marks, ","));
    // rows of the timeline, as everywhere; how many devices there are stands in simulate.slices
    row->workers = std::max<std::int64_t>(1, std::ssize(found.devices.front().components));
    runs.update(*row);
  }
  runs.setParameters(run, foundParameters(found));
  runs.setLatest(run, metricsOf(settings, found));
  Components(database).append(run, componentRows(settings, found));
  runs.addArtifact(run, {"counts", "text/csv", countsOf(settings, found)});
  addTimeline(database, run, settings, found);
  runs.setStatus(run, "completed");
  transaction.commit();
}

}  // namespace halo::sim
