#include "engine/record/comparison/differences.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/parallel.h"

namespace halo {
namespace {

/// Nanoseconds a rank in every epoch of every run; zeros where a run has no spans of this kind.
Repeats seriesOf(const std::vector<RunSpans>& runs, const SpanKind& kind) {
  Repeats series;
  for (const RunSpans& run : runs) {
    std::vector<double>& values = series.emplace_back(run.epochs.size());
    const auto totals = run.kinds.find(kind);
    if (totals == run.kinds.end()) continue;
    std::ranges::transform(totals->second.epochNs, values.begin(), [&](std::int64_t ns) {
      return static_cast<double>(ns) / static_cast<double>(run.ranks);
    });
  }
  return series;
}

SpanStatistics statisticsOf(std::vector<RunSpans>& runs, const SpanKind& kind, const Repeats& series) {
  SpanStatistics statistics;
  std::vector<std::int64_t> pooled, *all = &pooled;
  for (RunSpans& run : runs) {
    const auto totals = run.kinds.find(kind);
    if (totals == run.kinds.end()) continue;
    std::vector<std::int64_t>& durations = totals->second.durationsNs;
    statistics.count += totals->second.count();
    statistics.totalNs += totals->second.totalNs;
    if (runs.size() == 1)
      all = &durations;  // there can be ten million
    else
      pooled.insert(pooled.end(), durations.begin(), durations.end());
  }
  if (!all->empty()) {
    statistics.medianNs = quantileOf(*all, 0.5);
    statistics.p95Ns = quantileOf(*all, 0.95);
  }
  const double mean = meanOf(series);
  statistics.meanNs = std::isnan(mean) ? 0 : mean;
  return statistics;
}

}  // namespace

std::string verdict(double deltaNs, const std::optional<Interval>& interval) {
  if (!interval) return "";
  return interval->isWithinNoise() ? "within noise" : deltaNs < 0 ? "faster" : "slower";
}

std::string verdict(const Difference& difference) {
  if (difference.sides[0].count == 0) return "added";
  if (difference.sides[1].count == 0) return "removed";
  return verdict(difference.deltaNs, difference.interval);
}

std::vector<Difference> differences(std::vector<RunSpans>& a, std::vector<RunSpans>& b) {
  std::set<SpanKind> kindSet;
  for (const std::vector<RunSpans>* side : {&a, &b})
    for (const RunSpans& run : *side)
      for (const auto& [kind, totals] : run.kinds) kindSet.insert(kind);
  const std::vector<SpanKind> kinds(kindSet.begin(), kindSet.end());
  std::vector<Difference> all(kinds.size());
  // each kind has durations of its own to bring into order
  parallelBlocks(static_cast<std::int64_t>(kinds.size()), 1, [&](std::int64_t place, std::int64_t) {
    const SpanKind& kind = kinds[static_cast<std::size_t>(place)];
    const Repeats from = seriesOf(a, kind), to = seriesOf(b, kind);
    Difference& difference = all[static_cast<std::size_t>(place)];
    difference.kind = kind;
    difference.sides = {statisticsOf(a, kind, from), statisticsOf(b, kind, to)};
    difference.deltaNs = difference.sides[1].meanNs - difference.sides[0].meanNs;
    difference.interval = differenceInterval(from, to);
  });
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const Difference& each) { return std::abs(each.deltaNs); });
  return all;
}

}  // namespace halo
