#include "simulator/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "simulator/accelerators/cpu_pass.h"
#include "simulator/least_squares.h"

namespace halo::sim {
namespace {

constexpr const char* kFirst[] = {"l1_first_ns", "l2_first_ns", "l3_first_ns", "memory_first_ns"};
constexpr const char* kNext[] = {"l1_next_ns", "l2_next_ns", "l3_next_ns", "memory_next_ns"};
constexpr std::size_t kUnknowns = 2 * kLevels + 1;  // first and next lines, and the row of a sum
constexpr int kSteps = 24;                          // sizes tried of the last level
constexpr double kLeastNs = 1e-4;                   // of a cost that must not be nothing

double real(std::int64_t count) { return static_cast<double>(count); }

/// What a timing says of the costs of rows: Σ coefficient · cost = ns of all cores together.
struct Equation {
  std::vector<double> coefficients = std::vector<double>(kUnknowns, 0);
  double ns = 0;

  void add(const std::array<double, kLevels>& found, double lines, double times) {
    for (std::size_t l = 0; l < kLevels; ++l) {
      coefficients[l] += times * found[l];
      coefficients[kLevels + l] += times * found[l] * (lines - 1);
    }
  }
};

Equation equationOf(const cpu::Cpu& cpu, const Timing& timing) {
  Equation made;
  double known = cpu.startNs;
  if (timing.kernel == Timed::gather) {
    RowAccess access;
    access.strideBytes = timing.width * cpu::kFeatureBytes;
    access.lineBytes = cpu.line;
    made.add(cpu::foundAtRandom(cpu, real(timing.nonzeros), real(timing.columns), timing.width),
             access.linesARow(), 1);
    made.coefficients.back() = real(timing.rows);
  } else {
    const Csr& A = *timing.matrix;
    const Graph graph{A.rows(), A.nonzeros(), 1, &A};
    for (const cpu::Sweep& sweep : cpu::sweepsOf(cpu, graph, timing.width)) {
      for (const Wave& wave : reuse(A, blockBorders(A, cpu::kBlocksACore * cpu.cores), cpu.cores,
                                    sweep.access, cpu.caches, cpu.exact ? 1 : sampledShare(A, sweep.access)))
        made.add(wave.found, sweep.access.linesARow(), real(sweep.times));
      made.coefficients.back() += real(sweep.times * A.rows());
      if (sweep.packed) known += real(sweep.times) * cpu::packNs(cpu, A.cols, sweep);
    }
  }
  made.ns = std::max(timing.ns - known, 0.1 * timing.ns) * real(cpu.cores);
  return made;
}

class Calibrator {
 public:
  Calibrator(const MachineFacts& machine, std::span<const Timing> timings)
      : machine_(machine), timings_(timings) {
    const auto parameters = find<AcceleratorEntry>("cpu")->declaration.parameters;
    made_.figures = fallbacks(parameters);
    for (const Parameter& parameter : parameters)
      made_.sources[std::string(parameter.key)] = "assumed: not measured here";
  }

  Calibration run() {
    takeFacts();
    takeRates();
    takeLastLevel();
    takeCosts();
    takeProducts();
    judge();
    return std::move(made_);
  }

 private:
  void set(const char* key, Value value, std::string from) {
    HALO_CHECK(made_.figures.contains(key) && made_.figures.find(key)->second.index() == value.index());
    made_.figures[key] = std::move(value);
    made_.sources[key] = std::move(from);
  }

  void takeFacts() {
    const std::string says = "measured: as the system says, " + machine_.name;
    set("cores", machine_.cores, says);
    if (machine_.mhz > 0) set("freq_mhz", machine_.mhz, says);
    if (machine_.l1Kib > 0) set("l1_kib", machine_.l1Kib, says);
    if (machine_.l2Kib > 0) set("l2_kib", machine_.l2Kib, says);
    if (machine_.l3Mib > 0) set("l3_mib", machine_.l3Mib, says);
    for (const char* key : {"panel_columns", "panel_degree", "panel_limit_mib"})
      made_.sources[key] = "derived: as engine/kernels/spmm does";
    for (const char* key : {"line_bytes", "index_bytes"})
      made_.sources[key] = "derived: as the kernels have it";
    made_.sources["hit_rates"] = "derived: stack distances of the order";
    made_.sources["energy_mode"] = "derived: power times time";
    if (!machine_.idleW || !machine_.activeW) return;
    const std::string from = "measured: energy counter of the package";
    set("idle_w", *machine_.idleW, from);
    set("core_w", std::max(0.0, (*machine_.activeW - *machine_.idleW) / real(machine_.cores)), from);
  }

  void takeRates() {
    double adds = 0;
    for (const Timing& timing : timings_) {
      if (timing.heldOut) continue;
      if (timing.kernel == Timed::start)
        set("start_us", timing.ns * 1e-3, "measured: a kernel with nothing to do");
      if (timing.kernel == Timed::triad)
        set("stream_gbps", timing.bytes / timing.ns, "measured: STREAM triad");
      if (timing.kernel == Timed::copy)
        set("copy_gbps", timing.bytes / timing.ns, "measured: columns copied together");
      if (timing.kernel == Timed::gather || timing.kernel == Timed::sparse)
        adds = std::max(adds, real(timing.nonzeros * timing.width) / timing.ns / real(machine_.cores));
    }
    if (adds > 0) set("add_gops", adds, "measured: the fastest sums of rows");
  }

