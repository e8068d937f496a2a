#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halo {

/// One thing that runs need, as this machine has it.
struct Finding {
  enum class State { good, poor, missing };  // poor: works, but; missing: training cannot run without
  std::string thing;
  State state = State::good;
  std::string actual;  // what there is
  std::string fix;     // what to do where it is not good
};

/// Looks at MPI (starting two ranks for real), cores, memory, shared memory, arithmetic, devices of OpenCL,
/// display and the disk under `recording`. Then looks whether ssh reaches every one of `hosts` without asking
/// for a password, and whether this version's worker is there. Last comes the network between them.
std::vector<Finding> examine(const std::filesystem::path& recording, const std::vector<std::string>& hosts);

/// Bytes that this process may still use: what the system has available, or the limit of the control group.
double availableMemory();

}  // namespace halo
