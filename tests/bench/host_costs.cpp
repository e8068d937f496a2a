#include "tests/bench/host_costs.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine/base/clock.h"
#include "engine/comm/link/link.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/kernels/sparse/spmm.h"
#include "engine/kernels/threads/work.h"
#include "engine/run/launch/single_copy.h"
#include "simulator/calibration/calibration_files.h"

namespace halo {
namespace {

constexpr int kRounds = 11;
constexpr std::int64_t kRoundNs = 100'000'000;
constexpr std::size_t kFragment = 32768, kFragments = 3, kMessage = std::size_t{64} << 20;

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Of rates: what disturbs only slows.
double leastDisturbed(std::vector<double> rates) {
  std::ranges::sort(rates);
  return rates[rates.size() * 3 / 4];
}

void stayOnOneCore() {
  cpu_set_t allowed, ownCore;
  CPU_ZERO(&ownCore);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) {
      CPU_SET(core, &ownCore);
      break;
    }
  ::sched_setaffinity(0, sizeof ownCore, &ownCore);  // of this thread alone
}

/// Sums until told to stop; how often.
std::int64_t compute(const std::atomic<bool>& stop) {
  std::vector<float> values(std::size_t{1} << 12, 1.0f);
  std::int64_t times = 0;
  volatile float sink = 0;
  for (; !stop; ++times) {
    float sum = 0;
    for (const float value : values) sum += value;
    sink = sum;
  }
  static_cast<void>(sink);
  return times;
}

struct Round {
  double works = 0, looks = 0, lookCpuNs = 0, ns = 0;
};

/// One round of a thread that computes, one that sleeps and looks, or both, on one core.
Round round(bool computes, bool looks) {
  std::atomic<bool> stop = false;
  Round result;
  std::thread looking([&] {
    if (!looks) return;
    stayOnOneCore();
    sleepExactly();
    const std::int64_t cpu = threadCpuNs();
    for (; !stop; ++result.looks) nap();
    result.lookCpuNs = static_cast<double>(threadCpuNs() - cpu);
  });
  std::thread working([&] {
    if (!computes) return;
    stayOnOneCore();
    result.works = static_cast<double>(compute(stop));
  });
  const std::int64_t begin = wallNs();
  sleepUntil(begin + kRoundNs);
  stop = true;
  result.ns = static_cast<double>(wallNs() - begin);
  working.join();
  looking.join();
  return result;
}

/// Copies fragments between a message, larger than caches, and the few that two threads share; the time of
/// the copies alone, by the fragment that is each side's turn.
template <class Copy>
double sideNs(std::atomic<std::size_t>& ownCount, const std::atomic<std::size_t>& otherCount,
              std::size_t ahead, Copy copy) {
  std::int64_t ns = 0;
  for (std::size_t i = 0; i < kMessage / kFragment; ++i) {
    while (i + 1 > otherCount + ahead) std::this_thread::yield();
    const std::int64_t begin = wallNs();
    copy(i * kFragment, i % kFragments * kFragment);
    ns += wallNs() - begin;
    ownCount = i + 1;
  }
  return static_cast<double>(ns);
}

/// Of both sides.
double copyGbPerS() {
  std::vector<char> out(kMessage, 1), in(kMessage, 2), shared(kFragments * kFragment);
  std::vector<double> rates;
  for (int i = 0; i < kRounds; ++i) {
    std::atomic<std::size_t> putCount = 0, takenCount = 0;
    double putNs = 0, takenNs = 0;
    std::thread sender([&] {
      putNs = sideNs(putCount, takenCount, kFragments, [&](std::size_t at, std::size_t slot) {
        std::memcpy(shared.data() + slot, out.data() + at, kFragment);
      });
    });
    takenNs = sideNs(takenCount, putCount, 0, [&](std::size_t at, std::size_t slot) {
      std::memcpy(in.data() + at, shared.data() + slot, kFragment);
    });
    sender.join();
    rates.push_back(2 * static_cast<double>(kMessage) / (putNs + takenNs));
  }
  return leastDisturbed(rates);
}

/// Messages of 1 MB, out of memory larger than caches; by the call that reads other processes, of our own.
double readGbPerS() {
  if (!processesReadEachOther()) return 0;
  constexpr std::size_t kRead = std::size_t{1} << 20;
  std::vector<char> out(kMessage, 1), in(kMessage, 2);
  std::vector<double> rates;
  for (int i = 0; i < kRounds; ++i) {
    const std::int64_t begin = threadCpuNs();
    for (std::size_t at = 0; at < kMessage; at += kRead) {
      const iovec local{in.data() + at, kRead}, remote{out.data() + at, kRead};
      if (::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) != static_cast<ssize_t>(kRead)) return 0;
    }
    rates.push_back(static_cast<double>(kMessage) / static_cast<double>(threadCpuNs() - begin));
  }
  return leastDisturbed(rates);
}

constexpr Index kRows = 10'000, kWidth = 128;  // a share of 5 MB

/// What `pack` moves of so many bytes out of X, which was just computed; where it puts them is in no cache,
/// as after the rest of an epoch.
double packGbPerS(const Matrix& X, std::size_t bytes, const std::function<void()>& pack) {
  std::vector<char> others(kMessage);
  Matrix computed;
  std::vector<double> rates;
  for (int i = 0; i < kRounds; ++i) {
    // line by line: filling so much at once goes past the caches and leaves in them what is there
    for (std::size_t line = 0; line < others.size(); line += 64) others[line] = static_cast<char>(i);
    computed = X;
    const std::int64_t begin = threadCpuNs();
    pack();
    rates.push_back(static_cast<double>(bytes) / static_cast<double>(threadCpuNs() - begin));
  }
  return leastDisturbed(rates);
}

