#include "engine/record/analysis/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "engine/record/analysis/rest_share.h"

namespace halo {
namespace {

using Metrics = std::map<std::string, double>;

constexpr std::size_t kStaleEpochs = 5;  // a single one is noise

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

void Summary::add(std::span<const EpochRow> epochs, std::span<const LayerRow> layers) {
  std::set<std::int64_t> covered, paused;
  for (const EpochRow& row : epochs)
    if (row.filling) paused.insert(row.epoch);
  for (const LayerRow& row : layers) {
    addLayer(row);
    if (!paused.contains(row.epoch)) addTimes(row);
    covered.insert(row.epoch);
  }
  covered_ += static_cast<double>(covered.size());
  for (const EpochRow& row : epochs) {
    const double seconds = static_cast<double>(row.wallNs) * 1e-9;
    totalSeconds_ += seconds;
    if (epochs_++ == 0) {
      firstSeconds_ = seconds;
    } else if (!row.filling) {
      seconds_.add(seconds);
      timedSeconds_ += seconds;
      ++timed_;
    }
    if (covered.contains(row.epoch) && !row.filling) wallNs_ += static_cast<double>(row.wallNs);
    for (const auto& [score, latest] :
         {std::pair{&row.train, &train_}, {&row.valid, &valid_}, {&row.test, &test_}})
      if (*score) *latest = *score;
    if (row.valid && std::isfinite(*row.valid) && (!best_ || *row.valid > *best_->valid)) best_ = row;
    last_ = row;
  }
}

void Summary::addLayer(const LayerRow& row) {
  bytes_ += static_cast<double>(row.bytesSent);
  messages_ += static_cast<double>(row.messages);
  predicted_ += static_cast<double>(row.predictedBytes);
  if (row.predictedMessages)
    predictedMessages_ = predictedMessages_.value_or(0) + static_cast<double>(*row.predictedMessages);
  flop_ += static_cast<double>(row.flop);
  flopOfRank_[row.rank] += static_cast<double>(row.flop);
  if (row.layer >= 0) {
    sentOfRank_[row.rank].bytes += static_cast<double>(row.bytesSent);
    sentOfRank_[row.rank].messages += static_cast<double>(row.messages);
  }
  if (row.layer > 0 && row.stalenessRelative) addStaleness(row);
}

void Summary::addTimes(const LayerRow& row) {
  compute_ += static_cast<double>(row.aggregateNs + row.updateNs + row.activationNs + row.lossNs +
                                  row.optimizerNs + row.sampleNs + row.gatherNs);
  exchangeWait_ += static_cast<double>(row.exchangeWaitNs);
  synchronise_ += static_cast<double>(row.synchroniseNs);
  quantise_ += static_cast<double>(row.quantiseNs);
}

void Summary::addStaleness(const LayerRow& row) {
  auto& epochs = row.pass == Pass::backward ? staleGradients_ : staleFeatures_;
  Sum& epoch = epochs[row.epoch];
  epoch.sum += *row.stalenessRelative;
  ++epoch.count;
  if (epochs.size() > kStaleEpochs) epochs.erase(epochs.begin());
}

void Summary::scores(Metrics& metrics) const {
  metrics["loss"] = last_->loss;
  if (train_) metrics["train"] = *train_;
  if (valid_) metrics["valid"] = *valid_;
  if (test_) metrics["test"] = *test_;
  if (!best_) {
    if (!valid_) return;
    metrics["best_valid"] = *valid_;  // measured, and never a number; so there is no test score beside it
    if (test_) metrics["test_at_best_valid"] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  metrics["best_valid"] = *best_->valid;
  metrics["best_epoch"] = static_cast<double>(best_->epoch);
  if (best_->test) metrics["test_at_best_valid"] = *best_->test;
}

void Summary::volumesAndShares(Metrics& metrics) const {
  metrics["bytes_per_epoch"] = bytes_ / covered_;
  metrics["messages_per_epoch"] = messages_ / covered_;
  metrics["predicted_bytes_per_epoch"] = predicted_ / covered_;
  if (predictedMessages_) metrics["predicted_messages_per_epoch"] = *predictedMessages_ / covered_;
  metrics["flop_per_epoch"] = flop_ / covered_;
  layerVolumes(metrics);
  const double wall = wallNs_ * static_cast<double>(lanes_);
  if (wall > 0) {
    metrics["compute_share"] = compute_ / wall;
    metrics["exchange_wait_share"] = exchangeWait_ / wall;
    metrics["synchronise_share"] = synchronise_ / wall;
    metrics["quantise_share"] = quantise_ / wall;
    const double busy = compute_ + exchangeWait_ + synchronise_ + quantise_;
    metrics[kRestShare] = std::max(0.0, 1 - busy / wall);
  }
  double largest = 0;
  for (const auto& [rank, flop] : flopOfRank_) largest = std::max(largest, flop);
  metrics["max_flop_per_epoch"] = largest / covered_;
  if (flop_ > 0) metrics["balance"] = largest / (flop_ / static_cast<double>(workers_));
}

void Summary::layerVolumes(Metrics& metrics) const {
  Sent all, most;
  for (const auto& [rank, sent] : sentOfRank_) {
    all = {all.bytes + sent.bytes, all.messages + sent.messages};
    most = {std::max(most.bytes, sent.bytes), std::max(most.messages, sent.messages)};
  }
  metrics["layer_bytes_per_epoch"] = all.bytes / covered_;
  metrics["layer_messages_per_epoch"] = all.messages / covered_;
  metrics["max_layer_bytes_per_epoch"] = most.bytes / covered_;
  metrics["max_layer_messages_per_epoch"] = most.messages / covered_;
  for (const auto& [key, epochs] :
       {std::pair{"staleness_features", &staleFeatures_}, {"staleness_gradients", &staleGradients_}}) {
    double sum = 0;
    for (const auto& [epoch, staleness] : *epochs) sum += staleness.sum / staleness.count;
    if (!epochs->empty()) metrics[key] = sum / static_cast<double>(epochs->size());
  }
}

void Summary::speed(Metrics& metrics) const {
  const double seconds = timed_ > 0 ? seconds_.value() : firstSeconds_;
  const double mean = timed_ > 0 ? timedSeconds_ / static_cast<double>(timed_) : firstSeconds_;
  metrics["epoch_seconds"] = seconds;
  metrics["mean_epoch_seconds"] = mean;
  if (mean > 0) metrics["epochs_per_second"] = 1 / mean;
}

bool Summary::isTimed() const { return timed_ > 0 || (epochs_ == 1 && !last_->filling); }

std::string Summary::untimed() const {
  return epochs_ == 0 || isTimed()
             ? ""
             : "all its epochs fill the pipeline, so that none says what an epoch takes; "
               "train more of them, or probe staleness less often";
}

Metrics Summary::metrics(std::span<const WorkerRow> workers) const {
  Metrics metrics;
  if (last_) {
    scores(metrics);
    metrics["epochs"] = static_cast<double>(epochs_);
    metrics["total_seconds"] = totalSeconds_;
    if (isTimed()) speed(metrics);
  }
  if (covered_ > 0) volumesAndShares(metrics);
  if (!workers.empty()) memory(workers, metrics);
  return metrics;
}

Metrics summarise(std::span<const EpochRow> epochs, std::span<const LayerRow> layers,
                  std::span<const WorkerRow> workers, std::int64_t count) {
  Summary summary(count);
  summary.add(epochs, layers);
  return summary.metrics(workers);
}

}  // namespace halo
