#include "simulator/kind_parts.h"

#include <fmt/format.h>

namespace halo::sim {

FigureKey acceleratorKey(std::string key, std::string section, const std::filesystem::path& resources) {
  FigureKey made{std::move(key), std::move(section), "device", "accelerator", resources / "devices", {}};
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) made.models.push_back(entry.declaration);
  return made;
}

std::vector<Problem> checkGraph(SimulateSettings& settings, const SimulationContext& context) {
  settings.library = context.resources.libraryDigest();
  const std::string& name = settings.own.text("graph");
  const auto& graphs = context.resources.library().graphs;
  if (name.empty() || graphs.contains(name)) return {};
  std::vector<std::string> names;
  for (const auto& [known, figures] : graphs) names.push_back(known);
  const std::string near = nearest(name, names);
  const std::string what = near.empty() ? fmt::format("one of {}", fmt::join(names, " "))
                                        : fmt::format("did you mean '{}'?", near);
  return {
      {"", 0, 0, "simulate.graph", fmt::format("'{}' is no graph with published figures; {}", name, what)}};
}

void addFactors(const std::vector<Factor>& factors, const std::string& prefix,
                std::map<std::string, std::string>& to) {
  for (const Factor& factor : factors) {
    to[prefix + factor.name] = toText(Value(factor.value));
    to[prefix + factor.name + ".source"] = factor.from;
  }
}

}  // namespace halo::sim