  /// Costs that fit these timings, and how well: the mean of the squared relative errors.
  std::pair<std::vector<double>, double> fitted(bool gathersAlone) const {
    const cpu::Cpu cpu(made_.figures);
    std::vector<std::vector<double>> rows;
    std::vector<double> ns, weights;
    for (const Timing& timing : timings_) {
      if (timing.heldOut ||
          !(timing.kernel == Timed::gather || (timing.kernel == Timed::sparse && !gathersAlone)))
        continue;
      Equation equation = equationOf(cpu, timing);
      rows.push_back(std::move(equation.coefficients));
      ns.push_back(equation.ns);
      weights.push_back(1 / (equation.ns * equation.ns));
    }
    std::vector<double> costs = nonNegativeLeastSquares(rows, ns, weights);
    double error = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double predicted = 0;
      for (std::size_t j = 0; j < kUnknowns; ++j) predicted += rows[i][j] * costs[j];
      error += weights[i] * (predicted - ns[i]) * (predicted - ns[i]);
    }
    return {std::move(costs), rows.empty() ? 0 : error / real(std::ssize(rows))};
  }

  void takeLastLevel() {
    if (machine_.l3Mib <= 0) return;
    double best = HUGE_VAL, size = machine_.l3Mib;
    for (int step = 0; step <= kSteps; ++step) {  // from an eighth of what the system says to one and a half
      const double tried = machine_.l3Mib / 8 * std::pow(12, real(step) / kSteps);
      if (tried * 1024 < machine_.l2Kib) continue;
      made_.figures["l3_mib"] = tried;
      if (const double error = fitted(true).second; error < best) {
        best = error;
        size = tried;
      }
    }
    set("l3_mib", size,
        fmt::format("measured: fits the gathers best; the system says {} MiB", machine_.l3Mib));
  }

  void takeCosts() {
    const std::vector<double> costs = fitted(false).first;
    if (costs.empty()) return;
    const std::string from = "measured: sums of rows at random places and sparse products, fitted";
    for (std::size_t l = 0; l < kLevels; ++l) {
      set(kFirst[l], std::max(costs[l], kLeastNs), from);
      set(kNext[l], costs[kLevels + l], from);
    }
    set("row_ns", costs.back(), from);
  }

  void takeProducts() {
    std::vector<std::vector<double>> rows;
    std::vector<double> ns, weights;
    const double start = made_.figures.real("start_us") * 1e3;
    for (const Timing& timing : timings_) {
      if (timing.heldOut || timing.kernel != Timed::product) continue;
      const double n = real(timing.rows), d = real(timing.in), h = real(timing.out);
      rows.push_back({2 * n * d * h, n * d, n * h});
      ns.push_back(std::max(timing.ns - start, 0.1 * timing.ns));
      weights.push_back(1 / (ns.back() * ns.back()));
    }
    const std::vector<double> costs = nonNegativeLeastSquares(rows, ns, weights);
    if (costs.empty() || costs[0] <= 0) return;
    const std::string from = "measured: products at the shapes of layers, fitted";
    set("dense_gflops", 1 / costs[0], from);
    set("dense_in_ns", costs[1], from);
    set("dense_out_ns", costs[2], from);
  }

  void judge() {
    std::vector<double> errors;
    for (const Timing& timing : timings_) {
      made_.shapes.push_back(
          {timing.what, timing.kernel, timing.heldOut, timing.ns, predictedNs(made_.figures, timing)});
      if (timing.heldOut) errors.push_back(made_.shapes.back().error());
    }
    if (errors.empty()) return;
    std::ranges::sort(errors);
    made_.medianError = errors[errors.size() / 2];
    made_.worstError = errors.back();
  }

  const MachineFacts& machine_;
  std::span<const Timing> timings_;
  Calibration made_;
};

}  // namespace

double Predicted::error() const { return std::abs(predictedNs / measuredNs - 1); }

bool Calibration::accepted() const {
  const bool judged = std::ranges::any_of(shapes, &Predicted::heldOut);
  return judged && medianError <= kMedianError && worstError <= kWorstError;
}

double predictedNs(const Values& figures, const Timing& timing) {
  const cpu::Cpu cpu(figures);
  switch (timing.kernel) {
    case Timed::start:
      return cpu.startNs;
    case Timed::triad:
      return timing.bytes / cpu.streamBytesPerNs;
    case Timed::copy:
      return timing.bytes / cpu.copyBytesPerNs;
    case Timed::product:
      return real(find<AcceleratorEntry>("cpu")->updatePs(figures, timing.rows, timing.in, timing.out)) *
             1e-3;
    case Timed::gather:
      return cpu::randomRowsNs(cpu, timing.rows, timing.nonzeros, timing.columns, timing.width);
    case Timed::sparse:
      break;
  }
  const Graph graph{timing.matrix->rows(), timing.matrix->nonzeros(), 1, timing.matrix};
  return real(cpu::tilePass(cpu, {0, Pass::forward, timing.width, false}, graph).cycles) / cpu.hz * 1e9;
}

Calibration calibrate(const MachineFacts& machine, std::span<const Timing> timings) {
  return Calibrator(machine, timings).run();
}

}  // namespace halo::sim
