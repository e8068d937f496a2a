#pragma once

#include <QString>
#include <cstdint>
#include <vector>

namespace halo {

struct Tick {
  double value = 0;
  QString label;  // empty for a minor one
  bool major = true;
};

/// Round numbers (1, 2, 5 times a power of ten) within [low, high], about `count` of them, at least two
/// where the range is not a point. Ascending. `counts`: whole numbers alone, as many as there are.
std::vector<Tick> linearTicks(double low, double high, int count, bool counts = false);
/// Powers of ten within [low, high], low > 0; where there are fewer than three, the 2s and 5s between them
/// too.
std::vector<Tick> logTicks(double low, double high);

struct TimeTick {
  std::int64_t ns = 0;
  QString label;  // empty for a minor one
  bool major = true;
};
/// The step between major ticks for a window of `spanNs` over `width` pixels, each major one at least
/// `spacing` pixels wide.
std::int64_t timeStep(std::int64_t spanNs, double width, double spacing);
/// Ticks of [beginNs, endNs), labelled relative to `zeroNs` (the begin of the run); five minor ones a major
/// one.
std::vector<TimeTick> timeTicks(std::int64_t beginNs, std::int64_t endNs, double width, double spacing,
                                std::int64_t zeroNs = 0);

/// Time ↔ pixel of a strip `width` pixels wide that shows [beginNs, endNs).
struct TimeScale {
  std::int64_t beginNs = 0;
  std::int64_t endNs = 1;
  double width = 1;

  double nsPerPixel() const { return static_cast<double>(endNs - beginNs) / width; }
  double toPixel(std::int64_t ns) const { return static_cast<double>(ns - beginNs) / nsPerPixel(); }
  std::int64_t toNs(double pixel) const;
};

}  // namespace halo
