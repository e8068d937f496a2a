#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "engine/experiment/document.h"
#include "engine/experiment/key_places.h"

namespace halo {
namespace {

constexpr std::int64_t kMostRuns = 100'000;

/// Makes runs of a document: layers its assignments, checks values and combinations.
class Expander {
 public:
  Expander(Document& document, const Known& known) : d_(document), known_(known), links_(known.links) {
    links_.try_emplace("none");
  }

  std::vector<RunSettings> all() {
    for (auto* list : assignmentLists())
      for (Assignment& a : *list) check(a);
    for (const auto& options : d_.sweeps) refuseTwice(options, d_.problems);
    for (const RunTable& simulation : d_.simulations)
      for (const auto& options : simulation.sweeps) refuseTwice(options, d_.problems);
    std::vector<RunSettings> runs;
    if (tooMany()) return runs;
    for (RunTable& run : d_.runs) expandRun(run, runs);
    if (runCount_ > kMostRuns)
      d_.problems.push_back(
          {.file = d_.file,
           .key = "training.repeat",
           .message = fmt::format("asks for {} runs in all; at most {}", runCount_, kMostRuns)});
    for (const auto& options : d_.sweeps)
      if (options.front().key == "training.seed") refuseSeedsTwice(options, runs);
    for (auto* list : assignmentLists())
      for (const Assignment& a : *list) reportUnused(a);
    return runs;
  }

 private:
  std::vector<std::vector<Assignment>*> assignmentLists() {
    std::vector<std::vector<Assignment>*> lists{&d_.base, &d_.set};
    for (auto& options : d_.sweeps) lists.push_back(&options);
    for (RunTable& run : d_.runs) lists.push_back(&run.assignments);
    for (RunTable& simulation : d_.simulations) {
      lists.push_back(&simulation.assignments);
      for (auto& options : simulation.sweeps) lists.push_back(&options);
    }
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
    const Key* key = keyNamed(a.section(), a.leaf());
    if (key == nullptr) {
      const auto names = namesOf(sectionNamed(a.section())->parameters, &Parameter::key);
      return wrong(a.keyAt, unknownKey(a, known_, names, "known are " + listed(names)));
    }
    std::string why;
    a.value = readKey(*key, *a.node, known_, links_, why);
    if (!a.value) wrong(a.at, why);
  }

  // --- layering -----------------------------------------------------------------------------------

  bool tooMany() {
    double count = 0;
    LayeringCost cost(d_);
    for (const RunTable& run : d_.runs) {
      cost.add(run, 1);  // to count takes as long
      if (cost.tooMuch()) break;
      const double more = combinations(d_, run, isOfRuns);
      cost.add(run, more);
      count += more;
    }
    if (count > static_cast<double>(kMostRuns))
      d_.problems.push_back({.file = d_.file,
                             .key = "sweep",
                             .message = fmt::format("asks for {} runs; at most {}", count, kMostRuns)});
    else if (cost.tooMuch())
      d_.problems.push_back(cost.problem("runs"));
    return count > static_cast<double>(kMostRuns) || cost.tooMuch();
  }

  /// Repeats count up from each seed that is swept over.
  void refuseSeedsTwice(const std::vector<Assignment>& options, const std::vector<RunSettings>& runs) {
    std::int64_t repeat = 1;
    for (const RunSettings& run : runs) repeat = std::max(repeat, run.training.repeat);
    std::vector<std::int64_t> seeds;
    for (const Assignment& a : options)
      if (a.value) seeds.push_back(std::get<std::int64_t>(*a.value));
    std::ranges::sort(seeds);
    for (std::size_t i = 1; i < seeds.size(); ++i)
      if (seeds[i] - seeds[i - 1] < repeat && seeds[i] != seeds[i - 1])
        return wrong(options.front().keyAt,
                     fmt::format("seed {} comes twice: training.repeat counts {} up from each; seeds at "
                                 "least {} apart",
                                 seeds[i], repeat, repeat));
  }

  static bool isOfRuns(const Assignment& a) { return !isSimulateSection(a.section()); }

  void expandRun(RunTable& run, std::vector<RunSettings>& runs) {
    eachCombination(d_, run, isOfRuns, [&](const Combination& combination) {
      if (firstOfItsKind(combination)) addRepeats(resolve(combination.effective, run), runs);
    });
  }

  /// False where only a swept parameter differs that this run's method or partitioner does not have.
  bool firstOfItsKind(const Combination& combination) const {
    return std::ranges::all_of(combination.later, [&](const Assignment* a) {
      const Declaration* declaration =
          isOwn(*a) ? declarationOf(combination.effective, a->section()) : nullptr;
      return !isOwn(*a) ||
             (declaration != nullptr && parameterNamed(declaration->parameters, a->leaf()) != nullptr);
    });
  }

  const Declaration* declarationOf(const Effective& effective, const std::string& section) const {
    const auto method = effective.find(section + ".method");
    if (method == effective.end())
      return section == "partition" ? declarationNamed(known_.partitioners, PartitionSettings().method)
                                    : nullptr;
    if (!method->second->value) return nullptr;
    return declarationNamed(section == "run" ? known_.methods : known_.partitioners,
                            std::get<std::string>(*method->second->value));
  }

