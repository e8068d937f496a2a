#include "engine/comm/communicator/idle_wait.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "engine/base/clock.h"
#include "engine/comm/link/link.h"

namespace halo {
namespace {

constexpr std::int64_t kShortestNs = 10'000, kLongestNs = 100'000;
constexpr std::int64_t kLookNs = 20'000;  // a look that finds no message is shorter

std::atomic<bool> napping = false;

/// One for each thread: the threads of a rank wait for different messages.
struct Waiter {
  Waiter() { sleepExactly(); }
  Naps naps;
};

}  // namespace

std::int64_t Naps::after(std::int64_t nowNs) {
  if (nowNs - wokeNs_ > kLookNs) beganNs_ = nowNs;  // there was work since: this is another wait
  return std::clamp((nowNs - beganNs_) / 8, kShortestNs, kLongestNs);
}

void napWhileWaiting(bool naps) { napping.store(naps, std::memory_order_relaxed); }

}  // namespace halo

extern "C" int sched_yield() noexcept {
  if (!halo::napping.load(std::memory_order_relaxed)) return static_cast<int>(::syscall(SYS_sched_yield));
  thread_local halo::Waiter waiter;
  const std::int64_t now = halo::wallNs();
  halo::sleepUntil(now + waiter.naps.after(now));
  waiter.naps.woke(halo::wallNs());
  return 0;
}
