#include "engine/experiment/key_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/index.h"

namespace halo {
namespace {

using Scope = Assignment::Scope;

/// One place that a key can stand in.
struct Place {
  std::string table;    // in words: "[cluster]", "the method pipegcn"
  std::string fullKey;  // as [sweep] and --set name the key: "cluster.workers"; "": they cannot
  std::string advice;   // how to have it there; may be empty
  bool simulated = false;
};

/// Whether the table is of [[simulate]].
bool isSimulated(const std::string& section, const Known& known) {
  return section == "simulate" || std::ranges::any_of(known.simulations, [&](const SimulationKind& kind) {
           return std::ranges::find(kind.figures, section, &FigureKey::section) != kind.figures.end();
         });
}

bool declares(std::span<const Parameter> parameters, const std::string& key) {
  return parameterNamed(parameters, key) != nullptr;
}

/// "a", "a and b", "a, b and c"; of many the first.
std::string inWords(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 4;
  if (names.size() > kShown + 1)
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                       names.size() - kShown);
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

/// The declarations that have the key, as one place: "the methods a and b".
void addOwners(const std::vector<Declaration>& all, const char* kind, const std::string& section,
               const std::string& key, const std::string& advice, std::vector<Place>& to) {
  std::vector<std::string> names;
  for (const Declaration& declaration : all)
    if (declares(declaration.parameters, key)) names.emplace_back(declaration.name);
  if (names.empty()) return;
  to.push_back({fmt::format("the {}{} {}", kind, names.size() > 1 ? "s" : "", inWords(names)),
                section + "." + key, advice});
}

void addSimulations(const Known& known, const std::string& key, std::vector<Place>& to) {
  const auto add = [&](const std::string& table, const std::string& fullKey) {
    if (std::ranges::find(to, table, &Place::table) == to.end()) to.push_back({table, fullKey, "", true});
  };
  std::vector<std::string> kinds;
  for (const SimulationKind& kind : known.simulations)
    if (declares(kind.declaration.parameters, key)) kinds.emplace_back(kind.declaration.name);
  if (!kinds.empty()) add(fmt::format("[[simulate]] with {}", fmt::join(kinds, " or ")), "simulate." + key);
  for (const SimulationKind& kind : known.simulations) {
    for (const Parameter& parameter : kind.declaration.parameters) {
      const std::string declared(parameter.key);
      const auto dot = declared.find('.');
      if (dot != std::string::npos && declared.substr(dot + 1) == key)
        add(fmt::format("the table {} in [[simulate]]", declared.substr(0, dot)), declared);
    }
    for (const FigureKey& figures : kind.figures)
      for (const Declaration& model : figures.models)
        if (declares(model.parameters, key))
          add(fmt::format("the table {} in [[simulate]]", figures.section), figures.section + "." + key);
  }
}

std::vector<Place> placesOf(const std::string& key, const Known& known) {
  std::vector<Place> places;
  for (const Declaration& section : sections())
    if (declares(section.parameters, key))
      places.push_back({fmt::format("[{}]", section.name), fmt::format("{}.{}", section.name, key), ""});
  if (key == "method") places.push_back({"[[run]]", "run.method", ""});
  addOwners(known.methods, "method", "run", key, "Only tables with such a method have it.", places);
  addOwners(known.partitioners, "partitioner", "partition", key, "partition.method chooses the partitioner.",
            places);
  addSimulations(known, key, places);
  if (key == "schema" || declares(generalKeys(), key))
    places.push_back({"the file itself, above all tables", "", ""});
  if (std::ranges::find(linkKeys(), key, &LinkKey::name) != linkKeys().end())
    places.push_back({"the table of cluster.link", "", ""});
  return places;
}

/// What to write instead, where only one place has the key.
std::string adviceFor(const Place& place, const std::string& section, Scope scope) {
  if (!place.advice.empty()) return " " + place.advice;
  if (place.fullKey.empty()) return "";
  if (scope == Scope::set) return fmt::format(" Write {}=….", place.fullKey);
  if (scope == Scope::sweep) return fmt::format(" Write \"{}\" = […].", place.fullKey);
  if (section == "run") return fmt::format(" To vary it by run, use [sweep] with \"{}\".", place.fullKey);
  return "";
}

std::string rightPlace(const std::string& section, const std::string& key, Scope scope, const Known& known) {
  std::vector<Place> places = placesOf(key, known);
  const std::string ownTable = fmt::format("[{}]", section);
  std::erase_if(places, [&](const Place& place) { return place.table == ownTable; });
  // who trains means a section's key, though a kind of simulation has one of that name
  if (!isSimulated(section, known) && !std::ranges::all_of(places, &Place::simulated))
    std::erase_if(places, &Place::simulated);
  if (places.empty()) {
    const bool table = sectionNamed(key) != nullptr || key == "sweep";
    return table && !section.empty() ? fmt::format("[{}] is a table of its own, outside {}", key, ownTable)
                                     : "";
  }
  const std::string tables = inWords(namesOf(places, &Place::table));
  const std::string advice = places.size() == 1 ? adviceFor(places.front(), section, scope) : "";
  return fmt::format("`{}` is a key of {}{}{}", key, tables, advice.empty() ? "" : ".", advice);
}

/// A key of another table that this one is nearly spelt as, nearer than any of `siblings`; "": there is none.
std::string nearElsewhere(const std::string& key, const Known& known,
                          const std::vector<std::string>& siblings) {
  std::vector<std::string> leaves, wholes;
  const auto add = [&](const std::string& section, std::span<const Parameter> parameters) {
    for (const Parameter& parameter : parameters) {
      leaves.emplace_back(parameter.key);
      wholes.push_back(fmt::format("{}.{}", section, parameter.key));
    }
  };
  for (const Declaration& section : sections()) {
    add(std::string(section.name), section.parameters);
    leaves.emplace_back(section.name);
    wholes.push_back(fmt::format("[{}]", section.name));
  }
  for (const Declaration& method : known.methods) add("run", method.parameters);
  for (const Declaration& partitioner : known.partitioners) add("partition", partitioner.parameters);
  const std::string sibling = nearest(key, siblings);
  const auto leaf = std::ranges::find(leaves, nearest(key, leaves));
  if (leaf == leaves.end() || (!sibling.empty() && nearest(key, {sibling, *leaf}) == sibling)) return "";
  return wholes[at(leaf - leaves.begin())];
}

/// The keys that choose what is simulated.
std::vector<std::string> kindsOf(const Known& known) {
  std::vector<std::string> kinds;
  for (const SimulationKind& kind : known.simulations) kinds.emplace_back(kind.declaration.name);
  return kinds;
}

}  // namespace

std::string rightPlace(const Assignment& a, const Known& known) {
  return rightPlace(a.section(), a.leaf(), a.scope, known);
}

std::vector<std::string> likelyKeys(const std::string& name, const Document& document, const Known& known) {
  std::vector<std::string> tables = namesOf(sections(), &Declaration::name), likely;
  for (const SimulationKind& kind : known.simulations)
    for (const FigureKey& figures : kind.figures) tables.push_back(figures.section);
  tables.insert(tables.end(), {"run", "simulate"});
  if (const auto dot = name.find('.'); dot != std::string::npos) {
    const std::string near = nearest(name.substr(0, dot), tables);
    return near.empty() ? likely : std::vector{near + name.substr(dot)};
  }
  const auto add = [&](const std::string& table, std::span<const Parameter> parameters) {
    const std::string fullKey = table + "." + name;
    if (declares(parameters, name) && std::ranges::find(likely, fullKey) == likely.end())
      likely.push_back(fullKey);
  };
  if (!document.runs.empty() || document.simulations.empty()) {
    for (const Declaration& section : sections()) add(std::string(section.name), section.parameters);
    for (const Declaration& method : known.methods) add("run", method.parameters);
    for (const Declaration& partitioner : known.partitioners) add("partition", partitioner.parameters);
  }
  for (const SimulationKind& kind : known.simulations)
    if (!document.simulations.empty()) add("simulate", kind.declaration.parameters);
  return likely;
}

std::string unknownKey(const Assignment& a, const Known& known, const std::vector<std::string>& siblings,
                       const std::string& otherwise) {
  if (std::string place = rightPlace(a, known); !place.empty()) return place;
  if (const std::string kind = nearest(a.leaf(), kindsOf(known));
      a.section() == "simulate" && !kind.empty() && nearest(a.leaf(), siblings).empty())
    return fmt::format("unknown key; did you mean 'simulate.{}'?", kind);
  if (const std::string near = nearElsewhere(a.leaf(), known, siblings); !near.empty())
    return fmt::format("unknown key; did you mean '{}'?", near);
  return "unknown key; " + suggestion(a.leaf(), siblings, otherwise);
}

std::string unknownTopKey(const std::string& key, const Known& known,
                          const std::vector<std::string>& siblings) {
  if (key.find('.') != std::string::npos)
    return fmt::format(
        "is one name, for it stands in quotes; write {} without them, or below [sweep] to vary it", key);
  if (std::string place = rightPlace("", key, Scope::file, known); !place.empty()) return place;
  if (const std::string near = nearElsewhere(key, known, siblings); !near.empty())
    return fmt::format("unknown key; did you mean '{}'?", near);
  return "unknown key; " + suggestion(key, siblings, "known are " + listed(siblings));
}

}  // namespace halo
