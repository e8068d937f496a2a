#pragma once

#include <cstdint>

namespace halo {

/// CPU time so far of the threads that the kernels use, of all together, ns. What others took of the cores is
/// not in it; waiting is, where threads spin (OMP_WAIT_POLICY other than passive).
std::int64_t teamCpuNs();

}  // namespace halo
