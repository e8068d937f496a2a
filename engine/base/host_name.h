#pragma once

#include <string>

namespace halo {

/// Of this machine, as the system has it.
std::string hostName();

}  // namespace halo
