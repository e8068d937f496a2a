#pragma once

#include <cstdint>

namespace halo {

/// How long a thread naps between two looks for messages: an eighth of what it has waited so far, 10 to
/// 100 µs. A wait becomes longer by that part at most. Times are ns of one clock.
class Naps {
 public:
  /// The nap that follows a look that ended at `nowNs`.
  std::int64_t after(std::int64_t nowNs);
  /// The nap ended.
  void woke(std::int64_t nowNs) { wokeNs_ = nowNs; }

 private:
  std::int64_t beganNs_ = 0, wokeNs_ = 0;
};

/// Whether threads of this process that wait for messages leave their core to others. At first they do not.
///
/// Open MPI looks for messages in a loop, and calls sched_yield between two looks where it is told that ranks
/// share cores. A thread that yields still takes its share of the core from the ranks that it waits for. This
/// file's sched_yield stands before the C library's: it naps instead.
void napWhileWaiting(bool naps);

}  // namespace halo
