#pragma once

#include <time.h>

#include <cstdint>

namespace halo {

inline std::int64_t nanoseconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// Monotonic wall time of this host, ns. Ranks on other hosts differ by an offset kept in `worker`.
inline std::int64_t wallNs() { return nanoseconds(CLOCK_MONOTONIC); }
/// CPU time of the calling thread, ns: what an oversubscribed rank really computed.
inline std::int64_t threadCpuNs() { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace halo
