#include <fmt/format.h>

#include "app/commands/command.h"
#include "app/program/known.h"
#include "app/report/metrics.h"
#include "app/report/table.h"
#include "datasets/contract/format.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/experiment/figure_file.h"
#include "engine/experiment/keys.h"
#include "engine/methods/contract/method_entry.h"

namespace halo {
namespace {

struct Kind {
  const char* name;   // in JSON
  const char* title;  // of the list
  std::vector<Declaration> declarations;
};

std::vector<Declaration> simulationDeclarations(const Known& known) {
  std::vector<Declaration> all;
  for (const SimulationKind& kind : known.simulations) all.push_back(kind.declaration);
  return all;
}

/// What files of figures that begin with `header` may be for.
std::vector<Declaration> figureModels(const Known& known, const std::string& header) {
  for (const SimulationKind& kind : known.simulations)
    for (const FigureKey& key : kind.figures)
      if (key.header == header) return key.models;
  return {};
}

/// Defaults; of what files of figures give, those of the file of that name, or none where no such file ships.
Values valuesOf(const Known& known, const std::string& header, const Declaration& declaration) {
  for (const SimulationKind& kind : known.simulations)
    for (const FigureKey& key : kind.figures) {
      if (key.header != header) continue;
      const auto file = key.folder / (std::string(declaration.name) + ".toml");
      return std::filesystem::exists(file) ? readFigureFile(file, header, key.models).figures : Values();
    }
  return fallbacks(declaration.parameters);
}

std::vector<Kind> allKinds(const Known& known) {
  std::vector<Declaration> formats;
  for (const auto& [name, entry] : registry<FormatEntry>()) formats.push_back(entry.declaration);
  return {{"method", "Methods ([[run]] method)", known.methods},
          {"partitioner", "Partitioners ([partition] method)", known.partitioners},
          {"layer", "Layer kinds ([model] kind)", known.layers},
          {"simulation", "Kinds of [[simulate]]", simulationDeclarations(known)},
          {"accelerator", "Accelerators (devices of [[simulate]])", figureModels(known, "accelerator")},
          {"platform", "Platforms ([[simulate]] platform)", figureModels(known, "platform")},
          {"cluster", "Machines ([[simulate]] cluster)", figureModels(known, "cluster")},
          {"format", "File formats ([dataset] format)", formats},
          {"section", "Sections of an experiment file", sections()}};
}

/// What a parameter may be: "0 to 1", "true or false", "one of a b".
std::string allowed(const Parameter& parameter) {
  if (const auto* real = std::get_if<Real>(&parameter.type))
    return fmt::format("{} to {}", real->low, real->high);
  if (const auto* integer = std::get_if<Integer>(&parameter.type))
    return fmt::format("{} to {}", integer->low, integer->high);
  if (std::holds_alternative<Flag>(parameter.type)) return "true or false";
  if (const auto* choice = std::get_if<Choice>(&parameter.type)) {
    std::string options;
    for (const std::string_view option : choice->options)
      options += (options.empty() ? "" : " | ") + std::string(option);
    return options;
  }
  if (const auto* text = std::get_if<Text>(&parameter.type); text != nullptr && text->numbers)
    return fmt::format("{} or a whole number", text->fallback);
  return "text";
}

Json jsonOf(const Parameter& parameter, const Value& byDefault) {
  Json json = {{"key", parameter.key}, {"help", parameter.help}};
  std::visit([&](const auto& value) { json["default"] = value; }, byDefault);
  if (const auto* real = std::get_if<Real>(&parameter.type)) {
    json["type"] = "real";
    json["low"] = real->low;
    json["high"] = real->high;
  } else if (const auto* integer = std::get_if<Integer>(&parameter.type)) {
    json["type"] = "integer";
    json["low"] = integer->low;
    json["high"] = integer->high;
  } else if (const auto* choice = std::get_if<Choice>(&parameter.type)) {
    json["type"] = "choice";
    for (const std::string_view option : choice->options) json["options"].push_back(option);
  } else {
    json["type"] = std::holds_alternative<Flag>(parameter.type) ? "flag" : "text";
    if (const auto* text = std::get_if<Text>(&parameter.type)) json["numbers"] = text->numbers;
  }
  return json;
}

/// What the desktop checks a table of this kind by.
void addTables(const SimulationKind& kind, Json& json) {
  json["sections"] = kind.sections;
  json["of_methods"] = kind.ofMethods;
  json["figures"] = Json::array();
  for (const FigureKey& key : kind.figures)
    json["figures"].push_back({{"key", key.key},
                               {"section", key.section},
                               {"what", key.what},
                               {"header", key.header},
                               {"folder", key.folder.string()}});
}

Json jsonOf(const Known& known, const char* kind, const Declaration& declaration) {
  Json json = {
      {"kind", kind}, {"name", declaration.name}, {"help", declaration.help}, {"source", declaration.source}};
  json["parameters"] = Json::array();
  const Values values = valuesOf(known, kind, declaration);
  for (const Parameter& parameter : declaration.parameters)
    json["parameters"].push_back(jsonOf(parameter, values.contains(parameter.key)
                                                       ? values.find(parameter.key)->second
                                                       : fallback(parameter)));
  for (const SimulationKind& each : known.simulations)
    if (std::string_view(kind) == "simulation" && each.declaration.name == declaration.name)
      addTables(each, json);
  return json;
}

void printDetails(const Known& known, const Kind& kind, const Declaration& declaration) {
  print(fmt::format("{} {}: {}\n", kind.name, declaration.name, declaration.help));
  if (!declaration.source.empty()) print(fmt::format("source: {}\n", declaration.source));
  const auto* method =
      std::string_view(kind.name) == "method" ? find<MethodEntry>(std::string(declaration.name)) : nullptr;
  if (method != nullptr && method->alwaysCachesLayer0)
    print("layer 0 aggregates first, whatever model.order is: its aggregate of the input features is kept\n");
  Table table({"key", "default", "allowed", "meaning"});
  const Values values = valuesOf(known, kind.name, declaration);
  for (const Parameter& p : declaration.parameters)
    table.add({std::string(p.key),
               values.contains(p.key) ? toText(values.find(p.key)->second) : "by its file", allowed(p),
               std::string(p.help)});
  print(table.empty() ? "no parameters of its own\n" : table.text());
}

Json jsonOf(const std::string& name, const LinkSettings& link) {
  Json json = {{"kind", "link"}, {"name", name}};
  for (const LinkKey& key : linkKeys())
    std::visit(Overloaded{[](std::monostate) {}, [&](auto member) { json[key.name()] = link.*member; }},
               key.member);
  return json;
}

void printLinks(const Known& known, bool json) {
  Table table({"link", "Gbit/s", "latency"});
  for (const auto& [name, link] : known.links) {
    if (json)
      printJson(jsonOf(name, link));
    else
      table.add({name, shortNumber(link.bandwidthGbit), secondsText(link.latencyUs * 1e-6)});
  }
  if (!json) print("\nInterconnects ([cluster] link)\n" + table.text());
}

/// What every metric is: the window tells it beside the numbers.
void printMetrics() {
  constexpr const char* kUnits[] = {"seconds", "bytes", "plain"};
  for (const Metric& metric : metrics())
    printJson({{"kind", "metric"},
               {"name", metric.key},
               {"title", metric.title},
               {"help", metric.help},
               {"unit", kUnits[at(metric.unit)]}});
}

int methods(const Common& common, const std::string& name) {
  const Known known = knownHere();
  std::vector<std::string> names;
  bool listed = false;
  for (const Kind& kind : allKinds(known)) {
    Table table({"name", "what it does", "source"});
    for (const Declaration& declaration : kind.declarations) {
      names.emplace_back(declaration.name);
      if (!name.empty() && declaration.name != name) continue;
      if (common.json)
        printJson(jsonOf(known, kind.name, declaration));
      else if (!name.empty())
        printDetails(known, kind, declaration);
      else
        table.add(
            {std::string(declaration.name), std::string(declaration.help), std::string(declaration.source)});
      listed = true;
    }
    if (!table.empty()) print(fmt::format("{}\n{}\n", kind.title, table.text()));
  }
  if (name.empty()) {
    printLinks(known, common.json);
    if (common.json)
      printMetrics();
    else
      print("\nhaloscope methods NAME shows the parameters of one.\n");
    return 0;
  }
  if (listed) return 0;
  std::string message = "'" + name + "' is not known";
  if (const std::string near = nearest(name, names); !near.empty())
    message += "; did you mean '" + near + "'?";
  throw InputError({.key = "NAME", .message = message + "; `haloscope methods` lists all"});
}

}  // namespace

void addMethods(CLI::App& app, Common& common, Action& action) {
  auto* command = app.add_subcommand(
      "methods", "Methods, partitioners, layer kinds, simulations, formats and links, with their parameters");
  auto* name = command->add_option("NAME", "Show one with its parameters");
  command->callback([&common, &action, name] {
    action = [&common, name] { return methods(common, name->count() > 0 ? name->as<std::string>() : ""); };
  });
}

}  // namespace halo
