#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>

namespace halo::test {

/// Whether the process has been sent the signal and not yet taken notice of it.
inline bool pending(pid_t process, int number) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("ShdPnd:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) != 0;
  return false;
}

}  // namespace halo::test
