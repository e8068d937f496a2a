#include "app/program/known.h"

#include <memory>

#include "app/report/metrics.h"
#include "engine/methods/contract/fairness.h"
#include "engine/methods/contract/method_entry.h"
#include "engine/model/layer.h"
#include "engine/partition/contract/partitioner.h"
#include "simulator/contract/simulation_kind.h"

namespace halo {

Known knownHere() {
  Known known;
  known.oneWorker.clear();
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    known.methods.push_back(entry.declaration);
    if (!entry.distributed) known.oneWorker.push_back(name);
    if (entry.fewestWorkers > 1) known.fewestWorkers.emplace(name, entry.fewestWorkers);
  }
  for (const auto& [name, entry] : registry<PartitionerEntry>())
    known.partitioners.push_back(entry.declaration);
  for (const auto& [name, entry] : registry<LayerEntry>()) known.layers.push_back(entry.declaration);
  known.refusals = [](const RunSettings& run) {
    const MethodEntry* entry = find<MethodEntry>(run.method);
    return entry == nullptr ? std::vector<Problem>() : refusals(*entry, run);
  };
  known.makeAlike = [](std::vector<RunSettings>& runs) { return makeAlike(runs); };
  known.simulations = sim::simulationKinds(std::make_shared<sim::Resources>(resourceFolder()));
  for (const Metric& metric : metrics()) known.metrics.push_back(metric.key);
  known.links = readLinks(resourceFolder() / "links.toml");
  return known;
}

}  // namespace halo