  void addRepeats(const RunSettings& run, std::vector<RunSettings>& runs) {
    runCount_ += run.training.repeat;
    if (runCount_ > kMostRuns) return;
    for (std::int64_t i = 0; i < run.training.repeat; ++i) {
      RunSettings repeat = run;
      repeat.training.seed += static_cast<std::uint64_t>(i);
      if (run.training.repeat > 1) repeat.name += fmt::format(" / seed={}", repeat.training.seed);
      runs.push_back(std::move(repeat));
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
      const auto assignment = effective.find(key);
      return assignment == effective.end() ? nullptr : assignment->second;
    };
    Combinations(run, known_, settledBy, table.at, d_.problems).check();
    return run;
  }

  std::string methodOf(const Effective& effective, const RunTable& table) {
    const auto method = effective.find("run.method");
    if (method == effective.end()) {
      for (const Assignment& a : table.assignments)
        if (a.section() == "run" && !nearest(a.leaf(), {"method"}).empty()) {
          wrong(a.keyAt, "unknown key; did you mean 'method'?");
          return "";
        }
      wrong(table.at, "no method; one of " + listed(namesOf(known_.methods, &Declaration::name)));
      return "";
    }
    return method->second->value ? std::get<std::string>(*method->second->value) : "";
  }

  /// What the run's method ("run") or partitioner ("partition") declares itself, complete.
  Values own(const Effective& effective, const std::string& section) {
    return ownParameters(
        declarationOf(effective, section), effective, section, [](const Assignment& a) { return !isOwn(a); },
        d_.folder, d_.problems);
  }

  void fill(const Effective& effective, RunSettings& run) {
    std::map<std::string, Values> values;
    for (const Declaration& section : sections())
      values[std::string(section.name)] = fallbacks(section.parameters);
    if (const auto fewest = known_.fewestWorkers.find(run.method); fewest != known_.fewestWorkers.end())
      values["cluster"].insert_or_assign("workers", Value(fewest->second));
    for (const auto& [key, a] : effective)
      if (a->value && a->section() != "run" && !isSimulateSection(a->section()))
        values[a->section()][a->leaf()] = *a->value;

    fillSections(values, links_, d_.folder, run);
    settleDataset(values["dataset"], effective, d_.folder, run.dataset, d_.problems);
  }

  std::string nameOf(const RunSettings& run, const Effective& effective) const {
    std::string name = d_.name + " / " + run.method;
    for (const auto& [key, a] : effective) {
      if (key == "run.method" || !isNamed(*a)) continue;
      const auto& values = a->section() == "run" ? run.parameters : run.partition.parameters;
      const auto ownValue = values.find(a->leaf());
      if (a->value || (isOwn(*a) && ownValue != values.end()))
        name += fmt::format(" / {}={}", keyInName(*a, effective),
                            withoutQuotes(toText(a->value ? *a->value : ownValue->second)));
    }
    return asName(name);
  }

  void reportUnused(const Assignment& a) {
    if (a.used || !isOwn(a) || isSimulateSection(a.section()) || d_.runs.empty()) return;
    const auto replaces = [&](const Assignment& set) { return set.used && set.key == a.key; };
    if (std::ranges::any_of(d_.set, replaces)) return;
    const auto& keys = keysOf(a.section());
    const bool others = std::ranges::find(keys, a.leaf()) != keys.end();
    wrong(a.keyAt,
          others ? "another method of this file has this key, this run's has not; " + rightPlace(a, known_)
                 : unknownKey(a, known_, keys, "see `haloscope methods`"));
  }

  /// What the methods or partitioners that the file names have in "run" or "partition". Found once: the
  /// whole file is gone through.
  const std::vector<std::string>& keysOf(const std::string& section) {
    const auto [entry, isNew] = keysOf_.try_emplace(section);
    std::vector<std::string>& keys = entry->second;
    if (!isNew) return keys;
    const auto add = [&](std::span<const Parameter> parameters) {
      for (const Parameter& parameter : parameters) keys.emplace_back(parameter.key);
    };
    if (section == "partition") add(sectionNamed("partition")->parameters);
    if (section == "run") keys.emplace_back("method");
    for (const Declaration& declaration : section == "run" ? known_.methods : known_.partitioners)
      if (namedSomewhere(section + ".method", declaration.name)) add(declaration.parameters);
    return keys;
  }

  /// Whether some assignment of `key` says `name` (or the default does).
  bool namedSomewhere(const std::string& key, std::string_view name) {
    if (key == "partition.method" && name == PartitionSettings().method) return true;
    for (const auto* list : assignmentLists())
      for (const Assignment& a : *list)
        if (a.key == key && a.value && std::get<std::string>(*a.value) == name) return true;
    return false;
  }

  Document& d_;
  const Known& known_;
  std::map<std::string, LinkSettings> links_;  // presets, and tables written in this file
  std::map<std::string, std::vector<std::string>> keysOf_;
  std::int64_t runCount_ = 0;  // with their repeats
};

}  // namespace

std::vector<RunSettings> expand(Document& document, const Known& known) {
  return Expander(document, known).all();
}

}  // namespace halo
