#include "engine/record/comparison/span_totals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/record/comparison/scope.h"

namespace halo {
namespace {

bool isCompared(Lane lane) { return lane == Lane::main || lane == Lane::link || lane == Lane::wait; }

}  // namespace

TotalsOfSpans::TotalsOfSpans(std::int64_t ranks, const std::vector<EpochRow>& epochs)
    : read_{ranks, epochs, {}}, hasSpans_(epochs.size()) {}

bool TotalsOfSpans::holds(std::ptrdiff_t place, std::int64_t ns) const {
  if (place < 0) return false;
  const EpochRow& epoch = read_.epochs[static_cast<std::size_t>(place)];
  return ns >= epoch.beginNs && ns - epoch.beginNs < epoch.wallNs;
}

std::ptrdiff_t TotalsOfSpans::epochAt(std::int64_t ns) {
  if (!holds(last_, ns)) {
    const auto after = std::ranges::upper_bound(read_.epochs, ns, {}, &EpochRow::beginNs);
    last_ = after - read_.epochs.begin() - 1;
  }
  return holds(last_, ns) ? last_ : -1;
}

void TotalsOfSpans::add(std::span<const Span> spans) {
  // of the kinds that nearly all spans are of: one search in the map each, not one a span
  constexpr std::size_t kFewLayers = 32;
  std::array<SpanTotals*, static_cast<std::size_t>(Name::count) * kFewLayers> known{};
  const auto search = [&](const SpanKind& kind) -> SpanTotals& {
    SpanTotals& totals = read_.kinds[kind];
    totals.epochNs.resize(hasSpans_.size());
    return totals;
  };
  const auto totalsOf = [&](const SpanKind& kind) -> SpanTotals& {
    const auto layer = static_cast<std::size_t>(kind.layer + 1);
    if (layer >= kFewLayers || kind.name >= Name::count) return search(kind);
    SpanTotals*& totals = known[static_cast<std::size_t>(kind.name) * kFewLayers + layer];
    if (totals == nullptr) totals = &search(kind);
    return *totals;
  };
  for (const Span& span : spans) {
    if (!isCompared(span.lane) || liesBetweenEpochs(span)) continue;
    const std::ptrdiff_t epoch = epochAt(span.beginNs);
    if (epoch < 0) continue;
    const auto place = static_cast<std::size_t>(epoch);
    SpanTotals& totals = totalsOf({span.name, span.layer});
    totals.epochNs[place] += span.durationNs;
    totals.totalNs += span.durationNs;
    totals.durationsNs.push_back(span.durationNs);
    hasSpans_[place] = true;
  }
}

void TotalsOfSpans::add(const TotalsOfSpans& others) {
  for (std::size_t e = 0; e < hasSpans_.size(); ++e)
    if (others.hasSpans_[e]) hasSpans_[e] = true;
  for (const auto& [kind, more] : others.read_.kinds) {
    SpanTotals& totals = read_.kinds[kind];
    totals.epochNs.resize(hasSpans_.size());
    for (std::size_t e = 0; e < hasSpans_.size(); ++e) totals.epochNs[e] += more.epochNs[e];
    totals.totalNs += more.totalNs;
    totals.durationsNs.insert(totals.durationsNs.end(), more.durationsNs.begin(), more.durationsNs.end());
  }
}

RunSpans TotalsOfSpans::totals() {
  const auto keptOf = [&](const auto& all) {
    std::remove_cvref_t<decltype(all)> selection;
    for (std::size_t e = 0; e < hasSpans_.size(); ++e)
      if (hasSpans_[e]) selection.push_back(all[e]);
    return selection;
  };
  for (auto& [kind, totals] : read_.kinds) totals.epochNs = keptOf(totals.epochNs);
  read_.epochs = keptOf(read_.epochs);
  return std::move(read_);
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
