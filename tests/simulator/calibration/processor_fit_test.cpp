#include "simulator/calibration/processor_fit.h"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "datasets/generate/rmat.h"
#include "datasets/graph/order.h"
#include "engine/base/philox.h"
#include "simulator/calibration/calibration_files.h"
#include "simulator/cluster/machines/machine_figures.h"
#include "tests/simulator/device.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

constexpr const char* kParts[] = {"_short_ns", "_first_ns", "_next_ns", "_more_ns"};
constexpr const char* kLevelNames[] = {"l1", "l2", "l3", "memory", "far"};

/// A machine whose figures are known: small caches, so that small shapes tell every level.
Values knownFigures() {
  Values figures = deviceFigures("cpu", {{"cores", std::int64_t{4}},
                                         {"freq_mhz", 1e5},  // whole cycles round by little
                                         {"l1_kib", 4.0},
                                         {"l2_kib", 32.0},
                                         // sizes that are tried, so that they can be found
                                         {"l3_mib", 0.25 / 8 * std::pow(12, 20.0 / 24)},
                                         {"reach_mib", 4.0},
                                         {"stream_gbps", 1e4},
                                         {"add_gops", 1e4},
                                         {"row_ns", 6.0},
                                         {"turn_ns", 9.0},
                                         {"pack_near_ns", 2.0},
                                         {"pack_far_ns", 5.0},
                                         {"dense_gflops", 300.0},
                                         {"dense_in_ns", 0.05},
                                         {"dense_out_ns", 0.15},
                                         {"dense_memory_ns", 0.08},
                                         {"start_us", 0.05}});
  const std::map<std::string, std::array<double, 4>> costs = {{"l1", {1, 1.5, 0.5, 0.6}},
                                                              {"l2", {2, 3, 1, 1.2}},
                                                              {"l3", {6, 9, 3, 4}},
                                                              {"memory", {20, 30, 7, 8}},
                                                              {"far", {28, 40, 9, 11}}};
  for (const auto& [level, partCosts] : costs)
    for (std::size_t part = 0; part < 4; ++part) figures[level + kParts[part]] = partCosts[part];
  return figures;
}

MachineFacts machineOfFour() {
  MachineFacts machine;
  machine.name = "four \"known\" cores";
  machine.cores = 4;
  machine.mhz = 1e5;
  machine.l1Kib = 4;
  machine.l2Kib = 32;
  machine.l3Mib = 0.25;
  machine.memoryGb = 2;
  return machine;
}

/// Shapes as the kit has them, small; every third one held out.
class Shapes {
 public:
  Shapes() {
    add(Timed::start);
    add(Timed::triad).bytes = 1e9;
    add(Timed::copy).bytes = 1e9;
    std::size_t shape = 0;
    for (const std::int64_t rows : {64, 4096})  // that fit the caches, and that do not
      for (const std::int64_t in : {16, 64, 256})
        for (const std::int64_t out : {7, 41, 128}) {
          Timing& timing = add(Timed::product, shape++);
          timing.rows = rows;
          timing.in = in;
          timing.out = out;
        }
    const std::vector<std::int64_t> footprints = {2 << 10,   8 << 10, 24 << 10, 64 << 10, 128 << 10,
                                                  256 << 10, 1 << 20, 6 << 20,  8 << 20,  16 << 20};
    for (const std::int64_t footprint : footprints)
      for (const std::int64_t width : {4, 16, 64, 256}) {
        Timing& timing = add(Timed::gather,
                             footprint == footprints.front() || footprint == footprints.back() ? 0 : shape++);
        timing.rows = 1 << 15;
        timing.nonzeros = 8 << 15;
        timing.width = width;
        timing.columns = footprint / 4 / width;
      }
    graphs_.push_back(rmat(9, 16, 1));
    graphs_.push_back(permuted(graphs_[0], rcmOrder(graphs_[0])));
    graphs_.push_back(rmat(12, 4, 2));
    for (const Csr& A : graphs_)
      for (const std::int64_t width : {4, 32, 100, 256}) {
        Timing& timing = add(Timed::sparse, shape++);
        timing.rows = A.rows();
        timing.nonzeros = A.nonzeros();
        timing.columns = A.cols;
        timing.width = width;
        timing.matrix = &A;
      }
  }

