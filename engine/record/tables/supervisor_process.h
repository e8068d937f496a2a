#pragma once

#include <cstdint>

namespace halo {

/// Whether the process with this number may be the supervisor of a run that began `ageOfRun` seconds ago.
/// Process numbers are given out again, in containers and after a boot soon: a process that is younger than
/// the run is not its supervisor.
bool supervises(std::int64_t pid, std::int64_t ageOfRun);

}  // namespace halo
