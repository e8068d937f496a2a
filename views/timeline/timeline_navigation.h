#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "views/spans/timeline_model.h"

namespace halo {

// What a pixel stands for and what comes next: numbers in, numbers out, no widget.

/// The span under a pixel: the one that holds `ns`, else one within `slackNs` of it.
std::optional<std::size_t> spanAt(const SpanRow& spans, std::int64_t ns, std::int64_t slackNs);

/// What a pixel that may stand for many spans stands for.
struct PixelFacts {
  std::size_t spans = 0;
  KindTimes ns{};                         // inside the pixel
  std::map<Name, std::int64_t> waitedNs;  // of idle, by what is waited for
  TimeRange range;                        // of the pixel
  std::size_t longest = 0;                // index of the longest, if spans > 0
};
/// Reads every span of [range): exact, never a sample.
PixelFacts factsOf(const SpanRow& spans, TimeRange range);

/// Next (step 1) or previous (−1) span of the row after index `from`.
std::optional<std::size_t> stepSpan(const SpanRow& spans, std::size_t from, int step);
/// The next or previous one of the same name.
std::optional<std::size_t> stepName(const SpanRow& spans, std::size_t from, int step);
/// Index of the span of these begin, duration and kind.
std::optional<std::size_t> indexOf(const SpanRow& spans, const Span& span);
/// First span of the next or previous layer phase, seen from that of span `from`. A phase is a stretch of one
/// layer, pass and epoch. Spans without a layer belong to the stretch they stand in.
std::optional<std::size_t> stepLayer(const SpanRow& spans, std::size_t from, int step);

/// `span` in the middle, the length of the window kept.
TimeRange centred(TimeRange window, TimeRange span);
/// `span` with a tenth of its length on either side.
TimeRange fitted(TimeRange span);

}  // namespace halo
