#include "tests/support/shifted_clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace halo::test {
namespace {

thread_local std::int64_t aheadNs = 0;

}  // namespace

ShiftedClock::ShiftedClock() { aheadNs = 0; }
ShiftedClock::~ShiftedClock() { aheadNs = 0; }
void ShiftedClock::add(std::int64_t ns) { aheadNs += ns; }

}  // namespace halo::test

// A program may put its own function before the C library's; threads of MPI's see the machine's clock.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (clock != CLOCK_MONOTONIC || halo::test::aheadNs == 0 || status != 0) return status;
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ns = time->tv_nsec + halo::test::aheadNs % kSecond;
  time->tv_sec += halo::test::aheadNs / kSecond + ns / kSecond;
  time->tv_nsec = ns % kSecond;
  return status;
}
