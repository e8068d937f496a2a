#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// What spans are told apart by where runs are compared. Layer −1: outside the layers.
struct SpanKind {
  Name name = Name::aggregate;
  std::int16_t layer = -1;
  auto operator<=>(const SpanKind&) const = default;
};

/// The spans of one kind that begin within the epochs in scope, of all ranks together.
struct SpanTotals {
  std::int64_t totalNs = 0;
  std::vector<std::int64_t> durationsNs;  // in no order
  std::vector<std::int64_t> epochNs;      // their sum in each epoch
  std::int64_t count() const { return static_cast<std::int64_t>(durationsNs.size()); }
};

struct RunSpans {
  std::int64_t ranks = 1;
  std::vector<EpochRow> epochs;  // those in scope in which spans were recorded
  std::map<SpanKind, SpanTotals> kinds;
};

/// Sums up the spans of lanes main, link and wait. An epoch has those that begin within its window, whatever
/// their length. What lies between epochs (scope.h) is in none. Memory: 8 bytes a span.
class TotalsOfSpans {
 public:
  TotalsOfSpans(std::int64_t ranks, const std::vector<EpochRow>& epochs);
  /// In any order; fastest nearly by begin.
  void add(std::span<const Span> spans);
  /// The spans that another one was given.
  void add(const TotalsOfSpans& others);
  /// Without the epochs in which nothing was recorded.
  RunSpans totals();

 private:
  std::ptrdiff_t epochAt(std::int64_t ns);
  bool holds(std::ptrdiff_t place, std::int64_t ns) const;

  RunSpans read_;
  std::vector<bool> hasSpans_;
  std::ptrdiff_t last_ = -1;  // the epoch of the last span
};

/// The value at or below which `share` of them lie, by linear interpolation; NaN of none. Reorders `values`.
double quantileOf(std::vector<std::int64_t>& values, double share);

}  // namespace halo
