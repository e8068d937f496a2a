// spmm_bench GRAPH.gcsr WIDTH THREADS: times Y = A X and prints one line `ms <float>` a run and `sum
// <float>`, the checksum of Y. One untimed run, then at least seven timed ones and at least a second of them.
#include <cstdio>
#include <exception>

#include "engine/kernels/sparse/spmm.h"
#include "engine/kernels/threads/work.h"
#include "tests/bench/gcsr.h"

namespace {

void run(const std::string& path, halo::Index width, int threads) {
  using namespace halo;
  const Csr A = bench::readGcsr(path);
  const Matrix X = bench::features(A.cols, width);
  Matrix Y;
  setKernelThreads(threads);
  spmm(A, X, Y);
  double total = 0;
  for (int runs = 0; runs < 7 || (total < 1000 && runs < 200); ++runs) {
    const double ms = bench::criticalMs(threads, [&] { spmm(A, X, Y); });
    std::printf("ms %.4f\n", ms);
    total += ms;
  }
  std::printf("sum %.9g\n", bench::checksum(Y));
}

}  // namespace

int main(int count, char** arguments) {
  const int width = count == 4 ? std::atoi(arguments[2]) : 0,
            threads = count == 4 ? std::atoi(arguments[3]) : 0;
  if (width < 1 || threads < 1) {
    std::fprintf(stderr, "usage: spmm_bench GRAPH.gcsr WIDTH THREADS   (both at least 1)\n");
    return 2;
  }
  halo::bench::sleepWhileWaiting(arguments);
  try {
    run(arguments[1], width, threads);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "spmm_bench: %s\n", failure.what());
    return 4;
  }
  return 0;
}
