#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "engine/record/span.h"

namespace halo {

/// Of one rank, over a run's epochs: the time in which a transfer was under way while the rank was not
/// waiting for one (recording.md, "Lanes and kinds"). A transfer is noted when it is waited for, `depth`
/// epochs after it was posted at most, so an epoch is judged once as many came after it.
class HiddenTime {
 public:
  explicit HiddenTime(int depth) : depth_(static_cast<std::size_t>(depth)) {}

  /// One epoch, and the spans noted since the epoch before ended.
  void add(std::span<const Span> spans, std::int64_t beginNs, std::int64_t endNs);
  /// Of all epochs; those that were not judged yet by what is known of them.
  std::int64_t totalNs();

 private:
  struct Window {
    std::int64_t beginNs = 0, endNs = 0;
  };
  struct Noted {
    std::int64_t beginNs = 0, endNs = 0;
    bool transfer = false;  // else a wait
  };
  struct Edge {
    std::int64_t atNs = 0, step = 0;
    bool transfer = false;
  };
  void judgeFirst();

  std::size_t depth_;
  std::vector<Noted> spans_;  // those that epochs not judged yet may contain
  std::vector<Edge> edges_;
  std::deque<Window> epochs_;
  std::int64_t totalNs_ = 0;
};

}  // namespace halo
