#pragma once

#include <compare>
#include <map>
#include <string>
#include <vector>

#include "engine/record/database/database.h"
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
  std::vector<std::string> leftOut;  // a sentence for each damaged block
};

/// Spans of lanes main, link and wait. An epoch has those that begin within its window, whatever their
/// length; so what is recorded between epochs (evaluation, probes) is in none. Memory: 8 bytes a span.
RunSpans readSpanTotals(Database& database, std::int64_t run, std::int64_t ranks,
                        std::vector<EpochRow> epochs);

/// The value at or below which `share` of them lie, by linear interpolation; NaN of none. Reorders `values`.
double quantileOf(std::vector<std::int64_t>& values, double share);

}  // namespace halo
