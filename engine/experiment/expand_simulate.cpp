// [[simulate]] × its lists × [sweep] as settings of simulations.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/experiment/document.h"
#include "engine/experiment/key_places.h"
#include "engine/experiment/simulation_table.h"

namespace halo {
namespace {

using Scope = Assignment::Scope;
constexpr double kMostSimulations = 10'000;

/// Finds each table's kind and what no table reads.
class SimulationExpander {
 public:
  SimulationExpander(Document& document, const Known& known) : d_(document), known_(known) {}

  std::vector<SimulateSettings> all() {
    std::vector<SimulateSettings> simulations;
    double count = 0;
    LayeringCost cost(d_);
    for (RunTable& table : d_.simulations) {
      cost.add(table, 1);  // to count takes as long
      if (cost.tooMuch()) break;
      const SimulationKind* kind = kindOf(table);
      if (kind == nullptr) continue;
      kinds_.push_back(kind);
      SimulationTable simulated(d_, known_, *kind, table);
      const auto concerns = [&](const Assignment& a) { return simulated.concerns(a); };
      const double more = combinations(d_, table, concerns);
      count += more;
      cost.add(table, more);
      if (count > kMostSimulations || cost.tooMuch()) continue;
      eachCombination(d_, table, concerns,
                      [&](const Combination& combination) { simulated.resolve(combination, simulations); });
    }
    if (count > kMostSimulations)
      d_.problems.push_back(
          {.file = d_.file,
           .key = "sweep",
           .message = fmt::format("asks for {} simulations; at most {}", count, kMostSimulations)});
    else if (cost.tooMuch())
      d_.problems.push_back(cost.problem("simulations"));
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
    const auto named = std::ranges::find(known_.simulations, name, [](const SimulationKind& kind) {
      return std::string(kind.declaration.name);
    });
    const bool section = a.section() != "simulate" && sectionNamed(a.section()) != nullptr;
    return section || named == known_.simulations.end() ? nullptr : &*named;
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
    for (const Selected& choice : selected) both.emplace_back(choice.kind->declaration.name);
    wrong(selected[1].by->keyAt,
          fmt::format("a table simulates one thing; {} stand together here", fmt::join(both, " and ")));
    return nullptr;
  }

  /// A misspelt key may be what should have said it.
  void suggestKind(const Assignment& a, const std::vector<std::string>& kinds) {
    if (a.section() == "simulate" && a.leaf() == "kind")
      return wrong(a.keyAt, "unknown key; a kind is selected by its own key, one of " + listed(kinds));
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
        if (const std::string key = simulateKey(std::string(parameter.key));
            key.starts_with(a.section() + "."))
          names.push_back(key.substr(a.section().size() + 1));
    const std::string lists = addFigures(a.section(), simulations, names);
    if (std::ranges::find(names, a.leaf()) == names.end())
      wrong(a.keyAt, unknownKey(a, known_, names, lists.empty() ? "known are " + listed(names) : lists));
    else if (d_.problems.empty())  // else what would have it may be what is wrong
      wrong(a.keyAt, "no simulation of this file has this key");
  }

  /// Adds what this section replaces: figures of the models that the simulations name, or, where none could
  /// be made, of all. Returns where they are listed; "" where the section replaces none.
  std::string addFigures(const std::string& section, const std::vector<SimulateSettings>& simulations,
                         std::vector<std::string>& names) const {
    std::set<std::string> lists;
    for (const SimulateSettings& simulation : simulations)
      if (const auto set = simulation.figures.find(section); set != simulation.figures.end()) {
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
