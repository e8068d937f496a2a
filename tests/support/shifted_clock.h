// The monotonic clock as a test wants it, for tests of what is made of times.
#pragma once

#include <cstdint>

namespace halo::test {

/// While it lives, the calling thread's monotonic clock goes as the machine's does and ahead of it by what
/// was added; one at a time.
class ShiftedClock {
 public:
  ShiftedClock();
  ~ShiftedClock();
  ShiftedClock(const ShiftedClock&) = delete;
  ShiftedClock& operator=(const ShiftedClock&) = delete;

  void add(std::int64_t ns);
};

}  // namespace halo::test
