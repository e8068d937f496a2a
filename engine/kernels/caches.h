#pragma once

#include <cstdint>

namespace halo {

/// Bytes of one core's second-level cache and of the last-level cache it shares; read once, with cautious
/// values where the system does not say.
struct Caches {
  std::int64_t second = 512 << 10, last = 16 << 20;
};
const Caches& caches();

}  // namespace halo
