#pragma once

#include <optional>
#include <vector>

namespace halo {

struct Interval {
  double low = 0, high = 0;
  /// Whether a difference with this interval may be none at all.
  bool isWithinNoise() const { return low <= 0 && high >= 0; }
};

/// Repeats of one configuration: a value an epoch of each run, in the order of the epochs.
using Repeats = std::vector<std::vector<double>>;

/// The mean of the runs' means. NaN without any value; a run without values counts nothing.
double meanOf(const Repeats& repeats);

inline constexpr std::size_t kSeedsForInterval = 3;  // from so many repeats on, these are resampled

/// 95 % interval of mean(b) − mean(a), by 2,000 resamples whose draws are the same at every call.
/// Fewer than three runs: circular blocks of ⌈n^(1/3)⌉ epochs, for neighbours resemble each other (Politis
/// and Romano, 1992). From three runs on: runs as a whole, for seeds differ more than epochs do. None where a
/// side has neither three runs nor three epochs of each. Cost: 2,000 × (runs + epochs ÷ block).
std::optional<Interval> differenceInterval(const Repeats& a, const Repeats& b);
/// Likewise of mean(a).
std::optional<Interval> meanInterval(const Repeats& a);

}  // namespace halo
