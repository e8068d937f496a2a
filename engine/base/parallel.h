#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/stop_asks.h"

namespace halo {

/// Cores this process may use (affinity mask and cgroup limit considered), at least 1.
int availableCores();

/// Calls work(begin, end) for consecutive blocks of [0, count), each at most `block` long, on up to
/// `threads` threads (0: availableCores()). Block borders depend on `block` only, so work that writes by
/// index gives the same result for any number of threads. The first exception is thrown again here.
/// `askStop` is asked before each block that the calling thread does, by that thread alone.
/// For preparation (datasets, partitioning): inside the epoch engine/kernels uses OpenMP.
void parallelBlocks(std::int64_t count, std::int64_t block,
                    const std::function<void(std::int64_t, std::int64_t)>& work, int threads = 0,
                    const AskStop& askStop = {});

}  // namespace halo
