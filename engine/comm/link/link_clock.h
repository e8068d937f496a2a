#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace halo {

/// What an emulated link goes by: rank 0's clock without the stretches in which the link stood still. So what
/// is under way when an epoch ends is as far when the next begins, whatever is done in between. All times in
/// ns. Pure arithmetic: one search in the list of stops a call.
class LinkClock {
 public:
  /// offsetNs: what to add to this rank's clock to get rank 0's.
  explicit LinkClock(std::int64_t offsetNs = 0) : offsetNs_(offsetNs) {}

  std::int64_t offsetNs() const { return offsetNs_; }
  bool runs() const { return stops_.empty() || stops_.back().endNs != kOpen; }
  void stop(std::int64_t wallNs);
  void start(std::int64_t wallNs);
  std::int64_t toLink(std::int64_t wallNs) const;
  /// The first time of the rank's clock at which the link's shows `linkNs`; the clock runs, or ran until
  /// then.
  std::int64_t toWall(std::int64_t linkNs) const;

 private:
  static constexpr std::int64_t kOpen = std::numeric_limits<std::int64_t>::max();
  struct Stop {
    std::int64_t beginNs = 0, endNs = kOpen;  // of the rank's clock
    std::int64_t linkNs = 0;                  // what the link's showed meanwhile
  };
  std::int64_t offsetNs_;
  std::vector<Stop> stops_;
};

}  // namespace halo
