#include <nlohmann/json.hpp>

#include "engine/experiment/keys.h"

namespace halo {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Values& values) {
  Json json = Json::object();
  for (const auto& [key, value] : values) std::visit([&](const auto& v) { json[key] = v; }, value);
  return json;
}

Values valuesFrom(const Json& json) {
  Values values;
  for (const auto& [key, value] : json.items()) {
    if (value.is_boolean())
      values[key] = value.get<bool>();
    else if (value.is_number_float())
      values[key] = value.get<double>();
    else if (value.is_number())
      values[key] = value.get<std::int64_t>();
    else
      values[key] = value.get<std::string>();
  }
  return values;
}

/// Calls each("section", "key", member) for every plain member: the one list both directions go by.
template <class Each>
void members(const Section& section, RunSettings& run, Each each) {
  const std::string_view table = section.declaration.name;
  for (const Key& key : section.keys) {
    if (key.member == nullptr) continue;
    const std::string name(key.name());
    std::visit(Overloaded{[&](LinkSettings* link) {
                            each(name, "name", link->name);
                            for (const LinkKey& figure : linkKeys())
                              std::visit(
                                  Overloaded{[](std::monostate) {},
                                             [&](auto member) { each(name, figure.name(), link->*member); }},
                                  figure.member);
                          },
                          [&](RecordStep step) { each(table, name + "_every", *step.every); },
                          [&](FileName file) { each(table, name, *file.path); },
                          [&](auto* member) { each(table, name, *member); }},
               key.member(run));
  }
}

template <class Each>
void members(RunSettings& run, Each each) {
  each("run", "name", run.name);
  members(runSection(), run, each);
  for (const Section& section : keyedSections()) members(section, run, each);
}

}  // namespace

std::string toJson(const RunSettings& run) {
  Json json;
  RunSettings copy = run;  // members are given as they can be changed
  members(copy, [&](std::string_view section, std::string_view key, const auto& value) {
    json[std::string(section)][std::string(key)] = value;
  });
  json["parameters"] = toJson(run.parameters);
  json["partition_parameters"] = toJson(run.partition.parameters);
  return json.dump();
}

RunSettings runFromJson(const std::string& text) {
  RunSettings run;
  try {
    const Json json = Json::parse(text);
    members(run, [&](std::string_view section, std::string_view key, auto& value) {
      json.at(std::string(section)).at(std::string(key)).get_to(value);
    });
    run.parameters = valuesFrom(json.at("parameters"));
    run.partition.parameters = valuesFrom(json.at("partition_parameters"));
  } catch (const Json::exception& error) {
    throw InputError(Problem{.key = "run settings", .message = error.what()});
  }
  return run;
}

}  // namespace halo