  /// Each as long as these figures have it, times 1 ± `noise`.
  std::vector<Timing>& timedBy(const Values& figures, double noise = 0) {
    PhiloxStream random(3, Purpose::shuffle, 9);
    for (Timing& timing : timings_) {
      const double ns = timing.kernel == Timed::copy ? timing.bytes / 80 : predictedNs(figures, timing);
      timing.ns = ns * (1 + noise * (2 * random.uniform() - 1));
    }
    return timings_;
  }

 private:
  Timing& add(Timed kernel, std::size_t shape = 0) {
    Timing timing;
    timing.kernel = kernel;
    timing.label = "shape " + std::to_string(timings_.size());
    timing.heldOut = shape % 3 == 1;
    timings_.push_back(std::move(timing));
    return timings_.back();
  }

  std::vector<Csr> graphs_;
  std::vector<Timing> timings_;
};

}  // namespace

TEST_CASE("figures that made the timings are found again", "[simulator]") {
  Shapes shapes;
  const Values trueFigures = knownFigures();
  const Calibration calibration = calibrate(machineOfFour(), shapes.timedBy(trueFigures));
  std::vector<std::string> keys = {"l3_mib",      "reach_mib",    "stream_gbps",     "row_ns",
                                   "turn_ns",     "pack_near_ns", "pack_far_ns",     "dense_gflops",
                                   "dense_in_ns", "dense_out_ns", "dense_memory_ns", "start_us"};
  for (const std::string level : kLevelNames)
    for (const char* part : kParts) keys.push_back(level + part);
  for (const std::string& key : keys) {
    CAPTURE(key);
    CHECK(calibration.figures.real(key) == Approx(trueFigures.real(key)).epsilon(0.05));
    CHECK(calibration.sources.at(key).starts_with("measured: "));
  }
  CHECK(calibration.figures.integer("cores") == 4);
  CHECK(calibration.medianError < 0.01);
  CHECK(calibration.worstError < 0.05);
  CHECK(calibration.accepted());
  CHECK(calibration.sources.at("idle_w").starts_with("assumed: "));
}

TEST_CASE("timings that scatter by a tenth are told within what is accepted", "[simulator]") {
  Shapes shapes;
  const Calibration calibration = calibrate(machineOfFour(), shapes.timedBy(knownFigures(), 0.1));
  CHECK(calibration.accepted());
  CHECK(calibration.medianError <= 0.15);  // resources/manual/reference/commands/doctor.md, Calibrating
  CHECK(calibration.worstError <= 0.35);
  CHECK(calibration.medianError > 0.005);  // and not by heart
}

TEST_CASE("a machine that does not behave as the model says is not accepted", "[simulator]") {
  Shapes shapes;
  std::vector<Timing>& timings = shapes.timedBy(knownFigures());
  for (std::size_t i = 0; i < timings.size(); ++i)
    if (i % 3 == 0) timings[i].ns *= 4;
  const Calibration calibration = calibrate(machineOfFour(), timings);
  CHECK_FALSE(calibration.accepted());
  CHECK(calibration.worstError > 0.35);
  struct Bound {
    double median, worst;
    bool accepted;
  };
  for (const Bound& bound : {Bound{0.15, 0.35, true}, Bound{0.151, 0.35, false}, Bound{0.15, 0.351, false}}) {
    Calibration at = calibration;
    at.medianError = bound.median;
    at.worstError = bound.worst;
    CHECK(at.accepted() == bound.accepted);
  }
}

