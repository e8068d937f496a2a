// [[simulate]] × its lists × [sweep] as settings of simulations.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/experiment/document.h"
#include "engine/experiment/simulate_figures.h"

namespace halo {
namespace {

using Scope = Assignment::Scope;
constexpr double kMostSimulations = 10'000;

std::string keyOf(const std::string& declared) {
  return declared.find('.') == std::string::npos ? "simulate." + declared : declared;
}

/// As the kind declares it: "slices", "pipeline.stages".
std::string declaredKey(const Assignment& a) { return a.section() == "simulate" ? a.leaf() : a.key; }

bool isLink(const Parameter& parameter) {
  return parameter.key == "link" || parameter.key.ends_with(".link");
}

/// Makes the simulations of one table.
class TableExpander {
 public:
  TableExpander(Document& document, const Known& known, const SimulationKind& kind, const RunTable& table)
      : d_(document), known_(known), kind_(kind), table_(table), links_(known.links) {
    links_.try_emplace("none");
  }

  /// Whether a key can matter to simulations of this kind.
  bool concerns(const Assignment& a) const {
    const std::string section = a.section();
    if (parameterNamed(kind_.declaration.parameters, declaredKey(a)) != nullptr) return true;
    if (section == "simulate" && kind_.ofMethods)
      return std::ranges::any_of(known_.methods, [&](const Declaration& method) {
        return parameterNamed(method.parameters, a.leaf()) != nullptr;
      });
    return reads(section) ||
           std::ranges::find(kind_.figures, section, &FigureKey::section) != kind_.figures.end();
  }

  void resolve(const Combination& one, std::vector<SimulateSettings>& to) {
    const Effective& effective = one.effective;
    SimulateSettings made;
    made.kind = kind_.declaration.name;
    made.places[""] = table_.at;
    for (const auto& [key, a] : effective) made.places[key] = a->at;
    ownKeys(effective, made);
    method(effective, made);
    sections(effective, made);
    if (!SimulateFigures(d_, kind_, table_).fill(effective, made)) return;
    refuseUnknown(effective, made);
    const auto missing = [&](const Assignment* a) { return !takes(made, *a); };
    if (std::ranges::any_of(one.later, missing)) return;  // made already, with the first alternative
    if (kind_.complete) report(effective, made, [&] { return kind_.complete(made); });
    flatSections(made);
    made.name = nameOf(made, effective);
    if (d_.problems.empty() && kind_.refusals) report(effective, made, [&] { return kind_.refusals(made); });
    to.push_back(std::move(made));
  }

 private:
  void wrong(Problem at, std::string message) {
    at.message = std::move(message);
    d_.problems.push_back(std::move(at));
  }

  bool reads(const std::string& section) const {
    return std::ranges::find(kind_.sections, section) != kind_.sections.end();
  }

  void ownKeys(const Effective& effective, SimulateSettings& made) {
    made.own = fallbacks(kind_.declaration.parameters);
    for (const Parameter& parameter : kind_.declaration.parameters) {
      const std::string declared(parameter.key);
      const auto found = effective.find(keyOf(declared));
      if (found == effective.end()) continue;
      Assignment& a = *found->second;
      a.used = true;
      std::string why;
      const auto value =
          isLink(parameter) ? readLinkValue(*a.node, links_, why) : readValue(parameter, *a.node, why);
      if (value)
        made.own[declared] = *value;
      else
        wrong(a.at, why);
    }
  }

  void method(const Effective& effective, SimulateSettings& made) {
    if (!kind_.ofMethods) return;
    made.run.method = made.own.text("method");
    const Declaration* declaration = declarationNamed(known_.methods, made.run.method);
    if (declaration == nullptr) {
      const auto names = namesOf(known_.methods, &Declaration::name);
      const auto given = effective.find("simulate.method");
      const Problem at = given == effective.end() ? table_.at : given->second->at;
      wrong(at, fmt::format("'{}' is not a method; {}", made.run.method,
                            suggestion(made.run.method, names, "one of " + listed(names))));
    }
    made.run.parameters = ownParameters(
        declaration, effective, "simulate", [&](const Assignment& a) { return made.own.contains(a.leaf()); },
        d_.folder, d_.problems);
  }

