#include "engine/record/summary.h"

#include <algorithm>
#include <vector>

namespace halo {
namespace {

using Metrics = std::map<std::string, double>;

/// Of an even number the mean of the middle two.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

void scores(std::span<const EpochRow> epochs, Metrics& metrics) {
  const EpochRow* best = nullptr;
  for (const EpochRow& row : epochs) {
    if (row.train) metrics["train"] = *row.train;
    if (row.valid) metrics["valid"] = *row.valid;
    if (row.test) metrics["test"] = *row.test;
    if (row.valid && (best == nullptr || *row.valid > *best->valid)) best = &row;
  }
  if (best == nullptr) return;
  metrics["best_valid"] = *best->valid;
  metrics["best_epoch"] = static_cast<double>(best->epoch);
  if (best->test) metrics["test_at_best_valid"] = *best->test;
}

void throughput(std::span<const EpochRow> epochs, Metrics& metrics) {
  std::vector<double> seconds;
  double total = 0;
  for (const EpochRow& row : epochs) {
    seconds.push_back(static_cast<double>(row.wallNs) * 1e-9);
    total += seconds.back();
  }
  // the first epoch warms caches and connections
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  metrics["epochs"] = static_cast<double>(epochs.size());
  metrics["total_seconds"] = total;
  metrics["epoch_seconds"] = median(seconds);
  if (metrics["epoch_seconds"] > 0) metrics["epochs_per_second"] = 1 / metrics["epoch_seconds"];
}

/// Sums over everything that `layers` covers.
struct Sums {
  double bytes = 0, messages = 0, predicted = 0, flop = 0, compute = 0, exposed = 0, synchronise = 0,
         quantise = 0;
  std::map<std::int64_t, double> flopOfRank;
  std::map<std::int64_t, std::int64_t> wallOfEpoch;
};

Sums sum(std::span<const EpochRow> epochs, std::span<const LayerRow> layers) {
  Sums sums;
  for (const LayerRow& row : layers) {
    sums.bytes += static_cast<double>(row.bytesSent);
    sums.messages += static_cast<double>(row.messages);
    sums.predicted += static_cast<double>(row.predictedBytes);
    sums.flop += static_cast<double>(row.flop);
    sums.compute += static_cast<double>(row.aggregateNs + row.updateNs + row.activationNs + row.lossNs +
                                        row.optimizerNs + row.sampleNs + row.gatherNs);
    sums.exposed += static_cast<double>(row.exposedNs);
    sums.synchronise += static_cast<double>(row.synchroniseNs);
    sums.quantise += static_cast<double>(row.quantiseNs);
    sums.flopOfRank[row.rank] += static_cast<double>(row.flop);
    sums.wallOfEpoch[row.epoch] = 0;
  }
  for (const EpochRow& row : epochs)
    if (const auto wall = sums.wallOfEpoch.find(row.epoch); wall != sums.wallOfEpoch.end())
      wall->second = row.wallNs;
  return sums;
}

void volumesAndShares(const Sums& sums, std::int64_t count, Metrics& metrics) {
  const auto epochs = static_cast<double>(sums.wallOfEpoch.size());
  metrics["bytes_per_epoch"] = sums.bytes / epochs;
  metrics["messages_per_epoch"] = sums.messages / epochs;
  metrics["predicted_bytes_per_epoch"] = sums.predicted / epochs;
  metrics["flop_per_epoch"] = sums.flop / epochs;
  double wall = 0;
  for (const auto& [epoch, ns] : sums.wallOfEpoch) wall += static_cast<double>(ns);
  wall *= static_cast<double>(count);
  if (wall > 0) {
    metrics["compute_share"] = sums.compute / wall;
    metrics["exposed_share"] = sums.exposed / wall;
    metrics["synchronise_share"] = sums.synchronise / wall;
    metrics["quantise_share"] = sums.quantise / wall;
    const double busy = sums.compute + sums.exposed + sums.synchronise + sums.quantise;
    metrics["idle_share"] = std::max(0.0, 1 - busy / wall);
  }
  double largest = 0;
  for (const auto& [rank, flop] : sums.flopOfRank) largest = std::max(largest, flop);
  if (sums.flop > 0) metrics["balance"] = largest / (sums.flop / static_cast<double>(count));
}

void memory(std::span<const WorkerRow> workers, Metrics& metrics) {
  double peak = 0, features = 0, dropped = 0;
  for (const WorkerRow& worker : workers) {
    peak = std::max(peak, static_cast<double>(worker.peakRssBytes));
    features += static_cast<double>(worker.featureBytes);
    dropped += static_cast<double>(worker.droppedSpans);
  }
  metrics["peak_rss_bytes"] = peak;
  metrics["feature_bytes"] = features;
  metrics["dropped_spans"] = dropped;
}

}  // namespace

Metrics summarise(std::span<const EpochRow> epochs, std::span<const LayerRow> layers,
                  std::span<const WorkerRow> workers, std::int64_t count) {
  Metrics metrics;
  if (!epochs.empty()) {
    metrics["loss"] = epochs.back().loss;
    scores(epochs, metrics);
    throughput(epochs, metrics);
  }
  if (!layers.empty()) volumesAndShares(sum(epochs, layers), std::max<std::int64_t>(count, 1), metrics);
  if (!workers.empty()) memory(workers, metrics);
  return metrics;
}

}  // namespace halo
