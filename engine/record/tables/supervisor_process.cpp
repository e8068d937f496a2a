#include "engine/record/tables/supervisor_process.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

namespace halo {
namespace {

bool lives(std::int64_t pid) {
  if (pid <= 0) return false;
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

/// For how long a process has been there, in seconds; the most there is where the system does not tell.
constexpr std::int64_t kUnknownAge = 1'000'000'000'000;
std::int64_t ageOf(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line, field;
  if (!std::getline(file, line) || line.rfind(')') == std::string::npos) return kUnknownAge;
  // behind the name, which may hold blanks and brackets: the state, 18 numbers, the start in ticks since boot
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  constexpr int kBeforeStart = 19;
  for (int i = 0; i < kBeforeStart; ++i) fields >> field;
  std::int64_t ticks = 0;
  timespec now{};
  if (!(fields >> ticks) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return kUnknownAge;
  return now.tv_sec - ticks / sysconf(_SC_CLK_TCK);
}

}  // namespace

bool supervises(std::int64_t pid, std::int64_t ageOfRun) {
  // a minute at least: clocks are set, and a run that lives must not be given up
  constexpr std::int64_t kSlack = 60;
  return lives(pid) && ageOf(pid) + kSlack >= ageOfRun;
}

}  // namespace halo
