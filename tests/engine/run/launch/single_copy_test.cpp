#include "engine/run/launch/single_copy.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "engine/run/launch/launcher.h"

using namespace halo;

namespace {

constexpr const char* kSingleCopy = "OMPI_MCA_btl_vader_single_copy_mechanism";

/// From here on this process and its children may not read another's memory, as in many containers.
bool forbidReading() {
  std::array<sock_filter, 4> code = {{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// What `ask` answers in a process that may not read others; −1: no such process can be had.
int whereForbidden(bool (*ask)()) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(forbidReading() ? (ask() ? 1 : 0) : 2);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) < 2 ? WEXITSTATUS(status) : -1;
}

RunSettings twoRanks() {
  RunSettings run;
  run.cluster.workers = 2;
  run.cluster.launcher = "local";
  return run;
}

bool forbidsSingleCopy() {
  const Launch launch = launchWorkers(twoRanks(), "/bin/true");
  const auto set = launch.environment.find(kSingleCopy);
  return set != launch.environment.end() && set->second == "none";
}

/// The variable unset while it lives.
struct Unset {
  std::string before;
  Unset() {
    if (const char* value = std::getenv(kSingleCopy)) before = value;
    ::unsetenv(kSingleCopy);
  }
  ~Unset() {
    if (!before.empty()) ::setenv(kSingleCopy, before.c_str(), 1);
  }
};

}  // namespace

TEST_CASE("where processes may not read each other, that is found out", "[launcher]") {
  const int answer = whereForbidden(processesReadEachOther);
  if (answer < 0) {
    WARN("SKIPPED: no system call can be forbidden here");
    return;
  }
  CHECK(answer == 0);
}

TEST_CASE("ranks copy messages once exactly where they may", "[launcher]") {
  const Unset unset;
  CHECK(forbidsSingleCopy() == !processesReadEachOther());
  if (const int answer = whereForbidden(forbidsSingleCopy); answer >= 0) CHECK(answer == 1);
}

TEST_CASE("what the user says of single copies stays", "[launcher]") {
  const Unset unset;
  ::setenv(kSingleCopy, "emulated", 1);
  CHECK_FALSE(launchWorkers(twoRanks(), "/bin/true").environment.contains(kSingleCopy));
  ::unsetenv(kSingleCopy);
}
