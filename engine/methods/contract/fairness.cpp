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
  const bool varied = std::ranges::any_of(choices, [](const auto& of) { return of.second.size() > 1; });
  return varied || methods.size() < 2 ? ByChoice() : methods;
}

std::string listed(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
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
    Problem found = problem;
    found.message = changed.method + " cannot be made like the others of the file: " + problem.key + ": " +
                    problem.message;
    found.key = "fair";
    if (std::ranges::none_of(problems, [&](const Problem& p) { return p.message == found.message; }))
      problems.push_back(found);
  }
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
  for (RunSettings& run : runs) {
    if (!isDistributed(run) || cachesLayer0(run)) continue;
    if (run.parameters.contains(kCacheKey)) {
      run.parameters[kCacheKey] = true;
      refuse(run, problems);
      continue;
    }
    const std::string message =
        run.method + " aggregates layer 0 in each epoch, and another method of the file keeps its aggregate";
    if (std::ranges::none_of(problems, [&](const Problem& p) { return p.message == message; }))
      problems.push_back({"", 0, 0, "fair", message});
  }
  return problems;
}

}  // namespace halo
