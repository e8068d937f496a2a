#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace halo {

/// When transfers that nobody waits for yet completed. MPI tells only who asks, so each call that waits for
/// others asks for these first: a completion is noticed at the next communication, not at its own wait, which
/// may come epochs later. One thread; requests stay their owners'.
class Outstanding {
 public:
  /// Watches `request` until it is settled; gives what it is known by.
  std::int64_t watch(MPI_Request request) {
    watched_.push_back({++last_, request, 0});
    return last_;
  }
  /// Notes the time of all that have completed.
  void look(std::int64_t nowNs) {
    for (Watched& w : watched_) {
      int done = 0;
      if (w.completedNs == 0 && MPI_Request_get_status(w.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
          done != 0)
        w.completedNs = nowNs;
    }
  }
  /// Ends the watch over a transfer that was completed by its owner; when it was noticed, or `nowNs`.
  std::int64_t settle(std::int64_t id, std::int64_t nowNs) {
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      if (watched_[i].id != id) continue;
      const std::int64_t noticed = watched_[i].completedNs;
      watched_[i] = watched_.back();
      watched_.pop_back();
      return noticed != 0 ? noticed : nowNs;
    }
    return nowNs;
  }

 private:
  struct Watched {
    std::int64_t id;
    MPI_Request request;
    std::int64_t completedNs;  // 0: not noticed
  };
  std::vector<Watched> watched_;
  std::int64_t last_ = 0;
};

}  // namespace halo
