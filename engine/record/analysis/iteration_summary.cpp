#include "engine/record/analysis/iteration_summary.h"

namespace halo {

void IterationSummary::add(const BatchRows& rows) {
  for (const IterationRow& row : rows.iterations) add(row);
  for (const BlockRow& row : rows.blocks) {
    arcs_ += static_cast<double>(row.arcs);
    sampleCpuNs_ += static_cast<double>(row.sampleCpuNs);
  }
  for (const CacheRow& row : rows.caches) add(row);
}

void IterationSummary::add(const IterationRow& row) {
  Times& times = row.epoch == 0 ? first_ : later_;
  const double ns = static_cast<double>(row.modelledNs.value_or(row.wallNs));
  times.seconds.add(static_cast<double>(row.wallNs) * 1e-9);
  if (row.modelledNs) times.modelledSeconds.add(ns * 1e-9);
  if (ns > 0) times.mteps.add(static_cast<double>(row.arcs) * 1e3 / ns);
}

void IterationSummary::add(const CacheRow& row) {
  hits_ += static_cast<double>(row.hits);
  misses_ += static_cast<double>(row.misses);
  expectedHits_ += row.expectedHits;
  missedBytes_ += static_cast<double>(row.missedBytes);
  cachedEpochs_.insert(row.epoch);
}

std::map<std::string, double> IterationSummary::metrics() const {
  std::map<std::string, double> metrics;
  const Times& times = later_.seconds.empty() ? first_ : later_;
  const auto median = [&](const char* name, const Median& values) {
    if (!values.empty()) metrics[name] = values.value();
  };
  median("iteration_seconds", times.seconds);
  median("modelled_iteration_seconds", times.modelledSeconds);
  median("mteps", times.mteps);
  if (sampleCpuNs_ > 0) metrics["sampled_arcs_per_second"] = arcs_ * 1e9 / sampleCpuNs_;
  if (hits_ + misses_ > 0) {
    metrics["hit_ratio"] = hits_ / (hits_ + misses_);
    metrics["expected_hit_ratio"] = expectedHits_ / (hits_ + misses_);
  }
  if (!cachedEpochs_.empty())
    metrics["missed_bytes_per_epoch"] = missedBytes_ / static_cast<double>(cachedEpochs_.size());
  return metrics;
}

}  // namespace halo
