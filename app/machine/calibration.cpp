#include "app/machine/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>

#include "app/machine/doctor.h"
#include "app/machine/energy_counter.h"
#include "app/report/table.h"
#include "datasets/generate/rmat.h"
#include "datasets/graph/order.h"
#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/base/philox.h"
#include "engine/base/problem.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/sparse/gather.h"
#include "engine/kernels/sparse/spmm.h"
#include "engine/kernels/threads/caches.h"
#include "engine/kernels/threads/team_time.h"
#include "engine/kernels/threads/triad.h"
#include "engine/kernels/threads/work.h"

namespace halo {
namespace {

using sim::Timed;
using sim::Timing;

constexpr double kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;
constexpr double kLeastFootprint = 32 * kKiB, kCoarseFootprint = 128 * kMiB;
constexpr Index kSumOf = 8;  // rows of X a sum of the gathers has: too few to be worth packing
constexpr std::uint64_t kSeed = 1;
constexpr int kLeastRuns = 5;
constexpr int kRounds = 3;        // over all shapes: other tenants' bursts last longer than one shape's runs
constexpr double kPowerNs = 2e9;  // with work, and without
constexpr int kStarts = 2000;
constexpr double kAtOnceNs = 2e6;  // of calls that are timed together

/// Somebody asked to stop.
struct Stopped {};

/// What one call takes: CPU time of all threads by their number, of the fastest of several runs. On an idle
/// machine that is the elapsed time, but for starting and for waiting for the last thread. What others take
/// of the cores is not in it.
double fastestNs(double leastNs, const std::function<void()>& call) {
  const auto timed = [&](int calls) {
    const std::int64_t begin = teamCpuNs();
    for (int i = 0; i < calls; ++i) call();
    return static_cast<double>(teamCpuNs() - begin) / kernelThreads() / calls;
  };
  call();
  // reading the clocks costs microseconds: short calls are timed together
  const int calls = static_cast<int>(std::clamp(kAtOnceNs / std::max(timed(1), 1.0), 1.0, 1000.0));
  double fastest = HUGE_VAL, total = 0;
  for (int runs = 0; runs < kLeastRuns || total < leastNs; ++runs) {
    const double ns = timed(calls);
    fastest = std::min(fastest, ns);
    total += ns * calls;
  }
  return fastest;
}

/// Elapsed time of a call that is over at once: the shortest of many.
double startNs(const std::function<void()>& call) {
  double fastest = HUGE_VAL;
  for (int runs = 0; runs < kStarts; ++runs) {
    const std::int64_t begin = wallNs();
    call();
    fastest = std::min(fastest, static_cast<double>(wallNs() - begin));
  }
  return fastest;
}

/// Small numbers, written by all cores.
void fillUp(Matrix& X) {
  parallelBlocks(X.size(), 1 << 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) X.data()[i] = static_cast<Scalar>(i % 7) - 3;
  });
}

/// Rows of eight nonzeros each, in any of `columns` with equal chances.
Csr randomRows(Index nonzeros, Index columns) {
  Csr matrix;
  matrix.cols = columns;
  const Index rows = nonzeros / kSumOf;
  matrix.offsets.resize(at(rows) + 1);
  matrix.columns.resize(at(rows * kSumOf));
  for (Index r = 0; r <= rows; ++r) matrix.offsets[at(r)] = r * kSumOf;
  parallelBlocks(rows, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      PhiloxStream random(kSeed, Purpose::generate, static_cast<std::uint64_t>(r));
      for (Index k = 0; k < kSumOf; ++k)
        matrix.columns[at(r * kSumOf + k)] =
            static_cast<Vertex>(random.below(static_cast<std::uint64_t>(columns)));
    }
  });
  return matrix;
}

std::string fieldOf(const char* file, const std::string& field) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(field)) {
      const auto colon = line.find(':');
      const auto begin = colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
      if (begin != std::string::npos) return line.substr(begin);
    }
  return "";
}

sim::MachineFacts factsHere() {
  sim::MachineFacts facts;
  facts.name = fieldOf("/proc/cpuinfo", "model name");
  if (facts.name.empty()) facts.name = "unnamed processor";
  facts.cores = availableCores();
  facts.mhz = std::strtod(fieldOf("/proc/cpuinfo", "cpu MHz").c_str(), nullptr);
  facts.l1Kib = static_cast<double>(caches().first) / kKiB;
  facts.l2Kib = static_cast<double>(caches().second) / kKiB;
  facts.l3Mib = static_cast<double>(caches().last) / kMiB;
  facts.memoryGb = availableMemory() * 1e-9;
  return facts;
}

