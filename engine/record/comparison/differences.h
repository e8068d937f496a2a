#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/record/comparison/bootstrap.h"
#include "engine/record/comparison/span_totals.h"

namespace halo {

/// The spans of one kind in one configuration, over its runs and their epochs in scope.
struct SpanStatistics {
  std::int64_t count = 0, totalNs = 0;
  std::optional<double> medianNs, p95Ns;  // of a span; none without any
  double meanNs = 0;                      // an epoch and rank: the mean of the runs' means
};

/// One kind of spans in two configurations.
struct Difference {
  SpanKind kind;
  std::array<SpanStatistics, 2> sides;
  double deltaNs = 0;  // of the second's meanNs from the first's
  std::optional<Interval> interval = {};
};

/// "within noise", "faster" or "slower"; "" where nothing says how sure it is.
std::string verdict(double deltaNs, const std::optional<Interval>& interval);
/// The same, and "added" or "removed" of spans that only one of the two has.
std::string verdict(const Difference& difference);

/// Those of all kinds that either has, the largest change first. `a`, `b`: the runs of each configuration;
/// spans of runs without recorded epochs count nothing. Reorders their durations. Cost: linear in the spans,
/// and 2,000 resamples a kind.
std::vector<Difference> differences(std::vector<RunSpans>& a, std::vector<RunSpans>& b);

}  // namespace halo
