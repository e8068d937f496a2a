#include "engine/methods/contract/fairness.h"

#include <algorithm>
#include <map>
#include <set>

#include "engine/methods/contract/method_entry.h"

namespace halo {
namespace {

constexpr const char* kCacheKey = "layer0_cache";

/// Methods by what they do, in the order of their names.
using ByChoice = std::map<std::string, std::set<std::string>>;

bool takesAnOrder(const RunSettings& run) { return run.model.order == "auto" && !attends(run.model); }

std::string orderTaken(const RunSettings& run) {
  const std::string order = modelFor(*find<MethodEntry>(run.method), run.model).order;
  return order == "auto" ? "the cheaper by widths" : order;
}

bool cachesLayer0(const RunSettings& run) {
  return cachesLayer0(*find<MethodEntry>(run.method), run.parameters);
}

/// What the runs do, where methods differ and each does one thing; else nothing.
template <class Takes, class Choice>
ByChoice unlike(std::span<const RunSettings> runs, const Takes& takes, const Choice& choice) {
  ByChoice methods;
  std::map<std::string, std::set<std::string>> choices;
  for (const RunSettings& run : runs) {
    if (!takes(run)) continue;
    const std::string made = choice(run);
    methods[made].insert(run.method);
    choices[run.method].insert(made);
  }
  const bool varied =
      std::ranges::any_of(choices, [](const auto& chosen) { return chosen.second.size() > 1; });
  return varied || methods.size() < 2 ? ByChoice() : methods;
}

std::string listed(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " and ") + part;
  return text;
}

std::string told(const ByChoice& methods) {
  std::string text;
  for (const auto& [choice, names] : methods)
    text += (text.empty() ? "" : "; ") + choice + " (" + listed(names) + ")";
  return text;
}

/// Methods of one worker send nothing, and are compared by what they compute.
bool isDistributed(const RunSettings& run) {
  const MethodEntry* entry = find<MethodEntry>(run.method);
  return entry != nullptr && entry->distributed;
}

ByChoice unlikeOrders(std::span<const RunSettings> runs) {
  return unlike(
      runs, [](const RunSettings& run) { return isDistributed(run) && takesAnOrder(run); }, orderTaken);
}

ByChoice unlikeCaches(std::span<const RunSettings> runs) {
  return unlike(runs, isDistributed, [](const RunSettings& run) -> std::string {
    return cachesLayer0(run) ? "kept" : "aggregated in each epoch";
  });
}

/// What a method does not allow of a run that was changed.
void refuse(const RunSettings& changed, std::vector<Problem>& problems) {
  for (const Problem& problem : refusals(*find<MethodEntry>(changed.method), changed)) {
    Problem placed = problem;
    placed.message = changed.method + " cannot be made like the others of the file: " + problem.key + ": " +
                     problem.message;
    placed.key = "fair";
    if (std::ranges::none_of(problems, [&](const Problem& p) { return p.message == placed.message; }))
      problems.push_back(placed);
  }
}

/// Methods that keep layer 0's aggregate: those that always do, and those that were told to.
struct Keepers {
  std::set<std::string> always, told;
};

Keepers keepersOf(std::span<const RunSettings> runs) {
  Keepers keepers;
  for (const RunSettings& run : runs)
    if (isDistributed(run) && cachesLayer0(run))
      (run.parameters.contains(kCacheKey) ? keepers.told : keepers.always).insert(run.method);
  return keepers;
}

/// Why `method` cannot be made like those that keep layer 0's aggregate, and what would be fair.
std::string cannotKeep(const std::string& method, const Keepers& keepers) {
  std::vector<std::string> who, fair;
  if (!keepers.always.empty()) {
    const std::string names = listed(keepers.always);
    who.push_back(names + (keepers.always.size() == 1 ? " always keeps" : " always keep") + " its aggregate");
    fair.push_back("leave either " + method + " or " + names + " out of the file");
  }
  if (!keepers.told.empty()) {
    const std::string names = listed(keepers.told);
    who.push_back(names + (keepers.told.size() == 1 ? " was" : " were") + " told to keep its aggregate");
    fair.push_back("set layer0_cache = false for " + names);
  }
  return method + " aggregates layer 0 in each epoch, and " + joined(who) + ". To be fair, " + joined(fair) +
         "; without fair = true they run as they are, and compare names the difference";
}

}  // namespace

std::vector<std::string> unlikeByAuto(std::span<const RunSettings> runs) {
  std::vector<std::string> sentences;
  const auto say = [&](const std::string& what, const ByChoice& methods) {
    if (!methods.empty())
      sentences.push_back("methods differ in " + what + ": " + told(methods) +
                          "; fair = true makes them alike");
  };
  say("the order of a layer that model.order = \"auto\" takes, and so in how wide the rows are that travel",
      unlikeOrders(runs));
  say("layer 0's aggregate", unlikeCaches(runs));
  return sentences;
}

std::vector<Problem> makeAlike(std::span<RunSettings> runs) {
  std::vector<Problem> problems;
  if (!unlikeOrders(runs).empty())
    for (RunSettings& run : runs)
      if (takesAnOrder(run)) {
        run.model.order = "aggregate-first";
        refuse(run, problems);
      }
  if (unlikeCaches(runs).empty()) return problems;
  const Keepers keepers = keepersOf(runs);
  for (RunSettings& run : runs) {
    if (!isDistributed(run) || cachesLayer0(run)) continue;
    if (run.parameters.contains(kCacheKey)) {
      run.parameters[kCacheKey] = true;
      refuse(run, problems);
      continue;
    }
    const std::string message = cannotKeep(run.method, keepers);
    if (std::ranges::none_of(problems, [&](const Problem& p) { return p.message == message; }))
      problems.push_back({"", 0, 0, "fair", message});
  }
  return problems;
}

}  // namespace halo
