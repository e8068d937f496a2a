#include "engine/kernels/threads/work.h"

#include <algorithm>

#include "engine/base/parallel.h"

namespace halo {
namespace {

int& threadsInUse() {
  static int threads = availableCores();
  return threads;
}

}  // namespace

Work& work() {
  thread_local Work counted;
  return counted;
}

void setKernelThreads(int threads) { threadsInUse() = std::max(1, threads); }

int kernelThreads() { return threadsInUse(); }

}  // namespace halo
