// PaGraph's mini-batches (Lin et al., SoCC 2020): every worker is an accelerator of one host. It samples in a
// part of its own that holds all it can reach, and keeps the features that it reads most. Synchronous.
//
//   rank i, iteration t:   blocks of its seeds, drawn in its part;   X of V^0: kept rows, the rest from the
//   host kept: K = min(part, ⌊MiB 2^20 / (S d_0)⌋) rows of the largest out-degree within the part, filled
//   once hits + misses = Σ|V^0|;   missed bytes = misses d_0 S;   expected hits / read = Σ_kept outdeg / Σ
//   outdeg messages: the gradients' alone;   parts: training_parts.h
//
// Departures: a part's arcs are those into vertices within L − 1 hops, which are all that are drawn. Missed
// rows and training take turns. The host's features are counted with the workers that own them.
#include <set>

#include "engine/methods/minibatch/batch_entry.h"
#include "engine/methods/minibatch/batch_trainer.h"
#include "engine/methods/minibatch/closed_source.h"
#include "engine/methods/minibatch/drawn_epoch.h"
#include "engine/methods/minibatch/kept_rows.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "engine/methods/minibatch/training_parts.h"

namespace halo {
namespace {

constexpr std::array<Parameter, 1> kPlaceParameters = {{
    {"score_share", "training vertices that parts tend to, as a share of all vertices; 0: equally many",
     Real{0, 0, 1}},
}};
constexpr auto kParameters = joined(joined(kBatchParameters, kCacheParameters), kPlaceParameters);

class PaGraph final : public BatchTrainer {
 public:
  explicit PaGraph(WorkerParts& parts)
      : BatchTrainer(parts, [](const BatchParts& batches) -> std::unique_ptr<BatchSource> {
          return std::make_unique<ClosedSource>(batches);
        }) {}

  std::vector<std::string> marks() const override {
    if (parts_.settings.parameters.real("pcie_gbps") > 0) return {"modelled link"};
    return {};
  }
};

std::vector<Problem> refuse(const RunSettings& run) {
  std::vector<Problem> problems = refuseKeys(run);
  const auto wrong = [&](const char* key, const std::string& message) {
    problems.push_back({.key = key, .message = message});
  };
  const std::set<std::string> hosts(run.cluster.hosts.begin(), run.cluster.hosts.end());
  if (hosts.size() > 1)
    wrong("cluster.hosts",
          std::to_string(hosts.size()) +
              " hosts cannot be used; workers of pagraph read features from the memory of one");
  const Values& values = run.parameters;
  const std::int64_t cache = values.integer("cache_mb"), device = values.integer("device_mb"),
                     reserve = values.integer("reserve_mb");
  if (reserve > device)
    wrong("run.reserve_mb",
          std::to_string(reserve) + " is more than the " + std::to_string(device) + " MiB of device_mb");
  else if (cache > device - reserve)
    wrong("run.cache_mb", std::to_string(cache) +
                              " is more than device_mb leaves beside reserve_mb; at most " +
                              std::to_string(device - reserve));
  return problems;
}

/// Closed parts ask nobody.
std::vector<RowTable> decideNothing(const DrawnBatches& iteration) {
  const PullCounts none(iteration.batches.front().layers(), static_cast<int>(iteration.batches.size()));
  return none.tables(/*iterations=*/1);
}

/// What caches miss of what was drawn crosses the modelled link.
DrawnEpoch draw(const DrawRequest& request) {
  const Values& values = request.run.parameters;
  const double rate = values.real("pcie_gbps");
  DrawnEpoch epoch = drawEpoch(request, decideNothing, [&](int rank, int layers) {
    if (rate == 0 || request.features == 0) return std::vector<std::uint8_t>();
    return keptVertices(request, rank, layers, cacheCapacity(values, request.features));
  });
  for (DrawnIteration& drawn : epoch.drawn)
    if (rate > 0) drawn.linkNsPerByte = 1 / rate;  // 1 GB/s is a byte a nanosecond
  return epoch;
}

MethodEntry entry() {
  MethodEntry entry =
      batchEntry({"pagraph", "sample mini-batches in closed parts, keep the features that are read most",
                  "PaGraph, SoCC 2020", kParameters});
  entry.make = [](WorkerParts& parts, const Values&) -> std::unique_ptr<Method> {
    return std::make_unique<PaGraph>(parts);
  };
  entry.draw = draw;
  entry.predict = [](const VolumeRequest&) -> std::vector<PredictedVolume> { return {}; };
  entry.refuse = refuse;
  entry.place = placeByTraining;
  return entry;
}

const Registered<MethodEntry> self{entry()};

}  // namespace
}  // namespace halo
