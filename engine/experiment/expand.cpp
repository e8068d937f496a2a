#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "datasets/catalogue.h"
#include "datasets/formats/format.h"
#include "engine/experiment/document.h"

namespace halo {
namespace {

using Scope = Assignment::Scope;
constexpr std::int64_t kMostRuns = 100'000;
constexpr const char* kSpans = R"("all", "none" or "every N epochs")";

const Parameter* parameterNamed(std::span<const Parameter> parameters, const std::string& key) {
  const auto found = std::ranges::find(parameters, key, &Parameter::key);
  return found == parameters.end() ? nullptr : &*found;
}

const Declaration* declarationNamed(const std::vector<Declaration>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Declaration::name);
  return found == all.end() ? nullptr : &*found;
}

std::string unquoted(std::string text) {
  if (text.size() >= 2 && text.front() == '"') return text.substr(1, text.size() - 2);
  return text;
}

/// Makes runs of a document: layers its assignments, checks values and combinations.
class Expander {
 public:
  Expander(Document& document, const Known& known) : d_(document), known_(known), links_(known.links) {
    links_.try_emplace("none");
  }

  std::vector<RunSettings> all() {
    for (auto* list : assignmentLists())
      for (Assignment& a : *list) check(a);
    for (const auto& options : d_.sweeps) refuseTwice(options);
    std::vector<RunSettings> runs;
    if (tooMany()) return runs;
    for (RunTable& run : d_.runs) expandRun(run, runs);
    for (auto* list : assignmentLists())
      for (const Assignment& a : *list) reportUnused(a);
    return runs;
  }

 private:
  std::vector<std::vector<Assignment>*> assignmentLists() {
    std::vector<std::vector<Assignment>*> lists{&d_.base, &d_.set};
    for (auto& options : d_.sweeps) lists.push_back(&options);
    for (RunTable& run : d_.runs) lists.push_back(&run.assignments);
    for (RunTable& simulation : d_.simulations) lists.push_back(&simulation.assignments);
    return lists;
  }

  void wrong(Problem at, std::string message) {
    at.message = std::move(message);
    d_.problems.push_back(std::move(at));
  }

  // --- one assignment by itself -------------------------------------------------------------------

  static bool isOwn(const Assignment& a) {            // depends on which method or partitioner the run has
    if (isSimulateSection(a.section())) return true;  // settled in expand_simulate.cpp
    if (a.section() == "run") return a.leaf() != "method";
    return a.section() == "partition" &&
           parameterNamed(sectionNamed("partition")->parameters, a.leaf()) == nullptr;
  }

  void check(Assignment& a) {
    if (isOwn(a)) return;
    static constexpr Parameter kMethod{"method", "", Text{""}};
    const Parameter* parameter =
        a.section() == "run" ? &kMethod : parameterNamed(sectionNamed(a.section())->parameters, a.leaf());
    if (parameter == nullptr) {
      const auto known = namesOf(sectionNamed(a.section())->parameters, &Parameter::key);
      return wrong(a.keyAt, "unknown key; " + suggestion(a.leaf(), known, "known are " + listed(known)));
    }
    std::string why;
    if (a.key == "cluster.hosts")
      a.value = hosts(*a.node, why);
    else if (a.key == "cluster.link")
      a.value = link(*a.node, why);
    else
      a.value = readValue(*parameter, *a.node, why);
    if (a.key == "record.spans" && !a.value) why = shown(*a.node) + " cannot be used; " + kSpans;
    if (a.value) why = checkName(a.key, *a.value);
    if (why.empty()) return;
    a.value.reset();
    wrong(a.at, why);
  }

  void refuseTwice(const std::vector<Assignment>& options) {
    std::set<std::string> seen;
    for (const Assignment& a : options)
      if (const std::string value = a.value ? toText(*a.value) : shown(*a.node); !seen.insert(value).second)
        wrong(a.at, value + " stands twice in the list; each value once");
  }

  std::optional<Value> hosts(const toml::node& node, std::string& why) const {
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      why = shown(node) + R"( cannot be used; a list like ["node1:8", "node2:8"])";
      return std::nullopt;
    }
    std::vector<std::string> names;
    for (const toml::node& item : *list) {
      const auto* name = item.as_string();
      if (name != nullptr && isHost(name->get()))
        names.push_back(name->get());
      else
        why += (why.empty() ? "" : ", ") + shown(item);
    }
    if (why.empty()) return joinHosts(names);
    why += std::string(names.size() + 1 == list->size() ? " is not a host" : " are not hosts") +
           "; a name of letters, digits, '.', '-', '_', and ':ranks' if wanted";
    return std::nullopt;
  }

  std::optional<Value> link(const toml::node& node, std::string& why) {
    if (const toml::table* table = node.as_table()) {
      const auto made = readLink(*table, why);
      if (!made) return std::nullopt;
      links_.emplace(made->name, *made);
      return made->name;
    }
    const auto* name = node.as_string();
    if (name != nullptr && links_.contains(name->get())) return name->get();
    const auto presets = namesOf(links_, [](const auto& entry) { return entry.first; });
    why = shown(node) + " cannot be used; a table { bandwidth_gbit = 10.0, latency_us = 20.0 } or one of " +
          listed(presets);
    return std::nullopt;
  }

