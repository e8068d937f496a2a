#pragma once

#include <string>

#include "app/machine/doctor.h"

namespace halo {

/// How a program on another host ended, and what it wrote.
struct Answered {
  int status = -1;
  std::string output, error;
};

/// For a shell on that host: the worker at this path says its version.
std::string askForVersion(const std::string& worker);

/// Whether the host has the worker at the path of this machine's, of this program's version, by what it
/// answered to askForVersion.
Finding workerThere(const std::string& host, const std::string& worker, const Answered& answer);

}  // namespace halo
