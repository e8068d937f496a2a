#include "engine/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <mutex>
#include <thread>
#include <vector>

namespace halo {
namespace {

// cgroup v2 "max 100000" or "150000 100000": quota and period in microseconds.
int cgroupCores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::max(1, static_cast<int>(std::stod(quota) / period + 0.5));
}

}  // namespace

int availableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
  if (const int limit = cgroupCores(); limit > 0) cores = std::min(cores, limit);
  return std::max(1, cores);
}

void parallelBlocks(std::int64_t count, std::int64_t block,
                    const std::function<void(std::int64_t, std::int64_t)>& work, int threads,
                    const AskStop& askStop) {
  if (count <= 0) return;
  const std::int64_t blocks = (count + block - 1) / block;
  const std::int64_t teamSize = std::min<std::int64_t>(threads > 0 ? threads : availableCores(), blocks);
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex failureMutex;
  const auto run = [&](bool asks) {
    for (std::int64_t b = next++; b < blocks; b = next++) {
      try {
        if (asks && askStop) askStop();
        work(b * block, std::min(count, (b + 1) * block));
      } catch (...) {
        const std::lock_guard lock(failureMutex);
        if (!failure) failure = std::current_exception();
        next = blocks;
      }
    }
  };
  std::vector<std::jthread> helpers;
  for (std::int64_t t = 1; t < teamSize; ++t) helpers.emplace_back(run, false);
  run(true);
  helpers.clear();  // joins
  if (failure) std::rethrow_exception(failure);
}

}  // namespace halo
