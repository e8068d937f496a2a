#include "views/experiment/known.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace halo {

using Json = nlohmann::json;

std::string_view KnownNames::keep(const std::string& word) { return words_.emplace_back(word); }

Parameter KnownNames::parameter(const void* from) {
  const Json& json = *static_cast<const Json*>(from);
  const std::string type = json.at("type");
  Parameter result{keep(json.at("key")), keep(json.at("help")), Flag{}};
  if (type == "real") {
    result.type = Real{json.at("default"), json.at("low"), json.at("high")};
  } else if (type == "integer") {
    result.type = Integer{json.at("default"), json.at("low"), json.at("high")};
  } else if (type == "choice") {
    auto& options = options_.emplace_back();
    for (const Json& option : json.at("options")) options.push_back(keep(option));
    result.type = Choice{keep(json.at("default")), options};
  } else if (type == "text") {
    result.type = Text{keep(json.at("default")), json.value("numbers", false)};
  } else {
    result.type = Flag{json.at("default")};
  }
  return result;
}

Declaration KnownNames::declaration(const void* from) {
  const Json& json = *static_cast<const Json*>(from);
  auto& parameters = parameters_.emplace_back();
  for (const Json& each : json.at("parameters")) parameters.push_back(parameter(&each));
  return {keep(json.at("name")), keep(json.at("help")), keep(json.at("source")), parameters};
}

SimulationKind KnownNames::simulation(const void* from, const std::filesystem::path& resources) {
  const Json& json = *static_cast<const Json*>(from);
  SimulationKind kind;
  kind.declaration = declaration(from);
  kind.sections = json.at("sections").get<std::vector<std::string>>();
  kind.ofMethods = json.at("of_methods");
  for (const Json& each : json.at("figures"))
    kind.figures.push_back({each.at("key"),
                            each.at("section"),
                            each.at("what"),
                            each.at("header"),
                            (resources / std::string(each.at("folder"))).lexically_normal(),
                            {}});
  return kind;
}

void KnownNames::read(const std::string& lines, const std::filesystem::path& resources) {
  std::map<std::string, std::vector<Declaration>> models;
  std::istringstream stream(lines);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty()) continue;
    try {
      const Json json = Json::parse(line);
      const std::string kind = json.at("kind");
      if (kind == "simulation")
        known_.simulations.push_back(simulation(&json, resources));
      else if (kind == "metric")
        known_.metrics.push_back(json.at("name"));
      else if (kind != "link")
        models[kind].push_back(declaration(&json));  // what files of figures may be of among them
    } catch (const Json::exception& error) {
      throw std::runtime_error("haloscope methods --json, line " + std::to_string(number) + ": " +
                               error.what());
    }
  }
  known_.links = readLinks(resources / "links.toml");
  known_.methods = models["method"];
  known_.partitioners = models["partitioner"];
  known_.layers = models["layer"];
  for (SimulationKind& kind : known_.simulations)
    for (FigureKey& key : kind.figures) key.models = models[key.header];
}

}  // namespace halo
