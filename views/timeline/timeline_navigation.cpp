#include "views/timeline/timeline_navigation.h"

#include <algorithm>
#include <tuple>

#include "engine/base/index.h"

namespace halo {

std::optional<std::size_t> spanAt(const SpanRow& spans, std::int64_t ns, std::int64_t slackNs) {
  const std::size_t after = spans.firstEndingAfter(ns);
  if (after < spans.size() && spans.beginNs(after) <= ns) return after;
  std::optional<std::size_t> nearest;
  std::int64_t distance = slackNs;
  if (after < spans.size() && spans.beginNs(after) - ns <= distance) {
    nearest = after;
    distance = spans.beginNs(after) - ns;
  }
  if (after > 0 && ns - spans.endNs(after - 1) <= distance) nearest = after - 1;
  return nearest;
}

PixelFacts factsOf(const SpanRow& spans, TimeRange range) {
  PixelFacts facts;
  facts.range = range;
  const auto [first, last] = spans.touching(range.beginNs, range.endNs);
  facts.spans = last - first;
  facts.longest = first;
  std::int64_t longest = -1;
  for (std::size_t i = first; i < last; ++i) {
    const std::int64_t duration = spans.durationNs(i);
    const std::int64_t inside =
        std::min(spans.endNs(i), range.endNs) - std::max(spans.beginNs(i), range.beginNs);
    facts.ns[at(spans.kind(i))] += inside;
    if (spans.kind(i) == Kind::idle) facts.waitedNs[spans.name(i)] += inside;
    if (duration > longest) {
      longest = duration;
      facts.longest = i;
    }
  }
  return facts;
}

std::optional<std::size_t> stepSpan(const SpanRow& spans, std::size_t from, int step) {
  if (step > 0) return from + 1 < spans.size() ? std::optional(from + 1) : std::nullopt;
  return from > 0 && from <= spans.size() ? std::optional(from - 1) : std::nullopt;
}

std::optional<std::size_t> stepName(const SpanRow& spans, std::size_t from, int step) {
  if (from >= spans.size()) return std::nullopt;
  const Name name = spans.name(from);
  for (auto i = stepSpan(spans, from, step); i; i = stepSpan(spans, *i, step))
    if (spans.name(*i) == name) return i;
  return std::nullopt;
}

std::optional<std::size_t> indexOf(const SpanRow& spans, const Span& span) {
  for (std::size_t i = spans.firstFrom(span.beginNs); i < spans.size() && spans.beginNs(i) == span.beginNs;
       ++i)
    if (spans.at(i) == span) return i;
  return std::nullopt;
}

namespace {

std::tuple<int, Pass, std::int64_t> phaseOf(const SpanRow& spans, std::size_t index) {
  const Span span = spans.at(index);
  return {span.layer, span.pass, span.epoch};
}

/// The nearest span at or before `from` that has a layer.
std::optional<std::size_t> layeredUpTo(const SpanRow& spans, std::size_t from) {
  for (std::size_t i = std::min(from + 1, spans.size()); i-- > 0;)
    if (spans.layer(i) >= 0) return i;
  return std::nullopt;
}

/// First span with a layer of the stretch that span `in` belongs to.
std::size_t stretchBegin(const SpanRow& spans, std::size_t in) {
  const auto phase = phaseOf(spans, in);
  std::size_t first = in;
  for (std::size_t i = in; i-- > 0;) {
    if (spans.layer(i) < 0) continue;
    if (phaseOf(spans, i) != phase) break;
    first = i;
  }
  return first;
}

}  // namespace

std::optional<std::size_t> stepLayer(const SpanRow& spans, std::size_t from, int step) {
  const auto at = layeredUpTo(spans, from);
  if (step > 0) {
    for (std::size_t i = at ? *at + 1 : 0; i < spans.size(); ++i)
      if (spans.layer(i) >= 0 && (!at || phaseOf(spans, i) != phaseOf(spans, *at))) return i;
    return std::nullopt;
  }
  const std::size_t begin = at ? stretchBegin(spans, *at) : 0;
  const auto before = begin > 0 ? layeredUpTo(spans, begin - 1) : std::nullopt;
  return before ? std::optional(stretchBegin(spans, *before)) : std::nullopt;
}

TimeRange centred(TimeRange window, TimeRange span) {
  const std::int64_t middle = span.beginNs + span.lengthNs() / 2;
  const std::int64_t begin = middle - window.lengthNs() / 2;
  return {begin, begin + window.lengthNs()};
}

TimeRange fitted(TimeRange span) {
  const std::int64_t margin = std::max<std::int64_t>(span.lengthNs() / 10, 10);
  return {span.beginNs - margin, span.endNs + margin};
}

}  // namespace halo