class Measuring {
 public:
  Measuring(const KitSettings& settings, const KitProgress& progress)
      : settings_(settings), progress_(progress) {
    const auto sizes = [](const auto& a, const auto& b) { return a.size() * b.size(); };
    steps_ = 1 + settings.graphs.size() +
             at(settings.rounds) * (3 + sizes(settings.productIn, settings.productOut) +
                                    sizes(settings.footprints, settings.gatherWidths) +
                                    2 * sizes(settings.graphs, settings.sparseWidths));
  }

  Kit run() {
    setKernelThreads(availableCores());
    kit_.machine = factsHere();
    makeMatrices();
    for (int round = 0; round < settings_.rounds; ++round) {
      at_ = 0;
      streams();
      products();
      gathers();
      sparse();
    }
    power();
    return std::move(kit_);
  }

 private:
  void tell(const std::string& step) {
    const double share = static_cast<double>(done_++) / static_cast<double>(steps_);
    if (progress_ && !progress_(step, std::min(share, 1.0))) throw Stopped();
  }

  /// A timing of `call`, or of a later round the faster of both; every third shape of a table is held out.
  Timing& time(Timed kernel, const std::string& step, std::size_t shape, const std::function<void()>& call) {
    tell(step);
    const double ns = kernel == Timed::start ? startNs(call) : fastestNs(settings_.leastNs, call);
    if (at_ == kit_.timings.size()) {
      Timing& timing = kit_.timings.emplace_back();
      timing.kernel = kernel;
      timing.label = step;
      timing.heldOut = shape % 3 == 1;
      timing.ns = ns;
    }
    Timing& timing = kit_.timings[at_++];
    HALO_CHECK(timing.label == step);
    timing.ns = std::min(timing.ns, ns);
    return timing;
  }

  void streams() {
    Buffer<Scalar> few(1024, 1), little(1024);
    time(Timed::start, "a kernel with next to nothing to do", 0, [&] { triad(few, few, 3, little); });
    const auto count = at(settings_.streamBytes) / sizeof(Scalar);
    Buffer<Scalar> a(count), b(count, 1), c(count, 2);
    time(Timed::triad, "STREAM triad", 0, [&] { triad(b, c, 3, a); }).bytes =
        3.0 * static_cast<double>(count * sizeof(Scalar));
    constexpr Index kWhole = 256, kPart = 32;  // columns
    Matrix X(static_cast<Index>(count) / kWhole, kWhole), packed(X.rows(), kPart);
    fillUp(X);
    fillUp(packed);
    time(Timed::copy, "columns copied together", 0, [&] {
      copyBlock(X.data() + kPart, kWhole, packed.data(), kPart, X.rows(), kPart);
    }).bytes = 2.0 * static_cast<double>(packed.bytes());
  }

  void products() {
    for (std::size_t i = 0; i < settings_.productIn.size(); ++i)
      for (std::size_t o = 0; o < settings_.productOut.size(); ++o) {
        const Index rows = settings_.productRows, in = settings_.productIn[i], out = settings_.productOut[o];
        Matrix A(rows, in), B(in, out), C;
        fillUp(A);
        fillUp(B);
        Timing& timing = time(Timed::product, fmt::format("{} × {} times {} × {}", rows, in, in, out), i + o,
                              [&] { multiply(A, B, C); });
        timing.rows = rows;
        timing.in = in;
        timing.out = out;
      }
  }

  void gathers() {
    const std::vector<Index>& widths = settings_.gatherWidths;
    Matrix X(static_cast<Index>(settings_.footprints.back() / sizeof(Scalar)) / widths.back(), widths.back()),
        Y;
    fillUp(X);
    for (std::size_t f = 0; f < settings_.footprints.size(); ++f)
      for (std::size_t w = 0; w < widths.size(); ++w) {
        const Index columns = static_cast<Index>(settings_.footprints[f] / sizeof(Scalar)) / widths[w];
        X.resize(columns, widths[w]);
        const bool isEnd =
            f == 0 || f + 1 == settings_.footprints.size();  // between them, held out is inside
        const Csr A = randomRows(widths[w] <= 16 ? 2 * settings_.gathered : settings_.gathered, columns);
        Timing& timing = time(Timed::gather,
                              fmt::format("rows of {} B at random in {}", widths[w] * Index{sizeof(Scalar)},
                                          byteText(settings_.footprints[f])),
                              isEnd ? 0 : f + w, [&] { spmm(A, X, Y); });
        timing.rows = A.rows();
        timing.nonzeros = A.nonzeros();
        timing.columns = columns;
        timing.width = widths[w];
      }
  }

