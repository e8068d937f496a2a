// What MixGCN's Table 3 and Figure 12 ask for together, recomputed from the printed
// joules and the figures of the devices that ship: no graph is needed. Working hypothesis: joules are
// (chip + HBM) watts times the time of a device that HBM bounds, added up over 32 devices.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

constexpr std::size_t kGraphs = 5;
constexpr std::array<const char*, kGraphs> kNames = {"reddit", "orkut", "twitter", "friendster",
                                                     "papers100m"};
using Row = std::array<double, kGraphs>;
// Table 3, J; the processors' row is printed with a "k" behind each
constexpr Row kProcessors = {146.9, 164.1, 3291, 3843, 4322};
constexpr Row kHygcn = {19.3, 43.9, 533.9, 1031, 1547};
constexpr Row kAwb = {6.9, 33.6, 2326, 6250, 6810};
constexpr Row kOurs = {7.6, 9.5, 605.5, 1135, 1269};
constexpr double kDevices = 32, kPasses = 5;

/// Speedups of the SPU over a device: Figure 12.
struct Speedups {
  double least, most;
};
constexpr Speedups kOverProcessors = {3.77, 21.6}, kOverHygcn = {1.32, 1.80}, kOverAwb = {1.05, 1.66};

double chipWatts(const char* device) { return deviceFigures(device).real("chip_power_w"); }
/// GB/s · pJ/B is mW.
double hbmWatts() {
  return deviceFigures("spu").real("hbm_gbps") * library().energies.dramPjPerByte() * 1e-3;
}
double ourWatts() { return chipWatts("spu") + hbmWatts(); }
double pjPerByte() { return ourWatts() / deviceFigures("spu").real("hbm_gbps") * 1e3; }

/// Power of a chip whose joules are the row's and whose time is x times the SPU's.
double wattsFor(const Row& row, std::size_t g, double x) {
  return row[g] / kOurs[g] * ourWatts() / x - hbmWatts();
}
/// The other way round.
double timesOurs(const Row& row, std::size_t g, double watts) {
  return row[g] / kOurs[g] * ourWatts() / (watts + hbmWatts());
}

/// Watts that a graph's joules and the published speedups leave to a chip; printed without digits.
struct Interval {
  double low, high;
};
void checkIntervals(const Row& row, const Speedups& x, const std::array<Interval, kGraphs>& printed) {
  for (std::size_t g = 0; g < kGraphs; ++g) {
    CAPTURE(kNames[g]);
    const double low = wattsFor(row, g, x.most);
    if (printed[g].low > 0)
      CHECK(low == Approx(printed[g].low).margin(0.55));
    else
      CHECK(low < 0);  // printed as "less than" its upper end
    CHECK(wattsFor(row, g, x.least) == Approx(printed[g].high).margin(0.55));
  }
}

}  // namespace

TEST_CASE("a byte that an SPU moves costs what Table 3's hypothesis has, and its rows last as long",
          "[simulator][golden]") {
  CHECK(kDevices * pjPerByte() * 1e-3 == Approx(3.01).margin(0.005));  // nJ of all 32
  constexpr Row kMs = {2.5, 3.1, 196, 368, 412};
  for (std::size_t g = 0; g < kGraphs; ++g)
    CHECK(1e3 * kOurs[g] / kDevices / ourWatts() == Approx(kMs[g]).margin(g < 2 ? 0.05 : 0.55));
}

TEST_CASE("what compulsory traffic leaves of Table 3 is a plausible share of lines missed",
          "[simulator][golden]") {
  // if all else were one line of 64 bytes for an edge and pass, at HBM's peak or at what activations leave
  constexpr std::array kPeak = {35.0, 57.0, 71.0}, kActivations = {17.0, 27.0, 34.0};
  const Dram dram(library().memories.at("hbm2"), deviceFigures("spu").real("hbm_gbps"), 64,
                  DramModel::closedPage);
  for (std::size_t large = 0; large < 3; ++large) {
    const std::size_t g = 2 + large;
    CAPTURE(kNames[g]);
    DeviceSettings settings = mixgcn("spu", kNames[g], {{"row_count_bytes", std::int64_t{4}}});
    settings.level = "analytic";
    const double compulsory = simulate(settings, library()).dramBytes;
    const auto arcs = static_cast<double>(library().graphs.at(kNames[g]).arcs);
    const double lines = kDevices * kPasses * arcs * 64;
    const double left = kOurs[g] - compulsory * pjPerByte() * 1e-12;
    CHECK(100 * left / (lines * pjPerByte() * 1e-12) == Approx(kPeak[large]).margin(0.6));
    // HBM's picojoules stay, the chip's grow with the time
    const double hbm = library().energies.dramPjPerByte();
    const double slow = hbm + (pjPerByte() - hbm) / dram.randomShare();
    CHECK(100 * left / (lines * slow * 1e-12) == Approx(kActivations[large]).margin(0.6));
  }
}

namespace {

/// 32 processors that read whole rows, as one: 32 times the cores, the cache and the memory.
Simulated wholeRows(const char* graph) {
  const Values figures = deviceFigures("cpu");
  const auto cores = static_cast<std::int64_t>(kDevices) * figures.integer("cores");
  DeviceSettings settings = mixgcn("cpu", graph,
                                   {{"cores", cores},
                                    {"l3_mib", kDevices * figures.real("l3_mib")},
                                    {"stream_gbps", kDevices * figures.real("stream_gbps")},
                                    {"idle_w", kDevices * figures.real("idle_w")}});
  settings.slices = 1;
  return simulate(settings, library());
}

}  // namespace

