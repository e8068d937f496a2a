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

/// What is done by whom, of runs that were given the same to choose by.
struct Choices {
  ByChoice methods;
  std::map<std::string, std::set<std::string>> byMethod;  //; several where the file varies it

  void add(const std::string& method, const std::string& choice) {
    methods[choice].insert(method);
    byMethod[method].insert(choice);
  }
  /// Of some two methods no run of the one does what a run of the other does.
  bool areUnlike() const {
    const auto apart = [&](const auto& method, const auto& other) {
      return std::ranges::none_of(method.second,
                                  [&](const std::string& choice) { return other.second.contains(choice); });
    };
    return std::ranges::any_of(byMethod, [&](const auto& method) {
      return std::ranges::any_of(byMethod, [&](const auto& other) { return apart(method, other); });
    });
  }
};

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

std::string choicesInWords(const ByChoice& methods) {
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

/// Empty: they are alike. A sweep of what an order depends on makes groups, each of which is looked at.
ByChoice unlikeOrders(std::span<const RunSettings> runs) {
  std::map<std::pair<std::string, std::string>, Choices> groups;  // by kind and place of dropout
  for (const RunSettings& run : runs)
    if (isDistributed(run) && takesAnOrder(run))
      groups[{run.model.kind, run.model.dropoutPosition}].add(run.method, orderTaken(run));
  ByChoice unlike;
  for (const auto& [group, choices] : groups)
    if (choices.areUnlike())
      for (const auto& [choice, methods] : choices.methods)
        unlike[choice].insert(methods.begin(), methods.end());
  return unlike;
}

Choices cacheChoices(std::span<const RunSettings> runs) {
  Choices choices;
  for (const RunSettings& run : runs)
    if (isDistributed(run)) choices.add(run.method, cachesLayer0(run) ? "kept" : "aggregated in each epoch");
  return choices;
}

/// Methods that cannot be made like the others, and why.
struct Refused {
  std::set<std::string> methods;
  std::vector<Problem> problems;
};

/// What a method does not allow of a run that was changed.
void refuse(const RunSettings& changed, Refused& refused) {
  auto& [methods, problems] = refused;
  for (const Problem& problem : refusals(*find<MethodEntry>(changed.method), changed)) {
    Problem placed = problem;
    placed.message = changed.method + " cannot be made like the others of the file: " + problem.key + ": " +
                     problem.message;
    placed.key = "fair";
    methods.insert(changed.method);
    if (std::ranges::none_of(problems, [&](const Problem& p) { return p.message == placed.message; }))
      problems.push_back(placed);
  }
}

/// Methods that keep layer 0's aggregate: those that always do, and those that were told to.
struct Keepers {
  std::set<std::string> always, bySettings;
};

Keepers keepersOf(std::span<const RunSettings> runs) {
  Keepers keepers;
  for (const RunSettings& run : runs)
    if (isDistributed(run) && cachesLayer0(run))
      (run.parameters.contains(kCacheKey) ? keepers.bySettings : keepers.always).insert(run.method);
  return keepers;
}

/// Why `method` cannot be made like those that keep layer 0's aggregate, and what would be fair.
std::string cannotKeep(const std::string& method, const Keepers& keepers) {
  std::vector<std::string> reasons, remedies;
  if (!keepers.always.empty()) {
    const std::string names = listed(keepers.always);
    reasons.push_back(names + (keepers.always.size() == 1 ? " always keeps" : " always keep") +
                      " its aggregate");
    remedies.push_back("leave either " + method + " or " + names + " out of the file");
  }
  if (!keepers.bySettings.empty()) {
    const std::string names = listed(keepers.bySettings);
    reasons.push_back(names + (keepers.bySettings.size() == 1 ? " was" : " were") +
                      " told to keep its aggregate");
    remedies.push_back("set layer0_cache = false for " + names);
  }
  return method + " aggregates layer 0 in each epoch, and " + joined(reasons) + ". To be fair, " +
         joined(remedies) + "; without fair = true they run as they are, and compare names the difference";
}

Refused madeAlike(std::span<RunSettings> runs) {
  Refused refused;
  if (!unlikeOrders(runs).empty())
    for (RunSettings& run : runs)
      if (takesAnOrder(run)) {
        run.model.order = "aggregate-first";
        refuse(run, refused);
      }
  const Choices caches = cacheChoices(runs);
  if (!caches.areUnlike()) return refused;
  const Keepers keepers = keepersOf(runs);
  for (RunSettings& run : runs) {
    if (!isDistributed(run) || cachesLayer0(run)) continue;
    if (caches.byMethod.at(run.method).size() > 1) continue;  // the file varies it
    if (run.parameters.contains(kCacheKey)) {
      run.parameters[kCacheKey] = true;
      refuse(run, refused);
      continue;
    }
    refused.methods.insert(run.method);
    const std::string message = cannotKeep(run.method, keepers);
    if (std::ranges::find(refused.problems, message, &Problem::message) == refused.problems.end())
      refused.problems.push_back({.key = "fair", .message = message});
  }
  return refused;
}

}  // namespace

std::vector<std::string> unlikeByAuto(std::span<const RunSettings> runs,
                                      std::span<const RunSettings> besides) {
  std::vector<std::string> sentences;
  std::set<std::string> refused;
  for (const auto& group : {runs, besides}) {
    std::vector<RunSettings> tried(group.begin(), group.end());
    refused.merge(madeAlike(tried).methods);
  }
  const std::string remedy = refused.empty() ? "; fair = true makes them alike"
                                             : "; fair = true would refuse this file, as it cannot make " +
                                                   listed(refused) + " like the others";
  const auto say = [&](const std::string& subject, const ByChoice& methods) {
    if (!methods.empty())
      sentences.push_back("methods differ in " + subject + ": " + choicesInWords(methods) + remedy);
  };
  say("the order of a layer that model.order = \"auto\" takes, and so in how wide the rows are that travel",
      unlikeOrders(runs));
  if (const Choices choices = cacheChoices(runs); choices.areUnlike())
    say("layer 0's aggregate", choices.methods);
  return sentences;
}

std::vector<Problem> makeAlike(std::span<RunSettings> runs) { return madeAlike(runs).problems; }

}  // namespace halo
