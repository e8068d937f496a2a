#include "app/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "app/commands/table.h"
#include "app/doctor.h"
#include "datasets/order.h"
#include "datasets/rmat.h"
#include "engine/base/clock.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"
#include "engine/kernels/dense.h"
#include "engine/kernels/gather.h"
#include "engine/kernels/spmm.h"
#include "engine/kernels/triad.h"
#include "engine/kernels/work.h"

namespace halo {
namespace {

using sim::Timed;
using sim::Timing;

constexpr double kMiB = 1024.0 * 1024.0;
constexpr Index kSumOf = 8;  // rows of X a sum of the gathers has
constexpr std::uint64_t kSeed = 1;

/// Somebody asked to stop.
struct Stopped {};

/// Median of at least five runs and a tenth of a second, after one that is not timed.
double medianNs(const std::function<void()>& call) {
  call();
  std::vector<double> runs;
  double total = 0;
  while (runs.size() < 5 || (total < 1e8 && runs.size() < 1000)) {
    const std::int64_t begin = wallNs();
    call();
    runs.push_back(static_cast<double>(wallNs() - begin));
    total += runs.back();
  }
  std::ranges::sort(runs);
  return runs[runs.size() / 2];
}

void fillUp(Matrix& X) {
  parallelBlocks(X.size(), 1 << 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) X.data()[i] = static_cast<Scalar>(i % 7) - 3;
  });
}

/// Rows of eight columns each, any of `columns` equally likely.
std::unique_ptr<Csr> randomRows(Index nonzeros, Index columns) {
  auto made = std::make_unique<Csr>();
  made->cols = columns;
  const Index rows = nonzeros / kSumOf;
  made->offsets.resize(static_cast<std::size_t>(rows) + 1);
  made->columns.resize(static_cast<std::size_t>(rows * kSumOf));
  for (Index r = 0; r <= rows; ++r) made->offsets[static_cast<std::size_t>(r)] = r * kSumOf;
  parallelBlocks(rows, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      PhiloxStream random(kSeed, Purpose::generate, static_cast<std::uint64_t>(r));
      for (Index k = 0; k < kSumOf; ++k)
        made->columns[static_cast<std::size_t>(r * kSumOf + k)] =
            static_cast<Vertex>(random.below(static_cast<std::uint64_t>(columns)));
    }
  });
  return made;
}

class Kitchen {
 public:
  Kitchen(const KitSettings& settings, const KitProgress& progress) : settings_(settings), progress_(progress) {}

  Kit run() {
    setKernelThreads(availableCores());
    planSizes();
    streams();
    products();
    gathers();
    sparse();
    return std::move(kit_);
  }

 private:
  void planSizes() {
    for (double bytes = 32 * 1024; bytes <= (settings_.quick ? 64 * kMiB : settings_.mostBytes); bytes *= 4)
      footprints_.push_back(bytes);
    if (!settings_.quick && settings_.mostBytes >= 4096 * kMiB) footprints_.push_back(4096 * kMiB);
    kit_.largestFootprint = footprints_.back();
  }

  void note(Timing timing) {
    kit_.timings.push_back(std::move(timing));
    if (progress_ && !progress_(kit_.timings.back(), 0)) throw Stopped();
  }

  void streams() {
    const auto count = static_cast<std::size_t>((settings_.quick ? 32 : 128) * kMiB / sizeof(Scalar));
    Buffer<Scalar> a(count), b(count, 1), c(count, 2);
    const double ns = medianNs([&] { triad(b, c, 3, a); });
    note({Timed::triad, "triad", ns, false, 3.0 * static_cast<double>(count * sizeof(Scalar)), 0, 0, 0, nullptr, 0});
    Matrix X(static_cast<Index>(count / 256), 256), packed(X.rows(), 32);
    fillUp(X);
    fillUp(packed);
    const double copied = medianNs([&] { copyBlock(X.data() + 64, 256, packed.data(), 32, X.rows(), 32); });
    note({Timed::copy, "columns copied", copied, false, 2.0 * static_cast<double>(packed.bytes()), 0, 0, 0, nullptr, 0});
  }

