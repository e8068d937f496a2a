#include "app/machine/node_rates.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <thread>

#include "datasets/generate/rmat.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/kernels/sparse/spmm.h"
#include "engine/kernels/threads/work.h"
#include "engine/sampling/neighbour.h"

namespace halo {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kRuns = 5;
constexpr Index kSeeds = 512, kWidth = 128, kOut = 256;
constexpr std::size_t kBatches = 16;
constexpr double kNsPerSecond = 1e9;

/// CPU time of the calling thread, of the fastest run.
double fastestNs(const std::function<void()>& call) {
  call();
  double fastest = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const std::int64_t begin = threadCpuNs();
    call();
    fastest = std::min(fastest, static_cast<double>(threadCpuNs() - begin));
  }
  return fastest;
}

/// One thread for kernels, until this goes.
class OneThread {
 public:
  OneThread() { setKernelThreads(1); }
  ~OneThread() { setKernelThreads(availableCores()); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;
};

/// Somebody asked to stop.
struct Stopped {};

class Measuring {
 public:
  Measuring(bool quick, const KitProgress& progress)
      : progress_(progress), arcs_(rmat(quick ? 15 : 18, 16, kSeed)), graph_(CsrRows(arcs_)) {}

  sim::NodeRates run() {
    const OneThread singleThread;
    sample();
    rows();
    update();
    copy();
    tell("one thread: beginning");
    rates_.launchUs = beginNs() * 1e-3;
    return rates_;
  }

 private:
  void tell(const char* step) {
    constexpr double kSteps = 5;
    if (progress_ && !progress_(step, done_++ / kSteps)) throw Stopped();
  }

  /// Batches of seeds of their own, so that no cache has what the next reads.
  void sample() {
    tell("one thread: sampling");
    std::vector<std::vector<Vertex>> seeds(kBatches);
    PhiloxStream random(kSeed, Purpose::shuffle, 0);
    for (std::vector<Vertex>& batch : seeds) {
      for (Index i = 0; i < kSeeds; ++i)
        batch.push_back(static_cast<Vertex>(random.below(static_cast<std::uint64_t>(arcs_.rows()))));
      std::ranges::sort(batch);
      const auto repeated = std::ranges::unique(batch);
      batch.erase(repeated.begin(), repeated.end());
    }
    NeighbourSampler sampler(graph_, {{25, 10}, /*replace=*/false});
    Index arcs = 0;
    const double ns = fastestNs([&] {
      arcs = 0;
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        sampler.sample(seeds[i], {kSeed, i}, blocks_);
        arcs += blocks_.sampledArcs();
      }
    });
    rates_.sampleMedges = 1e3 * static_cast<double>(arcs) / ns;
  }

  /// Rows of the batch gathered from all, and summed along its arcs.
  void rows() {
    tell("one thread: rows");
    Matrix X(arcs_.rows(), kWidth), Z;
    X.setZero(X.rows(), X.cols());
    Matrix gathered(std::ssize(blocks_.vertices), kWidth);
    const double gather = fastestNs([&] {
      gatherRows(X, blocks_.vertices, {gathered.data(), at(gathered.rows() * kWidth)});
    });
    rates_.gatherGbps = static_cast<double>(gathered.bytes()) / gather;
    const Csr& block = blocks_.block(1);
    const double sum = fastestNs([&] { spmm(block, gathered, Z); });
    rates_.sumGbps = static_cast<double>(block.nonzeros() * kWidth) * sizeof(Scalar) / sum;
  }

  void update() {
    tell("one thread: products");
    Matrix A(blocks_.block(1).rows(), kWidth), B(kWidth, kOut), C;
    A.setZero(A.rows(), A.cols());
    B.setZero(B.rows(), B.cols());
    const double ns = fastestNs([&] { multiply(A, B, C); });
    rates_.gmacs = static_cast<double>(A.rows() * kWidth * kOut) / ns;
  }

  void copy() {
    tell("one thread: copying");
    Matrix from(std::ssize(blocks_.vertices), kWidth), to(from.rows(), kWidth);
    from.setZero(from.rows(), kWidth);
    const double ns = fastestNs([&] { std::ranges::copy(from.values(), to.data()); });
    rates_.copyGbps = static_cast<double>(from.bytes()) / ns;
  }

  /// Elapsed, from one thread's word to another's first step: half of there and back, the shortest of many.
  static double beginNs() {
    constexpr int kTimes = 2000;
    std::mutex mutex;
    std::condition_variable changed;
    int turns = 0;
    std::thread other([&] {
      std::unique_lock lock(mutex);
      for (int i = 0; i < kTimes; ++i) {
        changed.wait(lock, [&] { return turns == 2 * i + 1; });
        ++turns;
        changed.notify_all();
      }
    });
    double fastest = std::numeric_limits<double>::infinity();
    {
      std::unique_lock lock(mutex);
      for (int i = 0; i < kTimes; ++i) {
        const std::int64_t begin = wallNs();
        ++turns;
        changed.notify_all();
        changed.wait(lock, [&] { return turns == 2 * i + 2; });
        fastest = std::min(fastest, static_cast<double>(wallNs() - begin));
      }
    }
    other.join();
    return fastest / 2;
  }

  const KitProgress& progress_;
  Csr arcs_;
  SampledGraph graph_;
  Blocks blocks_;
  sim::NodeRates rates_;
  int done_ = 0;
};

}  // namespace

std::optional<sim::NodeRates> measureNode(bool quick, const KitProgress& progress) {
  try {
    return Measuring(quick, progress).run();
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

}  // namespace halo
