#include "engine/record/comparison/span_totals.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/record/comparison/scope.h"
#include "engine/record/tables/spans.h"

namespace halo {
namespace {

bool isCompared(Lane lane) { return lane == Lane::main || lane == Lane::link || lane == Lane::wait; }

/// Finds the epoch of a moment. Spans come nearly in order, so the last answer is looked at first.
class Windows {
 public:
  explicit Windows(const std::vector<EpochRow>& epochs) : epochs_(epochs) {}
  std::ptrdiff_t epochAt(std::int64_t ns) {
    if (!holds(last_, ns)) {
      const auto after = std::ranges::upper_bound(epochs_, ns, {}, &EpochRow::beginNs);
      last_ = after - epochs_.begin() - 1;
    }
    return holds(last_, ns) ? last_ : -1;
  }

 private:
  bool holds(std::ptrdiff_t place, std::int64_t ns) const {
    if (place < 0) return false;
    const EpochRow& epoch = epochs_[static_cast<std::size_t>(place)];
    return ns >= epoch.beginNs && ns - epoch.beginNs < epoch.wallNs;
  }
  const std::vector<EpochRow>& epochs_;
  std::ptrdiff_t last_ = -1;
};

/// Takes away the epochs in which nothing was recorded.
void leaveEmptyOut(RunSpans& read, const std::vector<bool>& seen) {
  const auto keptOf = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> kept;
    for (std::size_t e = 0; e < seen.size(); ++e)
      if (seen[e]) kept.push_back(all[e]);
    return kept;
  };
  for (auto& [kind, totals] : read.kinds) totals.epochNs = keptOf(totals.epochNs);
  read.epochs = keptOf(read.epochs);
}

}  // namespace

RunSpans readSpanTotals(Database& database, std::int64_t run, std::int64_t ranks,
                        std::vector<EpochRow> epochs) {
  RunSpans read{ranks, std::move(epochs), {}, {}};
  std::vector<bool> seen(read.epochs.size());
  Windows windows(read.epochs);
  const Spans spans(database);
  for (const SpanBlockInfo& block : spans.blocks(run)) {
    if (!isCompared(block.lane) || block.rank >= ranks) continue;
    try {
      for (const Span& span : spans.load(block.id)) {
        if (liesBetweenEpochs(span)) continue;
        const std::ptrdiff_t epoch = windows.epochAt(span.beginNs);
        if (epoch < 0) continue;
        const auto place = static_cast<std::size_t>(epoch);
        SpanTotals& totals = read.kinds[{span.name, span.layer}];
        totals.epochNs.resize(seen.size());
        totals.epochNs[place] += span.durationNs;
        totals.totalNs += span.durationNs;
        totals.durationsNs.push_back(span.durationNs);
        seen[place] = true;
      }
    } catch (const RecordDamaged& error) {
      read.leftOut.emplace_back(error.what());
    }
  }
  leaveEmptyOut(read, seen);
  return read;
}

double quantileOf(std::vector<std::int64_t>& values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(place);
  const auto at = values.begin() + low;
  std::nth_element(values.begin(), at, values.end());
  const auto value = static_cast<double>(*at);
  if (at + 1 == values.end()) return value;
  const auto next = static_cast<double>(*std::min_element(at + 1, values.end()));
  return value + (next - value) * (place - static_cast<double>(low));
}

}  // namespace halo
