#include "engine/base/give_way.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace halo {

void giveWay() {
  constexpr int kBehind = 5, kLast = 19;
  errno = 0;
  const int first = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  if (errno != 0) return;
  setpriority(PRIO_PROCESS, 0, std::min(first + kBehind, kLast));  // on Linux of this thread alone
}

}  // namespace halo