  /// What is wrong with a value that names something, or "".
  std::string checkName(const std::string& key, const Value& value) const {
    if (key == "run.method") return among(known_.methods, value, "a method");
    if (key == "partition.method") return among(known_.partitioners, value, "a partitioner");
    if (key == "model.kind") return among(known_.layers, value, "a layer kind");
    if (key == "dataset.name" && catalogued(std::get<std::string>(value)) == nullptr) {
      const auto& name = std::get<std::string>(value);
      const auto names = namesOf(catalogue(), &CatalogueEntry::name);
      return fmt::format(
          "'{}' is not in the catalogue; {}", name,
          suggestion(name, names, "`haloscope dataset list` shows it, and dataset.path names files"));
    }
    if (key == "dataset.format" && !std::get<std::string>(value).empty()) {
      std::vector<Declaration> formats;
      for (const auto& [name, entry] : registry<FormatEntry>()) formats.push_back(entry.declaration);
      return among(formats, value, "a format");
    }
    if (key == "record.spans" && !readSpans(std::get<std::string>(value)))
      return fmt::format("'{}' cannot be used; {}", std::get<std::string>(value), kSpans);
    return "";
  }

  static std::string among(const std::vector<Declaration>& known, const Value& value,
                           const std::string& what) {
    const auto& name = std::get<std::string>(value);
    if (declarationNamed(known, name) != nullptr) return "";
    const auto names = namesOf(known, &Declaration::name);
    return fmt::format("'{}' is not {}; {}", name, what, suggestion(name, names, "one of " + listed(names)));
  }

  // --- layering -----------------------------------------------------------------------------------

  bool tooMany() {
    double count = 0, product = 1;
    for (const auto& options : d_.sweeps)
      if (!isSimulateSection(options.front().section())) product *= static_cast<double>(options.size());
    count = product * static_cast<double>(d_.runs.size());
    if (count <= static_cast<double>(kMostRuns)) return false;
    d_.problems.push_back(
        {d_.file, 0, 0, "sweep", fmt::format("asks for {} runs; at most {}", count, kMostRuns)});
    return true;
  }

  /// Whether `key` is settled for this run whatever the sweep says: by the run itself or by --set.
  bool settled(const RunTable& run, const std::string& key) const {
    const auto same = [&](const Assignment& a) { return a.key == key; };
    return std::ranges::any_of(run.assignments, same) || std::ranges::any_of(d_.set, same);
  }

  void expandRun(RunTable& run, std::vector<RunSettings>& runs) {
    std::vector<std::vector<Assignment>*> swept;
    for (auto& options : d_.sweeps)
      if (!settled(run, options.front().key) && !isSimulateSection(options.front().section()))
        swept.push_back(&options);
    std::vector<std::size_t> chosen(swept.size(), 0);
    while (true) {
      Effective effective;
      for (Assignment& a : d_.base) effective[a.key] = &a;
      for (std::size_t i = 0; i < swept.size(); ++i)
        effective[swept[i]->front().key] = &(*swept[i])[chosen[i]];
      for (Assignment& a : run.assignments) effective[a.key] = &a;
      for (Assignment& a : d_.set) effective[a.key] = &a;
      if (firstOfItsKind(effective, swept, chosen)) addRepeats(resolve(effective, run), runs);
      std::size_t i = swept.size();
      while (i > 0 && ++chosen[i - 1] == swept[i - 1]->size()) chosen[--i] = 0;
      if (i == 0) return;
    }
  }

  /// False where only a swept parameter differs that this run's method or partitioner does not have.
  bool firstOfItsKind(const Effective& effective, const std::vector<std::vector<Assignment>*>& swept,
                      const std::vector<std::size_t>& chosen) const {
    for (std::size_t i = 0; i < swept.size(); ++i) {
      const Assignment& a = swept[i]->front();
      if (!isOwn(a) || chosen[i] == 0) continue;
      const Declaration* declaration = declarationOf(effective, a.section());
      if (declaration == nullptr || parameterNamed(declaration->parameters, a.leaf()) == nullptr)
        return false;
    }
    return true;
  }

  const Declaration* declarationOf(const Effective& effective, const std::string& section) const {
    const auto found = effective.find(section + ".method");
    if (found == effective.end())
      return section == "partition" ? declarationNamed(known_.partitioners, "metis") : nullptr;
    if (!found->second->value) return nullptr;
    return declarationNamed(section == "run" ? known_.methods : known_.partitioners,
                            std::get<std::string>(*found->second->value));
  }

  void addRepeats(const RunSettings& run, std::vector<RunSettings>& runs) const {
    for (std::int64_t i = 0; i < run.training.repeat; ++i) {
      RunSettings one = run;
      one.training.seed += static_cast<std::uint64_t>(i);
      if (run.training.repeat > 1) one.name += fmt::format(" / seed={}", one.training.seed);
      runs.push_back(std::move(one));
    }
  }

