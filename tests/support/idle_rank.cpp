// How a rank of the MPI tests waits for others: it sleeps. Open MPI asks for messages in a loop and, told
// that ranks share cores (mpi_yield_when_idle), calls sched_yield between two looks. A yielding rank still
// takes its share of a core from the ranks that it waits for. On two cores three ranks took five times as
// long as two. This function stands before the C library's, for this program alone.
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr microseconds kShortest{10}, kLongest{200};
constexpr microseconds kLook{10};  // a look that finds no message is shorter

/// One for each thread: the threads of a rank wait for different messages.
struct Idleness {
  Idleness() {
    ::prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  }  // ns; 50 us would be added to every sleep
  microseconds sleep = kShortest;
  Clock::time_point woke;
};

}  // namespace

extern "C" int sched_yield() noexcept {
  thread_local Idleness idle;
  // work since the last look: what comes next may be there soon
  if (Clock::now() - idle.woke > kLook) idle.sleep = kShortest;
  std::this_thread::sleep_for(idle.sleep);
  idle.sleep = std::min(2 * idle.sleep, kLongest);
  idle.woke = Clock::now();
  return 0;
}
