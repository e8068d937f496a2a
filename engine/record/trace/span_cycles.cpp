#include "engine/record/trace/span_cycles.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace halo {
namespace {

constexpr std::string_view kHeader = "rank,begin_ns,duration_ns,begin_cycle,cycles\n";

/// As forEachSpan has them: the longer first of those that begin together.
auto place(std::int64_t rank, std::int64_t beginNs, std::int64_t durationNs) {
  return std::tuple(rank, beginNs, -durationNs);
}

}  // namespace

std::string cyclesText(const std::vector<std::vector<CycledSpan>>& lanes) {
  std::string text(kHeader);
  for (std::size_t rank = 0; rank < lanes.size(); ++rank) {
    std::vector<CycledSpan> ordered = lanes[rank];
    std::ranges::stable_sort(ordered, {}, [](const CycledSpan& cycled) {
      return place(0, cycled.span.beginNs, cycled.span.durationNs);
    });
    for (const CycledSpan& cycled : ordered) {
      text += std::to_string(rank);
      for (const std::int64_t value :
           {cycled.span.beginNs, cycled.span.durationNs, cycled.beginCycle, cycled.cycles})
        text += "," + std::to_string(value);
      text += "\n";
    }
  }
  return text;
}

SpanCycles::SpanCycles(std::string_view text) : unread_(text) {
  if (unread_.starts_with(kHeader)) unread_.remove_prefix(kHeader.size());
  line_ = next();
}

std::optional<SpanCycles::Line> SpanCycles::next() {
  const std::size_t end = unread_.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view line = unread_.substr(0, end);
  unread_.remove_prefix(end + 1);
  std::array<std::int64_t, 5> values{};
  for (std::int64_t& value : values) {
    const auto [at, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc()) return std::nullopt;
    line.remove_prefix(std::min(line.size(), static_cast<std::size_t>(at - line.data()) + 1));
  }
  return Line{values[0], values[1], values[2], {values[3], values[4]}};
}

std::optional<SpanCycles::Cycles> SpanCycles::cyclesOf(std::int64_t rank, const Span& span) {
  const auto spanPlace = place(rank, span.beginNs, span.durationNs);
  const auto at = [](const Line& line) { return place(line.rank, line.beginNs, line.durationNs); };
  while (line_ && at(*line_) < spanPlace) line_ = next();  // of a damaged block
  if (!line_ || at(*line_) != spanPlace) return std::nullopt;
  const Cycles cycles = line_->cycles;
  line_ = next();
  return cycles;
}

}  // namespace halo