TEST_CASE("the errors of a calibration are those of the shapes held out", "[simulator]") {
  Shapes shapes;
  std::vector<Timing>& timings = shapes.timedBy(knownFigures());
  std::size_t heldOut = 0, last = 0;
  for (std::size_t i = 0; i < timings.size(); ++i)
    if (timings[i].heldOut) {
      ++heldOut;
      last = i;
    }
  REQUIRE(heldOut >= 10);
  timings[last].ns *= 2;  // not fitted, so predicted at half of it
  const Calibration calibration = calibrate(machineOfFour(), timings);
  CHECK(calibration.shapes.size() == timings.size());
  CHECK(calibration.worstError == Approx(0.5).margin(0.03));
  CHECK_FALSE(calibration.accepted());
}

TEST_CASE("energy of the package becomes idle power and power a core", "[simulator]") {
  Shapes shapes;
  MachineFacts machine = machineOfFour();
  machine.idleW = 40;
  machine.activeW = 100;
  const Calibration calibration = calibrate(machine, shapes.timedBy(knownFigures()));
  CHECK(calibration.figures.real("idle_w") == 40);
  CHECK(calibration.figures.real("core_w") == 15);
  CHECK(calibration.sources.at("core_w").starts_with("measured: "));
}

TEST_CASE("a calibration is written as a device file and as a cluster file that are read back",
          "[simulator]") {
  Shapes shapes;
  const MachineFacts machine = machineOfFour();
  std::vector<Timing>& timings = shapes.timedBy(knownFigures());
  const Calibration calibration = calibrate(machine, timings);
  const Scratch scratch;
  std::ofstream(scratch / "device.toml") << deviceText(calibration, machine);
  const FigureFile device = readFigureFile(scratch / "device.toml", "accelerator", accelerators());
  CHECK(device.model == "cpu");
  for (const auto& [key, value] : calibration.figures) {
    CAPTURE(key);
    CHECK(toText(device.figures.find(key)->second) == toText(value));
    CHECK(device.sources.at(key) == calibration.sources.at(key));
  }

  // as the cluster simulator counts work: no caches, no panels
  for (Timing& timing : timings)
    if (timing.kernel == Timed::sparse)
      timing.ns = 50 + static_cast<double>(timing.nonzeros * 40 +
                                           (timing.nonzeros * 3 + timing.rows * 5) * timing.width) /
                           4 * 0.1;
  const RankRates rates = rankRates(machine, timings);
  CHECK(rates.kernelStartUs == Approx(0.05));
  CHECK(rates.entryNs == Approx(4).epsilon(1e-3));
  CHECK(rates.entryElementNs == Approx(0.3).epsilon(1e-3));
  CHECK(rates.rowElementNs == Approx(0.5).epsilon(1e-3));
  CHECK(rates.copyGbPerS == Approx(20));
  CHECK(rates.worstError < 0.01);
  std::ofstream(scratch / "cluster.toml") << clusterText(rates, machine);
  const cluster::Machine read = cluster::readMachine(scratch / "cluster.toml");
  CHECK(read.ranksPerNode == 4);
  CHECK(read.nodes == 1);
  CHECK(read.compute.entryNs == Approx(rates.entryNs).epsilon(1e-3));
  CHECK(read.compute.entryElementNs == Approx(rates.entryElementNs).epsilon(1e-3));
  CHECK(read.compute.denseGflops == Approx(rates.denseGflops).epsilon(1e-3));
  CHECK(read.compute.from.origin == "measured");
  CHECK(read.within.from.origin == "assumed");
  CHECK(read.memoryGbPerRank == Approx(0.5));
}

TEST_CASE("nothing timed is nothing told: figures keep their defaults and say so", "[simulator]") {
  const Calibration calibration = calibrate(machineOfFour(), {});
  CHECK(calibration.figures.real("memory_first_ns") == deviceFigures("cpu").real("memory_first_ns"));
  CHECK(calibration.sources.at("memory_first_ns").starts_with("assumed: "));
  CHECK_FALSE(calibration.accepted());
}
