// What AWB-GCN's strips and columns come to on MixGCN's graphs: none is needed.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

constexpr std::array kGraphs = {"reddit", "orkut", "twitter", "friendster", "papers100m"};
constexpr std::array kAwbJoules = {6.9, 33.6, 2326.0, 6250.0, 6810.0};

}  // namespace

TEST_CASE("AWB-GCN's traffic on MixGCN's graphs is the closed form of its columns and strips",
          "[simulator]") {
  for (const char* name : kGraphs) {
    CAPTURE(name);
    const GraphFigures& figures = library().graphs.at(name);
    const Simulated simulation = simulate(mixgcn("awb-gcn-mixgcn", name), library());
    const auto n = static_cast<double>(figures.vertices), arcs = static_cast<double>(figures.arcs);
    double bytes = 0;
    for (std::size_t c = 0; c < simulation.classes.size(); ++c)
      for (const SlicePass& pass : simulation.classes[c].passes) {
        if (pass.width == 0) continue;
        const auto width = static_cast<double>(pass.width);
        const double g = std::floor(100e6 / (8 * n)), strips = g >= 1 ? 1 : std::ceil(8 * n / 100e6);
        const double groups = g >= 1 ? std::ceil(width / std::min(g, width)) : width;
        bytes += static_cast<double>(simulation.classes[c].devices) *
                 (8 * arcs * groups + 4 * n * strips * groups + 4 * n * width * strips + 4 * n * width);
      }
    CHECK(simulation.dramBytes == Approx(bytes).epsilon(1e-9));
  }
}

TEST_CASE("the SPU is faster than AWB-GCN by what the manual says", "[simulator]") {
  constexpr std::array kSpeedups = {1.96, 1.59, 1.46, 0.98, 0.75};  // printed with two digits
  constexpr std::array kJoules = {7.21, 2.31, 1.07, 0.61, 0.67};    // over the published
  constexpr std::array kPerOp = {1.30, 0.40, 0.18, 0.10, 0.11};
  for (std::size_t g = 0; g < kGraphs.size(); ++g) {
    CAPTURE(kGraphs[g]);
    const Simulated spu = simulate(mixgcn("spu", kGraphs[g]), library());
    const Simulated awb = simulate(mixgcn("awb-gcn-mixgcn", kGraphs[g]), library());
    CHECK(awb.seconds / spu.seconds == Approx(kSpeedups[g]).margin(0.011));
    CHECK(awb.joules / kAwbJoules[g] == Approx(kJoules[g]).margin(0.011));
    CHECK(awb.perOpJoules / kAwbJoules[g] == Approx(kPerOp[g]).margin(0.011));
    const DeviceResult& device = awb.devices.front();
    CHECK(device.components[0].busyCycles * 20 > device.cycles * 19);
  }
}

TEST_CASE("a replica loads AWB-GCN's elements as published degrees are expected to, once even",
          "[simulator]") {
  // DRAM and network out of the way (a smaller network has fewer conflicts): the time is the busiest
  // element's
  const std::map<std::string, Value> fast = {{"dram_gbps", 1e5},
                                             {"balance", std::string("converged")},
                                             {"distributor", std::string("tdq-1")},
                                             {"distributor_nonzeros_per_cycle", std::int64_t{16'384}}};
  DeviceSettings settings = mixgcn("awb-gcn-mixgcn", "reddit", fast);
  const Simulated expected = simulate(settings, library());
  settings.tiling = "replica";
  settings.replicaScale = 0.05;
  const Simulated replica = simulate(settings, library());
  CAPTURE(expected.seconds, replica.seconds);
  CHECK(replica.dramBytes / expected.dramBytes == Approx(1).margin(0.05));
  CHECK(replica.operations / expected.operations == Approx(1).margin(0.05));
  CHECK(replica.seconds / expected.seconds == Approx(1).margin(0.05));
}