  // --- one run ------------------------------------------------------------------------------------

  RunSettings resolve(const Effective& effective, const RunTable& table) {
    RunSettings run;
    run.method = methodOf(effective, table);
    run.parameters = own(effective, "run");
    fill(effective, run);
    run.partition.parameters = own(effective, "partition");
    run.name = nameOf(run, effective);
    const Combinations::Lookup settledBy = [&](const std::string& key) {
      const auto found = effective.find(key);
      return found == effective.end() ? nullptr : found->second;
    };
    Combinations(run, known_, settledBy, d_.problems).check();
    return run;
  }

  std::string methodOf(const Effective& effective, const RunTable& table) {
    const auto found = effective.find("run.method");
    if (found == effective.end()) {
      wrong(table.at, "no method; one of " + listed(namesOf(known_.methods, &Declaration::name)));
      return "";
    }
    return found->second->value ? std::get<std::string>(*found->second->value) : "";
  }

  /// What the run's method ("run") or partitioner ("partition") declares itself, complete.
  Values own(const Effective& effective, const std::string& section) {
    const Declaration* declaration = declarationOf(effective, section);
    Values values = declaration == nullptr ? Values{} : fallbacks(declaration->parameters);
    for (const auto& [key, a] : effective) {
      if (a->section() != section || !isOwn(*a)) continue;
      if (declaration == nullptr) {
        a->used = true;  // the unknown name is the problem, not its parameters
        continue;
      }
      const Parameter* parameter = parameterNamed(declaration->parameters, a->leaf());
      if (parameter == nullptr) continue;
      a->used = true;
      std::string why;
      if (const auto value = readValue(*parameter, *a->node, why))
        values[a->leaf()] = isPath(*parameter) ? Value(resolved(std::get<std::string>(*value))) : *value;
      else
        wrong(a->at, why);
    }
    return values;
  }

  static bool isPath(const Parameter& parameter) {
    return std::holds_alternative<Text>(parameter.type) &&
           (parameter.key == "path" || parameter.key == "file");
  }

  std::string resolved(const std::string& path) const { return resolvedFrom(d_.folder, path); }

  void fill(const Effective& effective, RunSettings& run) {
    std::map<std::string, Values> of;
    for (const Declaration& section : sections())
      of[std::string(section.name)] = fallbacks(section.parameters);
    for (const auto& [key, a] : effective)
      if (a->value && a->section() != "run" && !isSimulateSection(a->section()))
        of[a->section()][a->leaf()] = *a->value;

    run.dataset = datasetOf(of["dataset"], effective, d_.folder, d_.problems);
    fillSections(of, links_, d_.folder, run);
  }

  std::string nameOf(const RunSettings& run, const Effective& effective) const {
    std::string name = d_.name + " / " + run.method;
    for (const auto& [key, a] : effective) {
      if (key == "run.method" || (a->scope != Scope::sweep && a->scope != Scope::run)) continue;
      const auto& values = a->section() == "run" ? run.parameters : run.partition.parameters;
      const auto ownValue = values.find(a->leaf());
      if (a->value || (isOwn(*a) && ownValue != values.end()))
        name += fmt::format(" / {}={}", a->leaf(), unquoted(toText(a->value ? *a->value : ownValue->second)));
    }
    return name;
  }

  void reportUnused(const Assignment& a) {
    if (a.used || !isOwn(a) || isSimulateSection(a.section()) || d_.runs.empty()) return;
    std::vector<std::string> known;
    const auto add = [&](const Declaration& declaration) {
      for (const Parameter& parameter : declaration.parameters) known.emplace_back(parameter.key);
    };
    if (a.section() == "partition")
      for (const Parameter& parameter : sectionNamed("partition")->parameters)
        known.emplace_back(parameter.key);
    if (a.section() == "run") known.emplace_back("method");
    for (const Declaration& declaration : a.section() == "run" ? known_.methods : known_.partitioners)
      if (namedSomewhere(a.section() + ".method", declaration.name)) add(declaration);
    const bool others = std::ranges::find(known, a.leaf()) != known.end();
    wrong(a.keyAt, others ? "another method of this file has this key, this run's has not"
                          : "unknown key; " + suggestion(a.leaf(), known, "see `haloscope methods`"));
  }

  /// Whether some assignment of `key` says `name` (or the default does).
  bool namedSomewhere(const std::string& key, std::string_view name) {
    if (key == "partition.method" && name == "metis") return true;
    for (const auto* list : assignmentLists())
      for (const Assignment& a : *list)
        if (a.key == key && a.value && std::get<std::string>(*a.value) == name) return true;
    return false;
  }

  Document& d_;
  const Known& known_;
  std::map<std::string, LinkSettings> links_;  // presets, and tables written in this file
};

}  // namespace

std::vector<RunSettings> expand(Document& document, const Known& known) {
  return Expander(document, known).all();
}

}  // namespace halo
