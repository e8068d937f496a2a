#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record/trace/span.h"

namespace halo {

// Cycles of a simulated device's spans, which whole nanoseconds do not tell where a clock is faster than 1
// GHz. They are an artifact of the run, one line a span: "rank,begin_ns,duration_ns,begin_cycle,cycles".
// Lines come in the order of forEachSpan (rank, begin, the longer first).

inline constexpr const char* kCyclesArtifact = "cycles";

/// A span and the cycles that it was made of.
struct CycledSpan {
  Span span;
  std::int64_t beginCycle = 0, cycles = 0;
};

/// The artifact's text. lanes: by rank, all of lane main.
std::string cyclesText(const std::vector<std::vector<CycledSpan>>& lanes);

/// Reads the text beside spans that are asked for in its order. `text` must outlive it.
class SpanCycles {
 public:
  explicit SpanCycles(std::string_view text);
  struct Cycles {
    std::int64_t begin = 0, count = 0;
  };
  /// Of the span; nothing where the text has no line for it.
  std::optional<Cycles> cyclesOf(std::int64_t rank, const Span& span);

 private:
  struct Line {
    std::int64_t rank = 0, beginNs = 0, durationNs = 0;
    Cycles cycles;
  };
  std::optional<Line> next();
  std::string_view unread_;
  std::optional<Line> line_;
};

}  // namespace halo
