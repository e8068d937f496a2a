#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/base/check.h"

namespace halo::sim {

/// Cycles until all of it is through, the last one begun.
inline std::int64_t cyclesFor(double amount, double perCycle) {
  return static_cast<std::int64_t>(std::ceil(amount / perCycle));
}

/// What E engines did in a stretch of time: each was busy or waited for one of C causes, or had no more to
/// do.
template <std::size_t E, std::size_t C>
struct Interval {
  std::int64_t cycles = 0;
  std::array<std::int64_t, E> busy{}, idle{}, bytes{};
  std::array<std::array<std::int64_t, C>, E> stalled{};

  void add(const Interval& other) {
    cycles += other.cycles;
    for (std::size_t e = 0; e < E; ++e) {
      busy[e] += other.busy[e];
      idle[e] += other.idle[e];
      bytes[e] += other.bytes[e];
      for (std::size_t c = 0; c < C; ++c) stalled[e][c] += other.stalled[e][c];
    }
  }
};

/// Sums of all intervals, and the intervals themselves. When they are too many, neighbours are put together
/// by twos, so that memory does not grow with the number of blocks.
template <std::size_t E, std::size_t C>
class IntervalLog {
 public:
  explicit IntervalLog(std::size_t most = 512) : most_(most) { HALO_CHECK(most >= 2 && most % 2 == 0); }

  void add(const Interval<E, C>& interval) {
    total_.add(interval);
    if (open_ == 0) kept_.emplace_back();
    kept_.back().add(interval);
    if (++open_ < merged_) return;
    open_ = 0;
    if (kept_.size() < most_) return;
    for (std::size_t i = 0; i + 1 < kept_.size(); i += 2) {
      Interval<E, C> both = kept_[i];
      both.add(kept_[i + 1]);
      kept_[i / 2] = both;
    }
    kept_.resize(kept_.size() / 2);
    merged_ *= 2;
  }

  const Interval<E, C>& total() const { return total_; }
  const std::vector<Interval<E, C>>& kept() const { return kept_; }

 private:
  std::size_t most_;
  std::int64_t merged_ = 1, open_ = 0;  // intervals in one that is kept; those in the last
  Interval<E, C> total_;
  std::vector<Interval<E, C>> kept_;
};

}  // namespace halo::sim