TEST_CASE("simulated processors keep joules and speedups as far apart as Table 3's read in joules do",
          "[simulator][golden]") {
  // Speedups over ratios of joules are ratios of watts: published, read in joules, 1.1175 on all graphs. The
  // "k" behind the processors' row would make it a thousandth.
  const double published = kOverProcessors.most / (kProcessors[0] / kOurs[0]);
  constexpr Row kSpeedups = {18.6, 39.4, 13.1, 8.01, 4.68};  // the shipped experiment's
  for (std::size_t g = 0; g < kGraphs; ++g) {
    CAPTURE(kNames[g]);
    const Simulated processors = wholeRows(kNames[g]), spu = simulate(mixgcn("spu", kNames[g]), library());
    const double speedup = processors.seconds / spu.seconds, joules = processors.joules / spu.joules;
    CHECK(speedup == Approx(kSpeedups[g]).epsilon(0.01));
    CHECK(speedup / joules == Approx(published).epsilon(0.08));
    // Orkut alone is outside: at random places its rows fall out of the caches
    const bool within = speedup > kOverProcessors.least && speedup < kOverProcessors.most;
    CHECK(within == (kNames[g] != std::string("orkut")));
    // watts of a worker: what bounds an SPU is HBM; of eight cores and their memory
    CHECK(spu.joules / spu.seconds / kDevices == Approx(ourWatts()).epsilon(0.06));
    CHECK(processors.joules / processors.seconds / kDevices == Approx(ourWatts() / published).epsilon(0.12));
  }
}

TEST_CASE("Table 3's processors are faster on papers100M than ours, with lines that our memory could bring",
          "[simulator][golden]") {
  const double factor = kOverProcessors.most / (kProcessors[0] / kOurs[0]);
  const double seconds = kProcessors[4] / kDevices / (ourWatts() / factor);
  const double edges = kPasses * static_cast<double>(library().graphs.at("papers100m").arcs);
  CHECK(seconds == Approx(1.6).margin(0.05));
  CHECK(edges / seconds == Approx(5.2e9).margin(0.05e9));
  CHECK(wholeRows("papers100m").seconds / seconds == Approx(1.8).margin(0.1));
  // lines of the memory that ships an edge: those rows come from caches, mostly
  CHECK(deviceFigures("cpu").real("stream_gbps") * 1e9 / 64 / (edges / seconds) <= 0.25);
}

TEST_CASE("one power of AWB-GCN agrees with four of five graphs of MixGCN, none with all",
          "[simulator][golden]") {
  checkIntervals(kAwb, kOverAwb, {{{0, 26}, {148, 267}, {166, 295}, {262, 448}, {254, 435}}});
  double least = 0, most = 1e9;
  for (const std::size_t g : {1U, 2U, 3U, 4U}) {
    least = std::max(least, wattsFor(kAwb, g, kOverAwb.most));
    most = std::min(most, wattsFor(kAwb, g, kOverAwb.least));
  }
  CHECK(least == Approx(262).margin(0.5));
  CHECK(most == Approx(267).margin(0.5));
  CHECK(wattsFor(kAwb, 0, kOverAwb.least) < least);  // Reddit: no such power

  // the power that ships is one of them, and reaches both published ends
  const double watts = chipWatts("awb-gcn-mixgcn");
  CHECK(watts > least);
  CHECK(watts < most);
  constexpr std::array kSpeedups = {1.06, 1.15, 1.65, 1.61};
  for (std::size_t g = 1; g < kGraphs; ++g)
    CHECK(timesOurs(kAwb, g, watts) == Approx(kSpeedups[g - 1]).margin(0.0051));
  CHECK(1 / timesOurs(kAwb, 0, watts) == Approx(3.7).margin(0.05));  // Reddit: AWB-GCN would be the faster
}

TEST_CASE("HyGCN's own power agrees with three of five graphs of MixGCN, none with all",
          "[simulator][golden]") {
  checkIntervals(kHygcn, kOverHygcn, {{{79, 128}, {190, 280}, {0, 7}, {0, 9}, {8, 32}}});
  double least = 0, most = 1e9;
  for (std::size_t g = 0; g < kGraphs; ++g) {
    least = std::max(least, wattsFor(kHygcn, g, kOverHygcn.most));
    most = std::min(most, wattsFor(kHygcn, g, kOverHygcn.least));
  }
  CHECK(least > most);

  const double watts = chipWatts("hygcn-mixgcn");
  CHECK(watts == chipWatts("hygcn"));
  constexpr Row kTimes = {3.8, 6.9, 1.33, 1.37, 1.83};
  for (std::size_t g = 0; g < kGraphs; ++g)
    CHECK(timesOurs(kHygcn, g, watts) == Approx(kTimes[g]).margin(g < 2 ? 0.051 : 0.0051));
  // "consistent": to within 2 % of the published ends, none of the other two to within twice
  for (std::size_t g = 2; g < kGraphs; ++g) {
    CHECK(timesOurs(kHygcn, g, watts) > kOverHygcn.least / 1.02);
    CHECK(timesOurs(kHygcn, g, watts) < kOverHygcn.most * 1.02);
  }
  for (std::size_t g = 0; g < 2; ++g) CHECK(timesOurs(kHygcn, g, watts) > 2 * kOverHygcn.most);

  // Reddit's joules are 16 bytes an edge streamed five times, to 5 %; Orkut's are not
  const auto streamed = [&](std::size_t g) {
    const double bytes = 16 * kPasses * static_cast<double>(library().graphs.at(kNames[g]).arcs) * kDevices;
    return bytes * (watts + hbmWatts()) / deviceFigures("hygcn-mixgcn").real("hbm_gbps") * 1e-9;
  };
  CHECK(streamed(0) == Approx(18.6).epsilon(0.015));
  CHECK(streamed(0) / kHygcn[0] == Approx(1).margin(0.05));
  CHECK(streamed(1) / kHygcn[1] < 0.5);
}
