#include "simulator/calibration/processor_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/least_squares.h"
#include "engine/base/median.h"
#include "simulator/accelerators/cpu/cpu_pass.h"

namespace halo::sim {
namespace {

constexpr const char* kLevelNames[] = {"l1", "l2", "l3", "memory", "far"};
constexpr const char* kParts[] = {"_short_ns", "_first_ns", "_next_ns", "_more_ns"};
// What is fitted. Short rows, first lines, next ones and those beyond are unknowns of each level, each by
// what it costs more than on the level before. Columns copied from L3 have one, and what they cost more from
// memory another. A sum has one, and so has what it costs more where it is not as long as the last.
constexpr std::size_t kPackNear = std::size(kParts) * cpu::kCosts, kPackFar = kPackNear + 1,
                      kSum = kPackFar + 1, kTurn = kSum + 1, kUnknowns = kTurn + 1;
constexpr int kThirds = 24, kReaches = 12;  // sizes tried of the last level, and of the reach
constexpr int kRounds = 20;                 // of weighing outliers less
constexpr int kRoughly = 3;                 // as many, where only sizes are compared
constexpr int kCorrections = 4;             // of what equations leave out
constexpr double kLeastCorrection = 0.3;
constexpr double kSmallError = 0.05;  // relative; errors below it weigh alike
constexpr double kLeastNs = 1e-4;     // of a cost that must not be nothing

double real(std::int64_t count) { return static_cast<double>(count); }

/// What a timing says of the costs of rows: Σ coefficient · cost = ns of all cores together.
struct Equation {
  std::vector<double> coefficients = std::vector<double>(kUnknowns, 0);
  double ns = 0;