  /// What the sections say; those that the kind does not read stay at their defaults.
  void sections(const Effective& effective, SimulateSettings& made) {
    std::map<std::string, Values> of;
    for (const Declaration& section : halo::sections())
      of[std::string(section.name)] = fallbacks(section.parameters);
    for (const auto& [key, a] : effective)
      if (a->value && reads(a->section())) of[a->section()][a->leaf()] = *a->value;
    for (const Parameter& parameter : kind_.declaration.parameters)
      if (isLink(parameter)) of["cluster"]["link"] = made.own.text(parameter.key);
    fillSections(of, links_, d_.folder, made.run);
    if (reads("dataset")) made.run.dataset = datasetOf(of["dataset"], effective, d_.folder, d_.problems);
    const auto graph = made.own.find("graph");  // its figures stand for a data set
    if (reads("dataset") && (graph == made.own.end() || graph->second == Value(std::string())))
      requireDatasetPath(made.run.dataset, effective, d_.problems);
    if (!reads("partition")) return;
    made.run.partition.parameters = ownParameters(
        declarationNamed(known_.partitioners, made.run.partition.method), effective, "partition",
        [](const Assignment& a) { return isOfSection(a); }, d_.folder, d_.problems);
  }

  static bool isOfSection(const Assignment& a) {
    const Declaration* section = sectionNamed(a.section());
    return section != nullptr && parameterNamed(section->parameters, a.leaf()) != nullptr;
  }

  /// Whether the simulation has this key.
  bool takes(const SimulateSettings& made, const Assignment& a) const {
    if (made.own.contains(declaredKey(a))) return true;
    if (a.key == "simulate." + made.kind && a.node->is_table()) return true;  // `pipeline = {}`
    if (a.section() == "simulate") return made.run.parameters.contains(a.leaf());
    if (const auto set = made.figures.find(a.section()); set != made.figures.end())
      return set->second.figures.contains(a.leaf());
    if (!reads(a.section())) return false;
    return isOfSection(a) || (a.section() == "partition" && made.run.partition.parameters.contains(a.leaf()));
  }

  /// Keys of the table itself that the simulation does not have.
  void refuseUnknown(const Effective& effective, const SimulateSettings& made) {
    for (const auto& [key, a] : effective) {
      if (a->scope != Scope::run || takes(made, *a)) continue;
      a->used = true;
      if (sectionNamed(a->section()) != nullptr && !reads(a->section())) {
        std::vector<std::string> read;
        for (const std::string& section : kind_.sections) read.push_back(section + ".*");
        for (const FigureKey& figures : kind_.figures) read.push_back(figures.section + ".*");
        wrong(a->keyAt, fmt::format("a simulation of kind '{}' reads {} besides its own keys",
                                    kind_.declaration.name, fmt::join(read, ", ")));
        continue;
      }
      if (sectionNamed(a->section()) != nullptr && a->section() != "partition") continue;  // said already
      const auto names = keysBeside(made, *a);
      wrong(a->keyAt, "unknown key; " + suggestion(a->leaf(), names, "known are " + listed(names)));
    }
  }

  /// What may stand where this key does.
  std::vector<std::string> keysBeside(const SimulateSettings& made, const Assignment& a) const {
    std::vector<std::string> names;
    const auto set = made.figures.find(a.section());
    if (set != made.figures.end())
      return namesOf(set->second.figures, [](const auto& figure) { return figure.first; });
    if (a.section() == "partition") {
      names = namesOf(sectionNamed("partition")->parameters, &Parameter::key);
      for (const auto& [key, value] : made.run.partition.parameters) names.push_back(key);
    }
    for (const auto& [key, value] : made.own) {
      const std::string whole = keyOf(key), section = whole.substr(0, whole.find('.'));
      if (section == a.section()) names.push_back(whole.substr(section.size() + 1));
    }
    if (a.section() != "simulate") return names;
    for (const auto& [key, value] : made.run.parameters) names.push_back(key);
    names.insert(names.end(), kind_.sections.begin(), kind_.sections.end());
    return names;
  }

  void flatSections(SimulateSettings& made) const {
    for (const auto& [key, value] : made.run.flat()) {
      if (reads(key.substr(0, key.find('.'))) && (!kind_.depends || kind_.depends(made, key)))
        made.sections[key] = value;
    }
  }

  /// Adds what `ask` finds wrong, or throws for, at the key that is.
  template <class Ask>
  void report(const Effective& effective, const SimulateSettings& made, Ask ask) {
    std::vector<Problem> found;
    try {
      found = ask();
    } catch (const InputError& error) {
      found = error.problems();
    }
    for (const Problem& problem : found) {
      if (!problem.file.empty()) {  // of a file of its own
        d_.problems.push_back(problem);
        continue;
      }
      const auto by = effective.find(problem.key);
      const auto ofFigure = made.places.find(problem.key);
      Problem at = by == effective.end() ? table_.at : by->second->at;
      if (by == effective.end()) at.key = problem.key;
      if (by == effective.end() && ofFigure != made.places.end()) at = ofFigure->second;
      wrong(at, problem.message);
    }
  }

