#pragma once

#include <array>
#include <cstdint>

#include "engine/comm/communicator/communicator.h"

namespace halo {

/// Which share of the time two groups, equally many workers each, had nothing to do: 1 − busy / possible. All
/// epochs count but the first, which fills buffers and caches. Until there are others, the first counts.
///
///   possible = members · Σ_epochs (the longest that any worker of both groups took)
///   busy     = Σ_epochs Σ_workers of the group (what it took − what it waited)
class Idleness {
 public:
  explicit Idleness(int members = 1) : members_(members) {}

  /// Collective, after each epoch: what this worker of a group, 0 or 1, took, and waited of that.
  void note(Communicator& comm, int group, std::int64_t tookNs, std::int64_t waitedNs);
  /// 0 before any epoch; the same on every rank.
  double shareOf(int group) const;

 private:
  int members_;
  std::int64_t epochs_ = 0, longestNs_ = 0;
  std::array<std::int64_t, 2> busyNs_{};
};

}  // namespace halo
