// HyGCN's own ratios (HPCA 2020, as simulator.md 3.2 gives them), and what simulator.md 5.3 and 5.4 say of
// its row in MixGCN's Table 3 and Figure 12: what comes out, and under which assumptions.
#include <array>
#include <catch2/catch.hpp>

#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

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
  // With the map that coordination uses, streams side by side keep finding open rows.
  CHECK(savedBy("rbcgh") < 0.3);
  // With channels by the highest bits a stream has one of eight to itself.
  CHECK(savedBy("hrbcg") > 0.6);
}

TEST_CASE("the pipeline between the engines saves what is published", "[simulator][hygcn]") {
  // Published: 27 to 53 % of the time. Cora's two phases are the most alike and its sums are long, so that it
  // saves both one phase and its sums' way out and back: more. Reddit's aggregation is 43 times its
  // combination.
  for (const Benchmark& one : kBenchmarks) {
    const auto of = [&](const char* pipeline, const char* mode) {
      return cyclesOf(one.graph(), one.features,
                      {{"combination", std::string("on")},
                       {"pipeline", std::string(pipeline)},
                       {"mode", std::string(mode)}});
    };
    const double by = saved(of("off", "latency-aware"), of("on", "latency-aware"));
    CAPTURE(one.name, by);
    if (std::string(one.name) == "cora") {
      CHECK(by == Approx(0.57).margin(0.01));
    } else if (std::string(one.name) == "reddit") {
      CHECK(by == Approx(0.02).margin(0.01));
    } else {
      CHECK(by > 0.27);
      CHECK(by < 0.53);
    }
    CHECK(of("on", "latency-aware") <= of("on", "energy-aware"));
  }
}

TEST_CASE("windows that slide and shrink save what is published where sources are few or near",
          "[simulator][hygcn]") {
  // Published: 1.1 to 3 times faster. Of arcs at random places only Citeseer's intervals need so few sources
  // that windows have ends to save; an order of the vertices that keeps neighbours near does it for others.
  const auto faster = [](const Benchmark& one, double band) {
    const auto of = [&](const char* window) {
      return cyclesOf(one.graph(band), one.features, {{"window", std::string(window)}});
    };
    return of("fit") / of("shrink");
  };
  for (const Benchmark& one : kBenchmarks) {
    const double anywhere = faster(one, 1), near = faster(one, 0.2);
    CAPTURE(one.name, anywhere, near);
    CHECK(anywhere >= 1);
    CHECK(near >= anywhere);
    if (std::string(one.name) == "citeseer") CHECK(anywhere == Approx(2.05).margin(0.95));
    if (std::string(one.name) != "reddit") CHECK(near == Approx(2.05).margin(0.95));
  }
}

TEST_CASE("HyGCN's row of MixGCN's Table 3 is near on the three large graphs, and not on the others",
          "[simulator][hygcn]") {
  constexpr std::array kPaperJoules = {19.3, 43.9, 533.9, 1031.0, 1547.0};
  std::array<double, 5> ratio{};
  for (std::size_t g = 0; g < kGraphs.size(); ++g)
    ratio[g] = simulate(mixgcn("hygcn-mixgcn", kGraphs[g]), library()).joules / kPaperJoules[g];
  CAPTURE(ratio[0], ratio[1], ratio[2], ratio[3], ratio[4]);
  for (std::size_t g = 2; g < 5; ++g) CHECK(ratio[g] == Approx(1).margin(0.5));
  for (std::size_t g = 0; g < 2; ++g) CHECK(ratio[g] < 0.5);  // simulator.md 5.3: no power of the chip does
  // 16 bytes an edge streamed five times are 18.6 J of Reddit's 19.3; Orkut does not follow
  const auto wide = [](const char* graph) {
    return simulate(mixgcn("hygcn-mixgcn", graph, {{"edge_bytes", std::int64_t{16}}}), library()).joules;
  };
  CHECK(wide("reddit") / 19.3 == Approx(1).margin(0.1));
  CHECK(wide("orkut") / 43.9 < 0.6);
}

TEST_CASE("the box of speedups over HyGCN holds the published range", "[simulator][hygcn]") {
  // Published: 1.32 to 1.80 over the five graphs, no bar as a number. Assumptions: simulator.md 5.4.
  for (const char* graph : kGraphs) {
    const double spu = seconds("spu", graph);
    double least = 1e9, most = 0;
    for (const char* window : {"fit", "shrink", "gather"})
      for (const std::int64_t bytes : {4, 8, 16})
        for (const char* mask : {"fused", "separate"}) {
          const double speedup =
              seconds("hygcn-mixgcn", graph,
                      {{"window", std::string(window)}, {"edge_bytes", bytes}, {"mask", std::string(mask)}}) /
              spu;
          least = std::min(least, speedup);
          most = std::max(most, speedup);
        }
    CAPTURE(graph, least, most);
    CHECK(least < 1.32);
    CHECK(most > 1.32);
  }
}
