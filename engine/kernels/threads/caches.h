#pragma once

#include <cstdint>

namespace halo {

/// Bytes of one core's data caches of the first and the second level, and of the last-level cache it shares.
/// Read once, with cautious values where the system does not say.
struct Caches {
  std::int64_t first = 32 << 10, second = 512 << 10, last = 16 << 20;
};
const Caches& caches();

}  // namespace halo
