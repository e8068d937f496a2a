#pragma once

#include <cstdlib>
#include <string>

namespace halo::test {

/// What happens at updates of the runs that are begun meanwhile (engine/base/rehearsal.h).
class Rehearsed {
 public:
  explicit Rehearsed(const std::string& events) { ::setenv("HALO_REHEARSE", events.c_str(), 1); }
  ~Rehearsed() { ::unsetenv("HALO_REHEARSE"); }
  Rehearsed(const Rehearsed&) = delete;
  Rehearsed& operator=(const Rehearsed&) = delete;
};

}  // namespace halo::test
