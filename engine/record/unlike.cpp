#include "engine/record/unlike.h"

#include <algorithm>
#include <set>

#include "engine/record/layer_orders.h"

namespace halo {
namespace {

constexpr const char* kNone = "–";

bool touchesComparison(const std::string& key) {
  if (!isSetting(key)) return false;
  return key.starts_with("dataset.") || key.starts_with("model.") || key.starts_with("training.") ||
         key.starts_with("cluster.link") || key.starts_with("cluster.wire.") || key == "cluster.threads" ||
         key == "cluster.launcher" || key == "run.layer0_cache" || key == kLayerOrders;
}

bool anyOfKindHas(std::span<const ComparedRun> runs, const std::string& kind, const std::string& key) {
  return std::ranges::any_of(
      runs, [&](const ComparedRun& one) { return one.run.kind == kind && one.parameters.contains(key); });
}

std::set<std::string> keysOf(std::span<const ComparedRun> runs) {
  std::set<std::string> keys;
  for (const ComparedRun& one : runs)
    for (const auto& [key, value] : one.parameters)
      if (touchesComparison(key) && std::ranges::all_of(runs, [&](const ComparedRun& other) {
            return anyOfKindHas(runs, other.run.kind, key);
          }))
        keys.insert(key);
  return keys;
}

template <class ValueOf>
void add(std::vector<Unlike>& all, const std::string& what, std::span<const ComparedRun> runs,
         const ValueOf& valueOf) {
  Unlike unlike{what, {}};
  for (const ComparedRun& one : runs) unlike.values.push_back(valueOf(one));
  const auto differs = [&](const std::string& value) { return value != unlike.values.front(); };
  if (std::ranges::any_of(unlike.values, differs)) all.push_back(std::move(unlike));
}

}  // namespace

bool isSetting(const std::string& key) {
  return (!key.starts_with("result.") || key == kLayerOrders) && !key.starts_with("factor.") &&
         !key.ends_with(".source");
}

std::vector<Unlike> unlikeSettings(std::span<const ComparedRun> runs) {
  std::vector<Unlike> all;
  for (const std::string& key : keysOf(runs))
    add(all, key == kLayerOrders ? kUnlikeOrders : key, runs, [&](const ComparedRun& one) {
      const auto found = one.parameters.find(key);
      return found == one.parameters.end() ? kNone : found->second;
    });
  return all;
}

std::vector<Unlike> unlikeMachines(std::span<const ComparedRun> runs) {
  std::vector<Unlike> all;
  const auto marks = [](const ComparedRun& one) { return one.run.marks.empty() ? "none" : one.run.marks; };
  add(all, "marks", runs, marks);
  add(all, "host", runs, [](const ComparedRun& one) { return one.run.host; });
  add(all, "version", runs, [](const ComparedRun& one) { return one.run.version; });
  return all;
}

}  // namespace halo
