#include "engine/experiment/simulation_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/experiment/key_places.h"
#include "engine/experiment/simulate_figures.h"

namespace halo {
namespace {

using Scope = Assignment::Scope;

/// As the kind declares it: "slices", "pipeline.stages".
std::string declaredKey(const Assignment& a) { return a.section() == "simulate" ? a.leaf() : a.key; }

bool isLink(const Parameter& parameter) {
  return parameter.key == "link" || parameter.key.ends_with(".link");
}

bool isOfSection(const Assignment& a) {
  const Declaration* section = sectionNamed(a.section());
  return section != nullptr && parameterNamed(section->parameters, a.leaf()) != nullptr;
}

}  // namespace

std::string simulateKey(const std::string& declared) {
  return declared.find('.') == std::string::npos ? "simulate." + declared : declared;
}

SimulationTable::SimulationTable(Document& document, const Known& known, const SimulationKind& kind,
                                 const RunTable& table)
    : d_(document), known_(known), kind_(kind), table_(table), links_(known.links) {
  links_.try_emplace("none");
}

bool SimulationTable::concerns(const Assignment& a) const {
  const std::string section = a.section();
  if (parameterNamed(kind_.declaration.parameters, declaredKey(a)) != nullptr) return true;
  if (section == "simulate" && kind_.ofMethods)
    return std::ranges::any_of(known_.methods, [&](const Declaration& method) {
      return parameterNamed(method.parameters, a.leaf()) != nullptr;
    });
  return reads(section) ||
         std::ranges::find(kind_.figures, section, &FigureKey::section) != kind_.figures.end();
}

void SimulationTable::resolve(const Combination& combination, std::vector<SimulateSettings>& to) {
  const Effective& effective = combination.effective;
  SimulateSettings simulation;
  simulation.kind = kind_.declaration.name;
  simulation.places[""] = table_.at;
  for (const auto& [key, a] : effective) simulation.places[key] = a->at;
  ownKeys(effective, simulation);
  method(effective, simulation);
  sections(effective, simulation);
  if (!SimulateFigures(d_, kind_, table_).fill(effective, simulation)) return;
  refuseUnknown(effective, simulation);
  const auto missing = [&](const Assignment* a) { return !takes(simulation, *a); };
  if (std::ranges::any_of(combination.later, missing)) return;  // made already, with the first alternative
  if (kind_.complete) report(effective, simulation, [&] { return kind_.complete(simulation); });
  flatSections(simulation);
  simulation.name = nameOf(simulation, effective);
  if (d_.problems.empty() && kind_.refusals)
    report(effective, simulation, [&] { return kind_.refusals(simulation); });
  to.push_back(std::move(simulation));
}

void SimulationTable::wrong(Problem at, std::string message) {
  at.message = std::move(message);
  d_.problems.push_back(std::move(at));
}

bool SimulationTable::reads(const std::string& section) const {
  return std::ranges::find(kind_.sections, section) != kind_.sections.end();
}

void SimulationTable::ownKeys(const Effective& effective, SimulateSettings& simulation) {
  simulation.own = fallbacks(kind_.declaration.parameters);
  for (const Parameter& parameter : kind_.declaration.parameters) {
    const std::string declared(parameter.key);
    const auto assignment = effective.find(simulateKey(declared));
    if (assignment == effective.end()) continue;
    Assignment& a = *assignment->second;
    a.used = true;
    std::string why;
    auto value = isLink(parameter) ? readLinkValue(*a.node, links_, why) : readValue(parameter, *a.node, why);
    if (value && isLink(parameter) && links_.at(std::get<std::string>(*value)).ranksPerHost > 0) {
      why = "per = \"host\" is of cluster.link alone; here every device or worker has a card of its own";
      value.reset();
    }
    if (value)
      simulation.own[declared] = *value;
    else
      wrong(a.at, why);
  }
}

void SimulationTable::method(const Effective& effective, SimulateSettings& simulation) {
  if (!kind_.ofMethods) return;
  simulation.run.method = simulation.own.text("method");
  const Declaration* declaration = declarationNamed(known_.methods, simulation.run.method);
  if (declaration == nullptr) {
    const auto names = namesOf(known_.methods, &Declaration::name);
    const auto assignment = effective.find("simulate.method");
    const Problem at = assignment == effective.end() ? table_.at : assignment->second->at;
    wrong(at, fmt::format("'{}' is not a method; {}", simulation.run.method,
                          suggestion(simulation.run.method, names, "one of " + listed(names))));
  }
  simulation.run.parameters = ownParameters(
      declaration, effective, "simulate",
      [&](const Assignment& a) { return simulation.own.contains(a.leaf()); }, d_.folder, d_.problems);
}

void SimulationTable::sections(const Effective& effective, SimulateSettings& simulation) {
  std::map<std::string, Values> values;
  for (const Declaration& section : halo::sections())
    values[std::string(section.name)] = fallbacks(section.parameters);
  for (const auto& [key, a] : effective)
    if (a->value && reads(a->section())) values[a->section()][a->leaf()] = *a->value;
  for (const Parameter& parameter : kind_.declaration.parameters)
    if (isLink(parameter)) values["cluster"]["link"] = simulation.own.text(parameter.key);
  if (!reads("dataset")) values.erase("dataset");  // such a simulation names none
  fillSections(values, links_, d_.folder, simulation.run);
  if (reads("dataset"))
    settleDataset(values["dataset"], effective, d_.folder, simulation.run.dataset, d_.problems);
  const auto graph = simulation.own.find("graph");  // its figures stand for a data set
  if (reads("dataset") && (graph == simulation.own.end() || graph->second == Value(std::string())))
    requireDatasetPath(simulation.run.dataset, effective, d_.problems);
  if (!reads("partition")) return;
  simulation.run.partition.parameters = ownParameters(
      declarationNamed(known_.partitioners, simulation.run.partition.method), effective, "partition",
      [](const Assignment& a) { return isOfSection(a); }, d_.folder, d_.problems);
}

bool SimulationTable::takes(const SimulateSettings& simulation, const Assignment& a) const {
  if (simulation.own.contains(declaredKey(a))) return true;
  if (a.key == "simulate." + simulation.kind && a.node->is_table()) return true;  // `pipeline = {}`
  if (a.section() == "simulate") return simulation.run.parameters.contains(a.leaf());
  if (const auto set = simulation.figures.find(a.section()); set != simulation.figures.end())
    return set->second.figures.contains(a.leaf());
  if (!reads(a.section())) return false;
  return isOfSection(a) ||
         (a.section() == "partition" && simulation.run.partition.parameters.contains(a.leaf()));
}

void SimulationTable::refuseUnknown(const Effective& effective, const SimulateSettings& simulation) {
  for (const auto& [key, a] : effective) {
    if (a->scope != Scope::run || takes(simulation, *a)) continue;
    a->used = true;
    if (sectionNamed(a->section()) != nullptr && !reads(a->section())) {
      wrong(a->keyAt,
            fmt::format("a simulation of kind '{}' reads {}", kind_.declaration.name, whatIsRead()));
      continue;
    }
    if (sectionNamed(a->section()) != nullptr && a->section() != "partition") continue;  // said already
    const auto names = keysBeside(simulation, *a);
    wrong(a->keyAt, unknownKey(*a, known_, names, "known are " + listed(names)));
  }
}

std::string SimulationTable::whatIsRead() const {
  std::vector<std::string> read;
  for (const std::string& section : kind_.sections) read.push_back(section + ".*");
  for (const FigureKey& figures : kind_.figures) read.push_back(figures.section + ".*");
  if (!read.empty()) return fmt::format("{} besides its own keys", fmt::join(read, ", "));
  return "no section, its own keys alone: " + listed(namesOf(kind_.declaration.parameters, &Parameter::key));
}

std::vector<std::string> SimulationTable::keysBeside(const SimulateSettings& simulation,
                                                     const Assignment& a) const {
  std::vector<std::string> names;
  const auto set = simulation.figures.find(a.section());
  if (set != simulation.figures.end())
    return namesOf(set->second.figures, [](const auto& figure) { return figure.first; });
  if (a.section() == "partition") {
    names = namesOf(sectionNamed("partition")->parameters, &Parameter::key);
    for (const auto& [key, value] : simulation.run.partition.parameters) names.push_back(key);
  }
  for (const auto& [key, value] : simulation.own) {
    const std::string wholeKey = simulateKey(key), section = wholeKey.substr(0, wholeKey.find('.'));
    if (section == a.section()) names.push_back(wholeKey.substr(section.size() + 1));
  }
  if (a.section() != "simulate") return names;
  for (const auto& [key, value] : simulation.run.parameters) names.push_back(key);
  names.insert(names.end(), kind_.sections.begin(), kind_.sections.end());
  return names;
}

void SimulationTable::flatSections(SimulateSettings& simulation) const {
  for (const auto& [key, value] : simulation.run.flat()) {
    if (reads(key.substr(0, key.find('.'))) && (!kind_.depends || kind_.depends(simulation, key)))
      simulation.sections[key] = value;
  }
}

template <class Ask>
void SimulationTable::report(const Effective& effective, const SimulateSettings& simulation, Ask ask) {
  std::vector<Problem> problems;
  try {
    problems = ask();
  } catch (const InputError& error) {
    problems = error.problems();
  }
  for (const Problem& problem : problems) {
    if (!problem.file.empty()) {  // of a file of its own
      d_.problems.push_back(problem);
      continue;
    }
    const auto by = effective.find(problem.key);
    const auto ofFigure = simulation.places.find(problem.key);
    Problem at = by == effective.end() ? table_.at : by->second->at;
    if (by == effective.end()) at.key = problem.key;
    if (by == effective.end() && ofFigure != simulation.places.end()) at = ofFigure->second;
    wrong(at, problem.message);
  }
}

std::string SimulationTable::nameOf(const SimulateSettings& simulation, const Effective& effective) const {
  const auto subject = simulation.own.find(simulation.kind);
  const bool named = subject != simulation.own.end() && std::holds_alternative<std::string>(subject->second);
  std::string name = d_.name + " / " + (named ? std::get<std::string>(subject->second) : simulation.kind);
  for (const auto& [key, a] : effective) {
    if (key == "simulate." + simulation.kind || !isNamed(*a)) continue;
    if (const auto value = valueOf(simulation, *a))
      name += fmt::format(" / {}={}", keyInName(*a, effective), withoutQuotes(toText(*value)));
  }
  return asName(name);
}

std::optional<Value> SimulationTable::valueOf(const SimulateSettings& simulation, const Assignment& a) const {
  if (!takes(simulation, a)) return std::nullopt;
  if (const auto own = simulation.own.find(declaredKey(a)); own != simulation.own.end()) return own->second;
  if (a.section() == "simulate") return simulation.run.parameters.find(a.leaf())->second;
  if (const auto set = simulation.figures.find(a.section()); set != simulation.figures.end())
    return set->second.figures.find(a.leaf())->second;
  const Values& partition = simulation.run.partition.parameters;
  const auto own = partition.find(a.leaf());  // what stands in no section is the partitioner's
  return a.value || own == partition.end() ? a.value : own->second;
}

}  // namespace halo