  std::string nameOf(const SimulateSettings& made, const Effective& effective) const {
    const auto subject = made.own.find(made.kind);
    const bool named = subject != made.own.end() && std::holds_alternative<std::string>(subject->second);
    std::string name = d_.name + " / " + (named ? std::get<std::string>(subject->second) : made.kind);
    for (const auto& [key, a] : effective) {
      if (key == "simulate." + made.kind || (a->scope != Scope::sweep && a->scope != Scope::run)) continue;
      if (const auto value = valueOf(made, *a))
        name += fmt::format(" / {}={}", a->leaf(), withoutQuotes(toText(*value)));
    }
    return name;
  }

  std::optional<Value> valueOf(const SimulateSettings& made, const Assignment& a) const {
    if (!takes(made, a)) return std::nullopt;
    if (const auto found = made.own.find(declaredKey(a)); found != made.own.end()) return found->second;
    if (a.section() == "simulate") return made.run.parameters.find(a.leaf())->second;
    if (const auto set = made.figures.find(a.section()); set != made.figures.end())
      return set->second.figures.find(a.leaf())->second;
    const Values& partition = made.run.partition.parameters;
    const auto own = partition.find(a.leaf());  // what stands in no section is the partitioner's
    return a.value || own == partition.end() ? a.value : own->second;
  }

  Document& d_;
  const Known& known_;
  const SimulationKind& kind_;
  const RunTable& table_;
  std::map<std::string, LinkSettings> links_;  // presets, and tables written in this file
};

/// Finds each table's kind and what no table reads.
class SimulationExpander {
 public:
  SimulationExpander(Document& document, const Known& known) : d_(document), known_(known) {}

  std::vector<SimulateSettings> all() {
    std::vector<SimulateSettings> simulations;
    double count = 0;
    for (RunTable& table : d_.simulations) {
      const SimulationKind* kind = kindOf(table);
      if (kind == nullptr) continue;
      kinds_.push_back(kind);
      TableExpander expander(d_, known_, *kind, table);
      const auto concerns = [&](const Assignment& a) { return expander.concerns(a); };
      count += combinations(d_, table, concerns);
      if (count > kMostSimulations) continue;
      eachCombination(d_, table, concerns,
                      [&](const Combination& one) { expander.resolve(one, simulations); });
    }
    if (count > kMostSimulations)
      d_.problems.push_back({d_.file, 0, 0, "sweep",
                             fmt::format("asks for {} simulations; at most {}", count, kMostSimulations)});
    for (auto* list : {&d_.base, &d_.set}) reportUnused(*list, simulations);
    for (auto& options : d_.sweeps) reportUnused(options, simulations);
    return simulations;
  }

 private:
  void wrong(Problem at, std::string message) {
    at.message = std::move(message);
    d_.problems.push_back(std::move(at));
  }

  std::vector<std::string> kindNames() const {
    return namesOf(known_.simulations, [](const SimulationKind& kind) { return kind.declaration.name; });
  }

  /// The kind that a key selects, or nullptr: by its name, or by a key of the table of that name.
  const SimulationKind* selectedBy(const Assignment& a) const {
    const std::string name = a.section() == "simulate" ? a.leaf() : a.section();
    const auto found = std::ranges::find(known_.simulations, name, [](const SimulationKind& kind) {
      return std::string(kind.declaration.name);
    });
    const bool section = a.section() != "simulate" && sectionNamed(a.section()) != nullptr;
    return section || found == known_.simulations.end() ? nullptr : &*found;
  }

  struct Selected {
    const SimulationKind* kind = nullptr;
    const Assignment* by = nullptr;
  };
  /// The kinds that these keys select, each once.
  void addSelected(const std::vector<Assignment>& list, std::vector<Selected>& to) const {
    for (const Assignment& a : list)
      if (const SimulationKind* kind = selectedBy(a);
          kind != nullptr && std::ranges::find(to, kind, &Selected::kind) == to.end())
        to.push_back({kind, &a});
  }

