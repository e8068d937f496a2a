#include "app/program/stack.h"

#include <sys/resource.h>

#include <string>

#include "engine/base/problem.h"

namespace halo {

void requireStack() {
  constexpr rlim_t kNeeded = 1 << 20;  // mpirun dies below a fifth of this
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kNeeded) return;
  throw EnvironmentError("a program's stack may have " + std::to_string(limit.rlim_cur >> 10) +
                         " KiB here, and " + std::to_string(kNeeded >> 10) +
                         " KiB are needed; raise the limit with: ulimit -s 8192");
}

}  // namespace halo
