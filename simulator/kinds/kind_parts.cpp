#include "simulator/kinds/kind_parts.h"

#include <fmt/format.h>

#include "engine/methods/contract/layer_kinds.h"
#include "engine/methods/contract/layer_work.h"

namespace halo::sim {

FigureKey acceleratorKey(std::string key, std::string section, const std::filesystem::path& resources) {
  FigureKey figureKey{std::move(key), std::move(section), "device", "accelerator", resources / "devices", {}};
  for (const auto& [name, entry] : registry<AcceleratorEntry>())
    figureKey.models.push_back(entry.declaration);
  return figureKey;
}

DeviceSettings deviceSettings(const SimulateSettings& settings, const FigureSet& set,
                              const std::string& name) {
  const Values& own = settings.own;
  DeviceSettings device;
  device.device = name;
  device.accelerator = set.model;
  device.figures = set.figures;
  device.slices = own.integer("slices");
  device.workload = own.text("workload");
  device.level = own.text("level");
  device.graph = own.text("graph");
  device.tiling = own.text("tiling");
  device.replicaScale = own.real("replica_scale");
  device.band = own.real("band");
  device.locality = own.real("locality");
  device.dataset = settings.run.dataset;
  device.model = settings.run.model;
  return device;
}

GraphRequest graphRequest(const DeviceSettings& device) {
  return {device.graph, device.tiling, device.replicaScale, device.band, device.locality, device.dataset};
}

bool dependsOnGraph(const SimulateSettings& settings, const std::string& key) {
  if (key == "model.kind") return settings.kind == "pipeline";  // aggregations are alike, updates are not
  if (key.starts_with("model."))
    return key == "model.layers" || key == "model.hidden" || key == "model.order";
  if (key == "dataset.seed") return true;
  if (!settings.own.text("graph").empty()) return false;
  return key == "dataset.name" || key == "dataset.format" || key == "dataset.scale" ||
         key == "dataset.directed" || key == "dataset.features";
}

std::vector<Problem> checkGraph(SimulateSettings& settings, const SimulationContext& context) {
  settings.library = context.resources.libraryDigest();
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  const std::string& graph = settings.own.text("graph");
  const auto& graphs = context.resources.library().graphs;
  if (!graph.empty() && !graphs.contains(graph)) {
    std::vector<std::string> names;
    for (const auto& [name, figures] : graphs) names.push_back(name);
    const std::string near = nearest(graph, names);
    wrong("simulate.graph", fmt::format("'{}' is no graph with published figures; {}", graph,
                                        near.empty() ? fmt::format("one of {}", fmt::join(names, " "))
                                                     : fmt::format("did you mean '{}'?", near)));
  }
  return problems;
}

std::vector<Problem> checkTiling(SimulateSettings& settings, const SimulationContext& context) {
  std::vector<Problem> problems = checkGraph(settings, context);
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  const Values& own = settings.own;
  const std::string &tiling = own.text("tiling"), &graph = own.text("graph");
  if (tiling == "exact" && !graph.empty())
    wrong("simulate.tiling",
          "'exact' counts in a graph, and simulate.graph gives figures only; statistics or replica");
  const bool expected = tiling == "statistics" || (tiling == "auto" && !graph.empty());
  const bool generated = expected || tiling == "replica";
  if (own.real("band") < 1 && !generated)
    wrong("simulate.band", "is for tiling = \"statistics\" and \"replica\"; a graph has the order it has");
  if (own.real("locality") < 1 && own.real("band") >= 1)
    wrong("simulate.locality",
          "is the share of arcs within simulate.band, which is 1: anywhere; a band below 1");
  const auto& graphs = context.resources.library().graphs;
  if (const auto figures = graphs.find(graph); generated && figures != graphs.end())
    if (auto problem =
            tooNarrow(static_cast<double>(figures->second.vertices),
                      static_cast<double>(figures->second.arcs) * own.real("locality"), own.real("band")))
      problems.push_back(std::move(*problem));
  if (tiling == "replica" && graph.empty())
    wrong("simulate.tiling", "'replica' is made from published figures: name a graph in simulate.graph");
  return problems;
}

std::vector<Problem> checkEdges(const DatasetCounts& counts, const char* verb) {
  if (counts.arcs > 0) return {};
  return {{.key = "dataset.name",
           .message = fmt::format("has no edges, so that there is nothing to {}; a graph with edges", verb)}};
}

std::vector<Problem> checkModel(const SimulateSettings& settings) {
  const ModelSettings& model = settings.run.model;
  if (!attends(model)) return {};
  return {{.key = "model.kind",
           .message = fmt::format(
               "'{}' cannot be simulated here: its coefficients are made edge by edge, which no device "
               "of these does; {}",
               model.kind, kindsWithoutAttention())}};
}

void addFactors(const std::vector<Factor>& factors, const std::string& prefix,
                std::map<std::string, std::string>& to) {
  for (const Factor& factor : factors) {
    to[prefix + factor.name] = toText(Value(factor.value));
    to[prefix + factor.name + ".source"] = factor.from;
  }
}

}  // namespace halo::sim
