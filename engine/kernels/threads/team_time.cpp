#include "engine/kernels/threads/team_time.h"

#include "engine/base/clock.h"
#include "engine/kernels/threads/work.h"

namespace halo {

std::int64_t teamCpuNs() {
  if (kernelThreads() == 1) return threadCpuNs();  // a team of one would take memory
  std::int64_t sum = 0;
#pragma omp parallel num_threads(kernelThreads()) reduction(+ : sum)
  sum += threadCpuNs();
  return sum;
}

}  // namespace halo
