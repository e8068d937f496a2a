// dense_bench: the dense products of training beside Eigen's and, where it was found at build time, oneDNN's
// sgemm in the same blocks of rows, whose sums it does not add: interleaved in one run on one thread, medians
// and shortest of nine rounds.
#include <Eigen/Core>
#include <cstdio>
#include <functional>
#include <numeric>

#ifdef HALO_ONEDNN
#include <dnnl.h>
#include <omp.h>
#endif

#include "engine/kernels/dense/dense.h"
#include "engine/kernels/threads/work.h"
#include "tests/bench/gcsr.h"

namespace halo {
namespace {

using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Lent = Eigen::Map<const RowMajor>;

struct Sizes {
  Index n, d, h;
};

struct Times {
  double median, shortest;
};

std::vector<Times> race(const std::vector<std::function<void()>>& contenders) {
  constexpr int kRounds = 9;
  std::vector<std::vector<double>> samples(contenders.size());
  for (int round = -1; round < kRounds; ++round)
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const double ms = bench::criticalMs(1, contenders[c]);
      if (round >= 0) samples[c].push_back(ms);
    }
  std::vector<Times> times;
  for (const auto& s : samples) times.push_back({bench::median(s), *std::ranges::min_element(s)});
  return times;
}

#ifdef HALO_ONEDNN
// op(A) op(B), A and B as they are stored.
void sgemm(bool transposeA, bool transposeB, Index m, Index n, Index k, const float* A, const float* B,
           float* C) {
  const Index strideA = transposeA ? m : k, strideB = transposeB ? k : n;
  HALO_CHECK(dnnl_sgemm(transposeA ? 'T' : 'N', transposeB ? 'T' : 'N', m, n, k, 1, A, strideA, B, strideB, 0,
                        C, n) == dnnl_success);
}

Index blockOf(Index rows) { return std::clamp<Index>((rows / 32 + 15) / 16 * 16, 128, 2048); }
#endif

void compare(const char* label, double flops, const std::vector<std::function<void()>>& contenders) {
  const std::vector<Times> times = race(contenders);
  std::printf("  %-4s %6.1f GFLOP/s  of Eigen %.3f", label, flops * 1e-6 / times[0].median,
              times[0].median / times[1].median);
  if (times.size() > 2)
    std::printf("  of oneDNN %.3f (shortest %.3f)", times[0].median / times[2].median,
                times[0].shortest / times[2].shortest);
  std::printf("\n");
  std::fflush(stdout);
}

void compareSizes(Sizes sizes) {
  const auto [n, d, h] = sizes;
  const Matrix A = bench::features(n, d), W = bench::features(d, h), G = bench::features(n, h);
  Matrix C, T, N;
  RowMajor c(n, h), t(d, h), x(n, d);
  const Lent a(A.data(), n, d), w(W.data(), d, h), g(G.data(), n, h);
  std::vector<std::function<void()>> plain{[&] { multiply(A, W, C); }, [&] { c.noalias() = a * w; }},
      columns{[&] { multiplyTransposedA(A, G, T); }, [&] { t.noalias() = a.transpose() * g; }},
      back{[&] { multiplyTransposedB(G, W, N); }, [&] { x.noalias() = g * w.transpose(); }};
#ifdef HALO_ONEDNN
  const Index rows = blockOf(n), deep = std::max<Index>(512, (n + 31) / 32);
  const auto inBlocks = [rows](Index count, const auto& product) {
    for (Index b = 0; b < count; b += rows) product(b, std::min(rows, count - b));
  };
  plain.emplace_back([&] {
    inBlocks(n, [&](Index b, Index m) {
      sgemm(false, false, m, h, d, A.data() + b * d, W.data(), c.data() + b * h);
    });
  });
  columns.emplace_back([&] {
    for (Index b = 0; b < n; b += deep)
      sgemm(true, false, d, h, std::min(deep, n - b), A.data() + b * d, G.data() + b * h, t.data());
  });
  back.emplace_back([&] {
    inBlocks(n, [&](Index b, Index m) {
      sgemm(false, true, m, d, h, G.data() + b * h, W.data(), x.data() + b * d);
    });
  });
#endif
  std::printf("%lld rows, %lld to %lld\n", static_cast<long long>(n), static_cast<long long>(d),
              static_cast<long long>(h));
  const double flops = 2.0 * static_cast<double>(n * d * h);
  compare("A W", flops, plain);
  compare("AT G", flops, columns);
  compare("G WT", flops, back);
}

}  // namespace
}  // namespace halo

int main() {
  halo::setKernelThreads(1);
  Eigen::setNbThreads(1);
#ifdef HALO_ONEDNN
  omp_set_num_threads(1);
#endif
  for (const halo::Sizes sizes :
       {halo::Sizes{50000, 602, 256}, halo::Sizes{50000, 256, 256}, halo::Sizes{50000, 256, 41},
        halo::Sizes{50000, 128, 128}, halo::Sizes{50000, 100, 47}, halo::Sizes{50000, 64, 64},
        halo::Sizes{50000, 16, 16}, halo::Sizes{20000, 512, 512}, halo::Sizes{50000, 1024, 128},
        halo::Sizes{2708, 1433, 64}, halo::Sizes{2708, 1433, 16}, halo::Sizes{700, 1433, 16}})
    halo::compareSizes(sizes);
}