  /// The kind of a table: what it says itself, else what the command line or the sweep do.
  const SimulationKind* kindOf(const RunTable& table) {
    std::vector<Selected> selected;
    addSelected(table.assignments, selected);
    for (const auto& options : table.sweeps) addSelected(options, selected);
    if (selected.empty()) addSelected(d_.set, selected);
    if (selected.empty())
      for (const auto& options : d_.sweeps) addSelected(options, selected);
    if (selected.size() == 1) return selected.front().kind;
    const auto names = kindNames();
    if (selected.empty()) {
      wrong(table.at, "says not what is simulated; one of " + listed(names));
      for (const Assignment& a : table.assignments) suggestKind(a, names);
      for (const auto* sweeps : {&table.sweeps, &std::as_const(d_.sweeps)})
        for (const auto& options : *sweeps) suggestKind(options.front(), names);
      return nullptr;
    }
    std::vector<std::string> both;
    for (const Selected& one : selected) both.emplace_back(one.kind->declaration.name);
    wrong(selected[1].by->keyAt,
          fmt::format("a table simulates one thing; {} stand together here", fmt::join(both, " and ")));
    return nullptr;
  }

  /// A misspelt key may be what should have said it.
  void suggestKind(const Assignment& a, const std::vector<std::string>& kinds) {
    if (const std::string near = nearest(a.leaf(), kinds); a.section() == "simulate" && !near.empty())
      wrong(a.keyAt, "unknown key; did you mean '" + near + "'?");
  }

  /// Whether the command line has the last word on this key.
  bool replaced(const Assignment& a) const {
    return a.scope != Scope::set &&
           std::ranges::any_of(d_.set, [&](const Assignment& other) { return other.key == a.key; });
  }

  void reportUnused(std::vector<Assignment>& list, const std::vector<SimulateSettings>& simulations) {
    for (Assignment& a : list) {
      if (d_.simulations.empty() && isSimulateSection(a.section()))
        wrong(a.keyAt, "is of [[simulate]] tables, and this file has none");
      else if (isSimulateSection(a.section()))
        reportUntaken(a, simulations);
      else if (a.scope == Scope::sweep && d_.runs.empty() && !isRead(a.section()))
        wrong(a.keyAt, "multiplies [[run]] tables, and this file has none");
    }
  }

  bool isRead(const std::string& section) const {
    return std::ranges::any_of(kinds_, [&](const SimulationKind* kind) {
      return std::ranges::find(kind->sections, section) != kind->sections.end();
    });
  }

  /// A key of [sweep] or --set that no simulation of the file has.
  void reportUntaken(const Assignment& a, const std::vector<SimulateSettings>& simulations) {
    if (a.used || replaced(a) || kinds_.size() < d_.simulations.size()) return;
    std::vector<std::string> names;
    for (const SimulationKind* kind : kinds_)
      for (const Parameter& parameter : kind->declaration.parameters)
        if (const std::string key = keyOf(std::string(parameter.key)); key.starts_with(a.section() + "."))
          names.push_back(key.substr(a.section().size() + 1));
    const std::string lists = addFigures(a.section(), simulations, names);
    if (std::ranges::find(names, a.leaf()) == names.end())
      wrong(a.keyAt, "unknown key; " +
                         suggestion(a.leaf(), names, lists.empty() ? "known are " + listed(names) : lists));
    else if (d_.problems.empty())  // else what would have it may be what is wrong
      wrong(a.keyAt, "no simulation of this file has this key");
  }

  /// Adds what this section replaces: figures of the models that the simulations name, or, where none could
  /// be made, of all. Returns where they are listed; "" where the section replaces none.
  std::string addFigures(const std::string& section, const std::vector<SimulateSettings>& simulations,
                         std::vector<std::string>& names) const {
    std::set<std::string> lists;
    for (const SimulateSettings& one : simulations)
      if (const auto set = one.figures.find(section); set != one.figures.end()) {
        lists.insert("`haloscope methods " + set->second.model + "`");
        for (const auto& [key, figure] : set->second.figures) names.push_back(key);
      }
    if (!lists.empty()) return fmt::format("see {}", fmt::join(lists, ", "));
    bool any = false;
    for (const SimulationKind* kind : kinds_)
      for (const FigureKey& figures : kind->figures)
        for (const Declaration& model : figures.models)
          if (figures.section == section) {
            any = true;
            for (const Parameter& parameter : model.parameters) names.emplace_back(parameter.key);
          }
    return any ? "see `haloscope methods`" : "";
  }

  Document& d_;
  const Known& known_;
  std::vector<const SimulationKind*> kinds_;  // of the tables
};

}  // namespace

std::vector<SimulateSettings> expandSimulations(Document& document, const Known& known) {
  return SimulationExpander(document, known).all();
}

}  // namespace halo