  void add(const cpu::Rows& rows, double times) {
    double count = 0;  // on this level or one further away
    for (std::size_t c = cpu::kCosts; c-- > 0;) {
      count += times * rows.count[c];
      coefficients[c] += rows.areShort ? count : 0;
      coefficients[cpu::kCosts + c] += rows.areShort ? 0 : count;
      coefficients[2 * cpu::kCosts + c] += rows.areShort ? 0 : count * rows.nextLines();
      coefficients[3 * cpu::kCosts + c] += rows.areShort ? 0 : count * rows.moreLines();
    }
  }
};

Equation equationOf(const cpu::Cpu& cpu, const Timing& timing) {
  Equation equation;
  if (timing.kernel == Timed::gather) {
    equation.add(cpu::rowsAtRandom(cpu, timing.nonzeros, timing.columns, timing.width), 1);
    equation.coefficients[kSum] = real(timing.rows);
  } else {
    const Csr& A = *timing.matrix;
    const std::vector<Index> borders = blockBorders(A, cpu::kBlocksACore * cpu.cores);
    for (const cpu::Sweep& sweep : cpu::sweepsOf(cpu, {A.rows(), A.nonzeros(), 1, &A}, timing.width)) {
      const double sampled = cpu.exact ? 1 : sampledShare(A, sweep.access);
      for (const Wave& wave : reuse(A, borders, cpu.cores, sweep.access, cpu.caches, sampled))
        equation.add(cpu.rowsOf(wave.byLevel, sweep.access, A.cols), real(sweep.times));
      equation.coefficients[kSum] += real(sweep.times * A.rows());
      equation.coefficients[kTurn] += real(sweep.times * cpu::turnsOf(A, 0, A.rows()));
      if (!sweep.packed) continue;
      const double lines = real(sweep.times) * cpu::packedLines(sweep, A.cols);
      equation.coefficients[kPackNear] += lines;
      equation.coefficients[kPackFar] += lines * (1 - cpu::packedNear(cpu, sweep, A.cols, timing.width));
    }
  }
  equation.ns = std::max(timing.ns - cpu.startNs, 0.1 * timing.ns) * real(cpu.cores);
  return equation;
}

/// Least relative errors without negative costs, outliers weighed less: between least squares and least
/// absolute errors. Also the mean of the absolute errors.
std::pair<std::vector<double>, double> relativeFit(const std::vector<std::vector<double>>& rows,
                                                   const std::vector<double>& ns, int rounds) {
  std::vector<double> weights, costs;
  for (const double measuredNs : ns) weights.push_back(1 / (measuredNs * measuredNs));
  double mean = 0;
  for (int round = 0; round < rounds; ++round) {
    costs = nonNegativeLeastSquares({rows, ns, weights});
    mean = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double predicted = 0;
      for (std::size_t j = 0; j < costs.size(); ++j) predicted += rows[i][j] * costs[j];
      const double error = std::abs(predicted / ns[i] - 1);
      weights[i] = 1 / (ns[i] * ns[i] * std::max(error, kSmallError));
      mean += error / real(std::ssize(rows));
    }
  }
  return {std::move(costs), mean};
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
    takeSizes();
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
    for (const char* key : {"panel_columns", "panel_degree", "panel_limit_mib", "dense_lanes"})
      made_.sources[key] = "derived: as engine/kernels does";
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
      if (timing.kernel == Timed::gather || timing.kernel == Timed::sparse)
        adds = std::max(adds, real(timing.nonzeros * timing.width) / timing.ns / real(machine_.cores));
    }
    if (adds > 0) set("add_gops", adds, "measured: the fastest sums of rows");
  }

  /// What is left of the relative errors of the gathers, in the mean, with these sizes.
  double gatherError() const {
    const cpu::Cpu cpu(made_.figures);
    std::vector<std::vector<double>> rows;
    std::vector<double> ns;
    for (const Timing& timing : timings_) {
      if (timing.heldOut || timing.kernel != Timed::gather) continue;
      Equation equation = equationOf(cpu, timing);
      rows.push_back(std::move(equation.coefficients));
      ns.push_back(equation.ns);
    }
    return relativeFit(rows, ns, kRoughly).second;
  }

  /// The pair of sizes of the last level and of the reach that fits the gathers best.
  void takeSizes() {
    double largest = 0;  // MiB
    for (const Timing& timing : timings_)
      if (timing.kernel == Timed::gather && !timing.heldOut)
        largest =
            std::max(largest, real(timing.columns) * real(timing.width * cpu::kFeatureBytes) / (1 << 20));
    if (largest == 0) return;
    const double least = std::max(machine_.l3Mib / 8, machine_.l2Kib / 1024), most = 1.5 * machine_.l3Mib;
    const double near = 2 * machine_.l3Mib, far = 2 * std::max(largest, machine_.l3Mib);
    double best = HUGE_VAL, third = machine_.l3Mib, reach = far;
    for (int step = 0; step <= kThirds; ++step)
      for (int other = 0; other <= kReaches; ++other) {
        const double triedThird = least * std::pow(most / least, real(step) / kThirds);
        const double triedReach = near * std::pow(far / near, real(other) / kReaches);
        made_.figures["l3_mib"] = triedThird;
        made_.figures["reach_mib"] = triedReach;
        if (const double error = gatherError(); error < best) {
          best = error;
          third = triedThird;
          reach = triedReach;
        }
      }
    set("l3_mib", third,
        fmt::format("measured: fits sums of rows at random places best; the system says {} MiB",
                    machine_.l3Mib));
    set("reach_mib", reach, "measured: fits sums of rows at random places best");
  }

  /// Costs so that the device takes as long as was measured. The device also waits for its last core and for
  /// its memory, which no equation has. What it takes over the equation is taken off what was measured, and
  /// costs are fitted again.
  void takeCosts() {
    const cpu::Cpu cpu(made_.figures);
    std::vector<const Timing*> fits;
    std::vector<std::vector<double>> rows;
    std::vector<double> measured;
    for (const Timing& timing : timings_) {
      if (timing.heldOut || !(timing.kernel == Timed::gather || timing.kernel == Timed::sparse)) continue;
      Equation equation = equationOf(cpu, timing);
      fits.push_back(&timing);
      rows.push_back(std::move(equation.coefficients));
      measured.push_back(equation.ns);
    }
    if (fits.empty()) return;
    std::vector<double> ns = measured;
    for (int round = 0; round < kCorrections; ++round) {
      const std::vector<double> costs = relativeFit(rows, ns, kRounds).first;
      setCosts(costs);
      for (std::size_t i = 0; i < fits.size(); ++i) {
        double linear = 0;
        for (std::size_t c = 0; c < costs.size(); ++c) linear += rows[i][c] * costs[c];
        const double predictedCoreNs = (predictedNs(made_.figures, *fits[i]) - cpu.startNs) * real(cpu.cores);
        if (linear > 0 && predictedCoreNs > 0)
          ns[i] = measured[i] * std::clamp(linear / predictedCoreNs, kLeastCorrection, 1.0);
      }
    }
  }

  void setCosts(const std::vector<double>& costs) {
    const std::string from = "measured: sums of rows at random places and sparse products, fitted";
    for (std::size_t part = 0; part < std::size(kParts); ++part) {
      double cost = 0;
      for (std::size_t c = 0; c < cpu::kCosts; ++c) {
        cost += costs[part * cpu::kCosts + c];
        const std::string key = std::string(kLevelNames[c]) + kParts[part];
        set(key.c_str(), part >= 2 ? cost : std::max(cost, kLeastNs), from);
      }
    }
    set("pack_near_ns", costs[kPackNear], from);
    set("pack_far_ns", costs[kPackNear] + costs[kPackFar], from);
    set("row_ns", costs[kSum], from);
    set("turn_ns", costs[kTurn], from);
  }

  void takeProducts() {
    std::vector<std::vector<double>> rows;
    std::vector<double> ns;
    const double start = made_.figures.real("start_us") * 1e3;
    for (const Timing& timing : timings_) {
      if (timing.heldOut || timing.kernel != Timed::product) continue;
      const cpu::ProductTerms terms(made_.figures, timing.rows, timing.in, timing.out);
      rows.push_back({terms.operations, terms.read, terms.written, terms.moved});
      ns.push_back(std::max(timing.ns - start, 0.1 * timing.ns));
    }
    const std::vector<double> costs = relativeFit(rows, ns, kRounds).first;
    if (costs.empty() || costs[0] <= 0) return;
    const std::string from = "measured: products at the shapes of layers, fitted";
    set("dense_gflops", 1 / costs[0], from);
    set("dense_in_ns", costs[1], from);
    set("dense_out_ns", costs[2], from);
    set("dense_memory_ns", costs[3], from);
  }

  void judge() {
    std::vector<double> errors;
    for (const Timing& timing : timings_) {
      made_.shapes.push_back(
          {timing.label, timing.kernel, timing.heldOut, timing.ns, predictedNs(made_.figures, timing)});
      if (timing.heldOut) errors.push_back(made_.shapes.back().error());
    }
    if (errors.empty()) return;
    made_.medianError = median(errors);
    made_.worstError = std::ranges::max(errors);
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
      return timing.ns;  // of the cluster's file alone
    case Timed::product:
      return real(find<AcceleratorEntry>("cpu")->updatePs(figures, timing.rows, timing.in, timing.out)) *
             1e-3;
    case Timed::gather:
      return cpu::randomRowsNs(cpu, timing.rows, timing.nonzeros, timing.columns, timing.width);
    case Timed::sparse:
      break;
  }
  const Graph graph{timing.matrix->rows(), timing.matrix->nonzeros(), 1, timing.matrix};
  return real(cpu::tilePass(cpu, {0, Pass::forward, timing.width, false}, graph).cycles()) / cpu.hz * 1e9;
}

Calibration calibrate(const MachineFacts& machine, std::span<const Timing> timings) {
  return Calibrator(machine, timings).run();
}

}  // namespace halo::sim