  /// Each graph in random order and in RCM order.
  void makeMatrices() {
    for (const KitGraph& graph : settings_.graphs) {
      tell(fmt::format("making R-MAT 2^{} × {}", graph.scale, graph.degree));
      kit_.matrices.push_back(std::make_unique<Csr>(rmat(graph.scale, graph.degree, kSeed)));
      const Csr& plain = *kit_.matrices.back();
      kit_.matrices.push_back(std::make_unique<Csr>(permuted(plain, rcmOrder(plain))));
    }
  }

  void sparse() {
    for (std::size_t g = 0; g < settings_.graphs.size(); ++g) {
      const KitGraph& graph = settings_.graphs[g];
      const std::string name = fmt::format("R-MAT 2^{} × {}", graph.scale, graph.degree);
      sparse(*kit_.matrices[2 * g], name, g);
      sparse(*kit_.matrices[2 * g + 1], name + " in RCM order", g + 1);
    }
  }

  void sparse(const Csr& A, const std::string& name, std::size_t shape) {
    Matrix X, Y;
    for (std::size_t w = 0; w < settings_.sparseWidths.size(); ++w) {
      const Index width = settings_.sparseWidths[w];
      X.resize(A.cols, width);
      fillUp(X);
      Timing& timing =
          time(Timed::sparse, fmt::format("{}, {} columns", name, width), shape + w, [&] { spmm(A, X, Y); });
      timing.rows = A.rows();
      timing.nonzeros = A.nonzeros();
      timing.columns = A.cols;
      timing.width = width;
      timing.matrix = &A;
    }
  }

  void power() {
    EnergyCounter counter;
    if (!counter.readable() || kit_.matrices.empty()) return;
    tell("power");
    const auto watts = [&](const std::function<void()>& work) {
      counter.joules();
      const std::int64_t begin = wallNs();
      while (static_cast<double>(wallNs() - begin) < kPowerNs) work();
      return counter.joules() / (static_cast<double>(wallNs() - begin) * 1e-9);
    };
    kit_.machine.idleW = watts([] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
    const Csr& A = *kit_.matrices.back();
    Matrix X(A.cols, settings_.sparseWidths.back()), Y;
    fillUp(X);
    kit_.machine.activeW = watts([&] { spmm(A, X, Y); });
  }

  const KitSettings& settings_;
  const KitProgress& progress_;
  std::size_t steps_ = 1, done_ = 0, at_ = 0;  // at: the next timing of this round
  Kit kit_;
};

}  // namespace

KitSettings kitSettings(bool quick) {
  KitSettings settings;
  settings.availableBytes = availableMemory();
  settings.streamBytes = static_cast<Index>((quick ? 32 : 128) * kMiB);
  settings.leastNs = quick ? 3e7 : 5e7;
  settings.rounds = quick ? 1 : 3;
  settings.productRows = quick ? 8192 : 32768;
  settings.productIn = {16, 32, 64, 128, 256, 602};
  settings.productOut = {7, 16, 41, 64, 128, 256};
  settings.gatherWidths = {4, 16, 64, 256};
  settings.gathered = quick ? 1 << 20 : 1 << 21;
  settings.sparseWidths = {4, 16, 32, 64, 128, 256};
  // from 2^15 rows: the processor learns the lengths of fewer by heart, run after run, as it never would in
  // training
  if (quick)
    settings.graphs = {{15, 8}, {16, 4}, {16, 12}};
  else
    settings.graphs = {{15, 16}, {16, 8}, {17, 4}, {18, 8}, {19, 8}};
  const double most = std::min(quick ? 64 * kMiB : 4 * kGiB, settings.availableBytes / 4);
  // twofold steps where last levels of caches end, fourfold ones beyond, and the largest itself
  for (double bytes = kLeastFootprint; bytes < most; bytes *= !quick && bytes < kCoarseFootprint ? 2 : 4)
    settings.footprints.push_back(bytes);
  if (settings.footprints.size() < 6)
    throw EnvironmentError(
        fmt::format("memory does not suffice for timings: {} are at hand, {} are needed; close programs or "
                    "raise the limit",
                    byteText(settings.availableBytes), byteText(256 * kMiB)));
  if (settings.footprints.back() * 2 <= most) settings.footprints.push_back(most);
  return settings;
}

std::string describe(const KitSettings& settings) {
  const double largest = settings.footprints.back();
  return fmt::format(
      "timing {} cores; footprints up to {}{}", availableCores(), byteText(largest),
      largest * 3 > settings.availableBytes
          ? fmt::format(", a quarter of the {} of memory at hand", byteText(settings.availableBytes))
          : "");
}

std::optional<Kit> measureMachine(const KitSettings& settings, const KitProgress& progress) {
  try {
    return Measuring(settings, progress).run();
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

}  // namespace halo
