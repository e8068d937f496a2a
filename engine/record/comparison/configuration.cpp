#include "engine/record/comparison/configuration.h"

#include <algorithm>

#include "engine/record/analysis/pairing.h"
#include "engine/record/tables/runs.h"

namespace halo {
std::vector<Configuration> configurationsOf(Database& recording, const std::vector<RunRow>& runs) {
  std::vector<Configuration> all;
  for (const RunRow& run : runs) {
    auto parameters = withoutChance(Runs(recording).parameters(run.id));
    const auto same = std::ranges::find_if(
        all, [&](const Configuration& each) { return !parameters.empty() && each.parameters == parameters; });
    if (same != all.end())
      same->runs.push_back(run);
    else
      all.push_back({&recording, {run}, std::move(parameters)});
  }
  return all;
}

bool onOneDataset(const Configuration& a, const Configuration& b) {
  if (!onOneDataset(a.runs.front(), a.parameters, b.runs.front(), b.parameters)) return false;
  for (const char* key : {"dataset.scale", "dataset.directed", "simulate.graph"}) {
    const auto ofA = a.parameters.find(key), ofB = b.parameters.find(key);
    if (ofA != a.parameters.end() && ofB != b.parameters.end() && ofA->second != ofB->second) return false;
  }
  return true;
}

}  // namespace halo
