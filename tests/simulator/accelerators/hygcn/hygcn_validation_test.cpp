// HyGCN's own ratios (HPCA 2020), and what resources/design/simulator.md, MixGCN's Table 3, says of
// its row in MixGCN's Table 3 and Figure 12: what comes out, and under which assumptions.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "datasets/graph/order.h"
#include "datasets/load.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"
#include "tests/support/places.h"
#include "tests/support/shared_data.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

using Overrides = std::map<std::string, Value>;

double cyclesOf(const Graph& graph, std::int64_t width, Overrides other, Level level = Level::tile) {
  return static_cast<double>(
      find<AcceleratorEntry>("hygcn")
          ->simulate(
              {deviceFigures("hygcn", other), library(), graph, {{0, Pass::forward, width, false}}, level})
          .cycles);
}

double saved(double before, double after) { return 1 - after / before; }

/// Graphs of HyGCN's evaluation that the catalogue has, by their published counts; arcs at random places.
struct Benchmark {
  const char* name;
  std::int64_t vertices, arcs, features;
  Graph graph(double band = 1) const { return {vertices, arcs, band, nullptr}; }
};
constexpr Benchmark kBenchmarks[] = {{"cora", 2708, 10'556, 1433},
                                     {"citeseer", 3327, 9104, 3703},
                                     {"pubmed", 19'717, 88'648, 500},
                                     {"reddit", 232'965, 114'615'892, 602}};

constexpr std::array kGraphs = {"reddit", "orkut", "twitter", "friendster", "papers100m"};

double seconds(const char* device, const char* graph, const Overrides& other = {}) {
  return simulate(mixgcn(device, graph, other), library()).seconds;
}

}  // namespace

TEST_CASE("coordination saves what the baseline's map of addresses costs", "[simulator][hygcn]") {
  const Graph graph{100'000, 1'000'000, 1, nullptr};
  const double on = cyclesOf(graph, 16, {});
  const auto savedBy = [&](const char* map, const char* efficiencies = "cycle-model") {
    return saved(cyclesOf(graph, 16,
                          {{"coordination", std::string("off")},
                           {"uncoordinated_map", std::string(map)},
                           {"efficiencies", std::string(efficiencies)}}),
                 on);
  };
  // Published: 73 % of the time. Where consecutive bursts of a stream lie in different rows of DRAM each
  // opens its own: 7.5 ns between activations (tFAW / 4) for 2 ns of data, and 1 - 2 / 7.5 is 73 %.
  CHECK(savedBy("crbgh") == Approx(0.73).margin(0.03));
  CHECK(savedBy("crbgh", "figures") == Approx(0.73).margin(0.01));
  // With the map that coordination uses, streams side by side keep finding open rows; with channels by the
  // highest bits a stream has one of eight to itself. As the manual prints them.
  CHECK(savedBy("rbcgh") == Approx(0.02).margin(0.01));
  CHECK(savedBy("hrbcg") == Approx(0.81).margin(0.01));
}

namespace {

/// What a pipeline can save at most: tiles of 4 vertices on eight arrays, and the sums' way out and back at
/// 256 bytes a cycle, beside one cycle for every 512 additions.
double pipelineLaw(const Benchmark& benchmark) {
  const auto n = static_cast<double>(benchmark.vertices), width = static_cast<double>(benchmark.features);
  const double adding = static_cast<double>(benchmark.arcs) * width / (32 * 16);
  const double hidden = n / (8 * 4) * (4 + 128 + width) + 2 * n * width * 4 / 256;
  return hidden / (adding + hidden);
}

}  // namespace

TEST_CASE("the pipeline between the engines saves what is published wherever there is as much to overlap",
          "[simulator][hygcn]") {
  // Published: 27 to 53 % of the time. Whole intervals combined (energy-aware), three graphs are in that
  // range; with groups of vertices (latency-aware) Cora saves more: its phases are alike and its sums are
  // long.
  const auto published = [](double share) { return share >= 0.27 && share <= 0.53; };
  for (const Benchmark& benchmark : kBenchmarks) {
    const auto cyclesWith = [&](const char* pipeline, const char* mode) {
      return cyclesOf(benchmark.graph(), benchmark.features,
                      {{"combination", std::string("on")},
                       {"pipeline", std::string(pipeline)},
                       {"mode", std::string(mode)}});
    };
    const double latency = saved(cyclesWith("off", "latency-aware"), cyclesWith("on", "latency-aware"));
    const double energy = saved(cyclesWith("off", "energy-aware"), cyclesWith("on", "energy-aware"));
    CAPTURE(benchmark.name, latency, energy);
    CHECK(cyclesWith("on", "latency-aware") <= cyclesWith("on", "energy-aware"));
    const std::string name = benchmark.name;
    if (name == "reddit") {
      // no schedule can: beside what 512 lanes take to add its arcs' features, all that a pipeline hides is
      // short
      const double most = pipelineLaw(benchmark);
      CHECK(most < 0.07);
      for (const double share : {latency, energy}) CHECK((share > 0 && share <= most));
      continue;
    }
    CHECK(published(energy));
    CHECK(energy == Approx(name == "pubmed" ? 0.30 : 0.37).margin(0.0051));
    CHECK(published(latency) == (name != "cora"));
    if (name == "cora") CHECK(latency == Approx(0.55).margin(0.0051));
  }
}

namespace {

double windowsGain(const Graph& graph, std::int64_t width) {
  const auto cyclesWith = [&](const char* window) {
    return cyclesOf(graph, width, {{"window", std::string(window)}});
  };
  return cyclesWith("fit") / cyclesWith("shrink");
}

bool publishedGain(double gain) { return gain >= 1.1 && gain <= 3; }

/// How many times fewer rows are brought, of arcs at random places. A source is needed by none of an
/// interval's arcs with probability q; so many are not behind the last that is needed of a window's k, and as
/// many before the first of the next.
double windowsLaw(const Benchmark& benchmark) {
  const double row = 4.0 * static_cast<double>(benchmark.features),
               n = static_cast<double>(benchmark.vertices);
  const double bufferRows = std::min(8e6 / row, n), k = std::floor(64e3 / row);
  const double q = std::exp(-bufferRows * static_cast<double>(benchmark.arcs) / (n * n)), ends = q / (1 - q);
  return (k + ends) / (k - ends);
}

}  // namespace

TEST_CASE("windows that slide and shrink save what is published where neighbours are near, else on one graph",
          "[simulator][hygcn]") {
  // Published: 1.1 to 3 times faster. Of arcs at random places hardly a window has an end that nobody needs
  // but Citeseer's, which hold four rows; an order that keeps neighbours within a fifth of the vertices does
  // it for all four.
  struct Faster {
    const char* graph;
    double anywhere, near;
  };
  constexpr Faster kFaster[] = {
      {"cora", 1.0, 1.3}, {"citeseer", 1.8, 2.4}, {"pubmed", 1.0, 1.7}, {"reddit", 1.0, 1.5}};
  for (std::size_t b = 0; b < std::size(kBenchmarks); ++b) {
    const Benchmark& benchmark = kBenchmarks[b];
    const double anywhere = windowsGain(benchmark.graph(), benchmark.features);
    const double near = windowsGain(benchmark.graph(0.2), benchmark.features);
    CAPTURE(benchmark.name, anywhere, near, windowsLaw(benchmark));
    REQUIRE(std::string(benchmark.name) == kFaster[b].graph);
    CHECK(anywhere == Approx(kFaster[b].anywhere).margin(0.051));  // printed with two digits
    CHECK(near == Approx(kFaster[b].near).margin(0.051));
    CHECK(publishedGain(near));
    const bool citeseer = std::string(benchmark.name) == "citeseer";
    CHECK(publishedGain(anywhere) == citeseer);
    CHECK(anywhere <= windowsLaw(benchmark) + 0.001);
    CHECK((windowsLaw(benchmark) < 1.1) == !citeseer);  // so that none can come out
  }
}

TEST_CASE("of real graphs windows save what is published once neighbours are near",
          "[simulator][hygcn][real]") {
  struct Real {
    const char* name;
    std::int64_t features;
    double asFiled, ordered;
  };
  for (const Real& graph : {Real{"cora", 1433, 1.03, 1.25}, {"pubmed", 500, 1.07, 1.70}}) {
    const auto folder = sharedData(std::string("data/") + graph.name);
    if (folder.empty()) continue;
    const Csr arcs = loadDataset({.name = folder.string()}).arcs;
    const Csr ordered = permuted(arcs, rcmOrder(arcs));
    const auto gain = [&](const Csr& A) {
      return windowsGain({A.rows(), A.nonzeros(), 1, &A}, graph.features);
    };
    CAPTURE(graph.name);
    CHECK(gain(arcs) == Approx(graph.asFiled).margin(0.0051));
    CHECK(gain(ordered) == Approx(graph.ordered).margin(0.0051));
    CHECK(publishedGain(gain(ordered)));
  }
}

TEST_CASE(
    "HyGCN's row of MixGCN's Table 3 comes out within half on the three large graphs, not on the others",
    "[simulator][hygcn]") {
  constexpr std::array kPaperJoules = {19.3, 43.9, 533.9, 1031.0, 1547.0};
  std::array<double, 5> ratio{};
  for (std::size_t g = 0; g < kGraphs.size(); ++g)
    ratio[g] = simulate(mixgcn("hygcn-mixgcn", kGraphs[g]), library()).joules / kPaperJoules[g];
  CAPTURE(ratio[0], ratio[1], ratio[2], ratio[3], ratio[4]);
  for (std::size_t g = 2; g < 5; ++g) CHECK(ratio[g] == Approx(1).margin(0.5));
  for (std::size_t g = 0; g < 2; ++g) CHECK(ratio[g] < 0.5);  // no power of the chip does
  // 16 bytes an edge streamed five times are 18.6 J of Reddit's 19.3; Orkut does not follow
  const auto wide = [](const char* graph) {
    return simulate(mixgcn("hygcn-mixgcn", graph, {{"edge_bytes", std::int64_t{16}}}), library()).joules;
  };
  CHECK(wide("reddit") / 19.3 == Approx(1).margin(0.1));
  CHECK(wide("orkut") / 43.9 < 0.6);
}

TEST_CASE(
    "the boxes of speedups over HyGCN are those that the manual prints, and the published range is in them",
    "[simulator][hygcn]") {
  // Published: 1.32 to 1.80 over the five graphs, no bar as a number. What the paper leaves open, in
  // every combination, as mixgcn-speedups.toml has it: bytes of an edge (the ends of 4, 6, 8, 16: it is
  // monotonous), windows, masks, and of both devices halves of buffers and the model of DRAM.
  struct Box {
    const char* graph;
    double least, most;  // closed pages
    double leastOfPeak;  // shares of the peak
  };
  const Box printed = GENERATE(values<Box>({{"reddit", 1.01, 4.23, 1.01},
                                            {"orkut", 0.97, 3.25, 0.61},
                                            {"twitter", 0.90, 1.93, 0.33},
                                            {"friendster", 0.88, 1.49, 0.32},
                                            {"papers100m", 0.79, 2.01, 0.42}}));
  const auto box = [&](const char* memory, std::initializer_list<std::int64_t> edges,
                       std::initializer_list<const char*> masks) {
    std::pair<double, double> range{1e9, 0};
    for (const char* buffering : {"double", "single"}) {
      const Overrides both = {{"buffering", std::string(buffering)}, {"memory_model", std::string(memory)}};
      const double spu = seconds("spu", printed.graph, both);
      for (const char* window : {"fit", "shrink", "gather"})
        for (const std::int64_t bytes : edges)
          for (const char* mask : masks) {
            Overrides overrides = both;
            overrides.insert(
                {{"window", std::string(window)}, {"edge_bytes", bytes}, {"mask", std::string(mask)}});
            const double speedup = seconds("hygcn-mixgcn", printed.graph, overrides) / spu;
            range = {std::min(range.first, speedup), std::max(range.second, speedup)};
          }
    }
    return range;
  };
  const auto [least, most] = box("closed-page", {4, 16}, {"fused", "separate"});
  const double leastOfPeak = box("efficiency", {4}, {"fused"}).first;  // where it begins
  CAPTURE(printed.graph, least, most, leastOfPeak);
  CHECK(least == Approx(printed.least).margin(0.0051));
  CHECK(most == Approx(printed.most).margin(0.0051));
  CHECK(leastOfPeak == Approx(printed.leastOfPeak).margin(0.0051));
  CHECK(least < 1.32);
  CHECK(most > 1.32);
  CHECK((most > 1.80) == (std::string(printed.graph) != "friendster"));
  std::ifstream manual(std::string(kSourceDir) + "/resources/manual/reference/simulator/hygcn.md");
  const std::string text{std::istreambuf_iterator<char>(manual), {}};
  CHECK(text.find(fmt::format("{:.2f} to {:.2f}", printed.least, printed.most)) != std::string::npos);
}