Matrix ones(Index rows, Index cols) {
  Matrix X(rows, cols);
  X.fill(1);
  return X;
}

/// In ascending order with gaps, as halo rows are.
double gatherGbPerS() {
  setKernelThreads(1);
  const Matrix X = ones(kRows, kWidth);
  std::vector<Vertex> rows;
  for (Vertex v = 0; v < kRows; v += 1 + v % 3) rows.push_back(v);
  std::vector<Scalar> gathered(rows.size() * static_cast<std::size_t>(kWidth));
  return packGbPerS(X, gathered.size() * sizeof(Scalar), [&] { gatherRows(X, rows, gathered); });
}

}  // namespace

double sliceGbPerS(int slices) {
  setKernelThreads(1);
  const Matrix X = ones(kRows, kWidth);
  Matrix packed = X, rows = X;
  const auto each = [&](const auto& copy) {
    for (int s = 0; s < slices; ++s) {
      const Index begin = kWidth * s / slices, count = kWidth * (s + 1) / slices - begin;
      copy(begin, packed.data() + kRows * begin, count);
    }
  };
  return packGbPerS(X, 2 * X.bytes(), [&] {
    each([&](Index begin, Scalar* slice, Index count) {
      copyBlock(X.data() + begin, kWidth, slice, count, kRows, count);
    });
    each([&](Index begin, const Scalar* slice, Index count) {
      copyBlock(slice, count, rows.data() + begin, kWidth, kRows, count);
    });
  });
}

HostCosts measureHost() {
  HostCosts costs;
  costs.copyGbPerS = copyGbPerS();
  costs.readGbPerS = readGbPerS();
  costs.gatherGbPerS = gatherGbPerS();
  std::vector<double> own, lost;
  for (int i = 0; i < kRounds; ++i) {
    const Round alone = round(true, false), idle = round(false, true), both = round(true, true);
    own.push_back(idle.lookCpuNs / idle.looks * 1e-3);
    lost.push_back((1 - both.works / both.ns * alone.ns / alone.works) * both.ns / both.looks * 1e-3);
  }
  std::ranges::sort(own);
  costs.lookUs = own.front();  // what disturbs only adds
  costs.lookLossUs = middle(lost);
  return costs;
}

cluster::ComputeRates measureSparse(const Csr& A) {
  setKernelThreads(1);
  std::vector<char> others(kMessage);
  std::vector<sim::Timing> timings;
  for (const Index width : {16, 32, 64, 128, 256}) {
    Matrix X(A.cols, width), Y;
    std::ranges::fill(X.values(), Scalar{1});
    std::vector<double> ns;
    for (int i = 0; i < kRounds; ++i) {
      std::ranges::fill(others, static_cast<char>(i));  // as the rest of an epoch, it leaves caches cold
      const std::int64_t begin = threadCpuNs();
      spmm(A, X, Y);
      ns.push_back(static_cast<double>(threadCpuNs() - begin));
    }
    sim::Timing& timing = timings.emplace_back();
    timing.kernel = sim::Timed::sparse;
    std::ranges::sort(ns);
    timing.ns = ns[ns.size() / 4];
    timing.rows = A.rows();
    timing.nonzeros = A.nonzeros();
    timing.width = width;
  }
  const sim::RankRates rankRates = sim::rankRates({}, timings);
  cluster::ComputeRates rates;
  rates.entryNs = rankRates.entryNs;
  rates.entryElementNs = rankRates.entryElementNs;
  rates.rowElementNs = rankRates.rowElementNs;
  return rates;
}

namespace {

/// A rank's kernels; the CPU time of a call.
class Kernels {
 public:
  explicit Kernels(const Csr& A) : A_(A), X_(A.cols, kWidth), W_(kWidth, kWidth) {
    std::ranges::fill(X_.values(), Scalar{1});
    std::ranges::fill(W_.values(), Scalar{1});
  }
  double sparseNs() {
    return timed([&] { spmm(A_, X_, Y_); });
  }
  double denseNs() {
    return timed([&] { multiply({X_, X_.rows()}, W_, Y_); });
  }

 private:
  static constexpr Index kWidth = 128;
  template <class Kernel>
  static double timed(Kernel kernel) {
    const std::int64_t begin = threadCpuNs();
    kernel();
    return static_cast<double>(threadCpuNs() - begin);
  }

  const Csr& A_;
  Matrix X_, W_, Y_;
};

/// A process that computes until it is ended.
class Neighbour {
 public:
  Neighbour(Kernels& kernels, bool sparse) : process_(::fork()) {
    if (process_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) sparse ? kernels.sparseNs() : kernels.denseNs();
  }
  ~Neighbour() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;

 private:
  pid_t process_;
};

double crowded(Kernels& kernels, bool sparse, int others) {
  std::vector<double> alone, beside;
  const auto run = [&](std::vector<double>& into) {
    for (int i = 0; i <= kRounds; ++i) {
      const double ns = sparse ? kernels.sparseNs() : kernels.denseNs();
      if (i > 0) into.push_back(ns);  // the first begins with another's caches
    }
  };
  for (int round = 0; round < 3; ++round) {
    run(alone);
    std::vector<std::unique_ptr<Neighbour>> neighbours;
    for (int i = 0; i < others; ++i) neighbours.push_back(std::make_unique<Neighbour>(kernels, sparse));
    run(beside);
  }
  return middle(beside) / std::ranges::min(alone);  // others on the machine crowd that, too
}

}  // namespace

Crowding measureCrowding(const Csr& A, int cores) {
  setKernelThreads(1);
  Kernels kernels(A);
  return {crowded(kernels, true, cores - 1), crowded(kernels, false, cores - 1)};
}

}  // namespace halo
