#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "views/spans/span_store.h"

namespace halo {

/// Busy shares of the six kinds in a stretch of time, in 65535ths. What is not zero never becomes zero, at
/// any level: one short message in a second of idleness still shows.
using Shares = std::array<std::uint16_t, kKinds>;

/// Shares of one row in buckets of 2^k ns, k from finest() up to a level of one or two buckets. Buckets stand
/// on a grid fixed to time 0, so that what is drawn does not depend on where the window begins. The finest
/// holds 6 to 12 spans on average (2 to 4 bytes a span in all); appending touches only the buckets of what is
/// new and those above. Departs from "largest span of a bucket" as profilers do it: the shares are true, and
/// sums stay right.
class Pyramid {
 public:
  struct Level {
    int shift = 0;           // bucket width 2^shift ns
    std::int64_t first = 0;  // number of the first bucket: it begins at first << shift
    std::vector<Shares> buckets;
    std::int64_t end() const { return first + static_cast<std::int64_t>(buckets.size()); }
  };

  /// Takes in the spans of `row` from `from` on; rebuilds itself where the width no longer suits. Returns the
  /// first ns from which anything changed.
  std::int64_t append(const SpanRow& row, std::size_t from);

  bool empty() const { return levels_.empty(); }
  int finest() const { return levels_.empty() ? kNoShift : levels_.front().shift; }
  /// The level of the widest buckets not wider than 2^shift ns, or the topmost; finest() must not exceed
  /// `shift`.
  const Level& level(int shift) const;
  const std::vector<Level>& levels() const { return levels_; }
  std::size_t bytes() const;
  void releaseSpare();

  static constexpr int kNoShift = 63;  // of an empty pyramid: finer than no pixel

 private:
  void rebuild(const SpanRow& row);
  void add(const SpanRow& row, std::size_t from, std::size_t to);
  void flush();
  void refresh(std::int64_t from);

  std::vector<Level> levels_;  // finest first
  std::int64_t openBucket_ = 0;
  KindTimes open_{};            // exact ns in the newest finest bucket, to which spans may still be added
  std::uint32_t instants_ = 0;  // bit k: a span of kind k and no length stands in the open bucket
  std::size_t builtOf_ = 0;     // spans when it was last rebuilt
};

/// The finest width for `count` spans over `lengthNs`.
int finestShift(std::int64_t lengthNs, std::size_t count);

}  // namespace halo
