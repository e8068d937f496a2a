#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace halo {

/// When transfers that nobody waits for yet completed. MPI tells only who asks, so each call that waits for
/// others asks for these first. A completion is therefore noticed at the next communication, and not at its
/// own wait, which may come epochs later. Messages of one tag between two ranks are matched in the order in
/// which they were sent. Of each such queue only the oldest that is still under way is asked for. Asking then
/// costs one call a queue, not one a message. A message that overtakes an older one on the wire is noticed
/// with it. One thread; requests stay their owners'.
class Outstanding {
 public:
  /// What a transfer is known by.
  struct Watch {
    std::size_t queue = 0;
    std::size_t number = 0;
  };

  /// Makes room for transfers to come; where none is, watch makes it.
  std::size_t expect(int peer, int tag, bool receives);
  /// Watches `request` until it is settled.
  Watch watch(MPI_Request request, int peer, int tag, bool receives);
  /// Notes the time of all that have completed. MPI's first code that is no success ends it; what was noted
  /// before stays.
  [[nodiscard]] int look(std::int64_t nowNs);
  /// Whether any is not known to have completed.
  bool any() const;
  /// Ends the watch over a transfer that was completed by its owner; when it was noticed, or `nowNs`.
  std::int64_t settle(Watch watch, std::int64_t nowNs);

 private:
  struct Watched {
    MPI_Request request = MPI_REQUEST_NULL;
    std::int64_t completedNs = 0;  // 0: not noticed
    bool settled = false;
  };
  /// Of one tag from or to one peer, in the order in which they were posted.
  struct Queue {
    // those from `begin` on, the ones before were settled; not a deque, which allocates as it moves on
    std::vector<Watched> watched;
    std::size_t begin = 0;
    std::size_t first = 0;    // the number of the one at `begin`
    std::size_t unknown = 0;  // of the first that is not known to have completed

    std::size_t end() const { return first + watched.size() - begin; }
    Watched& at(std::size_t number) { return watched[begin + number - first]; }
    void dropSettled();
  };

  std::vector<Queue> queues_;
  std::map<std::tuple<int, int, bool>, std::size_t> queueOf_;  // by peer, tag, and whether it receives
};

}  // namespace halo
