#pragma once

#include <sys/wait.h>

#include "tests/support/process.h"

namespace halo::test {

/// Whether the program has not ended yet. It is still to be waited for.
inline bool goesOn(const Process& process) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(process.id()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

}  // namespace halo::test