  void products() {
    const Index rows = settings_.quick ? 8192 : 32768;
    prepareProducts();
    const std::vector<Index> ins = {16, 32, 64, 128, 256, 602}, outs = {7, 16, 41, 64, 128, 256};
    for (std::size_t i = 0; i < ins.size(); ++i)
      for (std::size_t o = 0; o < outs.size(); ++o) {
        Matrix A(rows, ins[i]), B(ins[i], outs[o]), C;
        fillUp(A);
        fillUp(B);
        const double ns = medianNs([&] { multiply(A, B, C); });
        note({Timed::product, fmt::format("product, {} rows, {} to {} columns", rows, ins[i], outs[o]), ns, (i + o) % 2 == 1, 0,
              rows, ins[i], outs[o], nullptr, 0});
      }
  }

  void gathers() {
    Matrix X(static_cast<Index>(kit_.largestFootprint / 1024), 256), Y;
    fillUp(X);
    const std::vector<Index> widths = {4, 16, 64, 256};
    for (std::size_t f = 0; f < footprints_.size(); ++f)
      for (std::size_t w = 0; w < widths.size(); ++w) {
        const Index width = widths[w], columns = static_cast<Index>(footprints_[f] / 4) / width;
        if (columns < 32) continue;
        X.resize(columns, width);
        // enough that a pass evicts what it began with; few enough that panels are not worth while
        const Index nonzeros = width <= 16 ? 1 << 22 : 1 << 21;
        kit_.matrices.push_back(randomRows(nonzeros, columns));
        const Csr& A = *kit_.matrices.back();
        const double ns = medianNs([&] { spmm(A, X, Y); });
        note({Timed::gather, fmt::format("rows of {} B at random in {}", 4 * width, byteText(footprints_[f])), ns,
              (f + w) % 2 == 1, 0, A.rows(), 0, 0, &A, width});
      }
  }

  void sparse() {
    struct Graph { int scale; Index degree; };
    const std::vector<Graph> graphs = settings_.quick ? std::vector<Graph>{{12, 8}, {14, 8}, {15, 4}}
                                                      : std::vector<Graph>{{13, 8}, {15, 16}, {17, 4}, {18, 8}, {19,8}};
    const std::vector<Index> widths = {4, 16, 32, 64, 128, 256};
    Matrix X, Y;
    for (std::size_t g = 0; g < graphs.size(); ++g) {
      auto plain = std::make_unique<Csr>(rmat(graphs[g].scale, graphs[g].degree, kSeed));
      auto ordered = std::make_unique<Csr>(permuted(*plain, rcmOrder(*plain)));
      for (auto* matrix : {&plain, &ordered}) {
        const bool rcm = matrix == &ordered;
        kit_.matrices.push_back(std::move(*matrix));
        const Csr& A = *kit_.matrices.back();
        for (std::size_t w = 0; w < widths.size(); ++w) {
          X.resize(A.cols, widths[w]);
          fillUp(X);
          const double ns = medianNs([&] { spmm(A, X, Y); });
          note({Timed::sparse,
                fmt::format("R-MAT 2^{} by {}{}, {} columns", graphs[g].scale, graphs[g].degree, rcm ? " in RCM order" : "", widths[w]), ns,
                (g + w + (rcm ? 1 : 0)) % 2 == 1, 0, A.rows(), 0, 0, &A, widths[w]});
        }
      }
    }
  }

  const KitSettings& settings_;
  const KitProgress& progress_;
  std::vector<double> footprints_;
  Kit kit_;
};

}  // namespace

Kit measureMachine(const KitSettings& settings, const KitProgress& progress) { return Kitchen(settings, progress).run(); }

}  // namespace halo
