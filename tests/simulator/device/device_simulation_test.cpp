#include <catch2/catch.hpp>

#include "datasets/generate/generate_arcs.h"
#include "simulator/device/graph_source.h"
#include "tests/simulator/device.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

/// A graph that fits, with the figures that stand for it.
struct Toy {
  explicit Toy(double exponent) {
    figures = {60'000, 900'000, 16, 4, exponent, 3000, "made"};
    GraphShape shape;
    shape.generator = "community";
    shape.vertices = figures.vertices;
    shape.averageDegree = 15;
    shape.exponent = exponent;
    shape.maxDegree = figures.maxDegree;
    shape.homophily = 0.01;
    shape.classes = 2;
    shape.directed = true;
    matrix = plantCommunities(shape, planGraph(shape, 1), 3, {}, 0).arcs;
    all = library();
    all.graphs["toy"] = figures;
  }
  GraphFigures figures;
  Csr matrix;
  Library all;
};

constexpr double kBufferMb = 0.12;  // of 60,000 rows of 16 bytes, some 3,750 a half: 16 × 16 blocks

DeviceSettings settingsOf(const std::string& tiling) {
  DeviceSettings settings = mixgcn(
      "spu", "toy", {{"node_buffer_mb", kBufferMb}, {"output_buffer_mb", kBufferMb}, {"hbm_gbps", 64.0}});
  settings.model.layers = 1;
  settings.slices = 4;
  settings.tiling = tiling;
  settings.replicaScale = 0.1;
  return settings;
}

}  // namespace

TEST_CASE("expected, counted and replicated blocks tell the same of one graph", "[simulator]") {
  const auto exponent = GENERATE(2.1, 3.0);
  const Toy toy(exponent);
  const Simulated expected = simulate(settingsOf("statistics"), toy.all);
  const Simulated replica = simulate(settingsOf("replica"), toy.all);
  const DeviceSettings settings = settingsOf("exact");
  const DeviceResult counted =
      find<AcceleratorEntry>("spu")->simulate({settings.figures,
                                               toy.all,
                                               {toy.matrix.rows(), toy.matrix.nonzeros(), 1, &toy.matrix},
                                               {{0, Pass::forward, 4, true}},
                                               Level::tile});
  CAPTURE(exponent);
  // hubs share lines, so counted ones are fewer: by 2 % here; the rest is the degree the generator reaches
  CHECK(static_cast<double>(counted.dramBytes()) * 4 / expected.dramBytes == Approx(1).margin(0.05));
  CHECK(counted.ns * 1e-9 / expected.seconds == Approx(1).margin(0.05));
  CHECK(replica.dramBytes / expected.dramBytes == Approx(1).margin(0.05));
  CHECK(replica.seconds / expected.seconds == Approx(1).margin(0.05));
  CHECK(replica.joules / expected.joules == Approx(1).margin(0.05));
  CHECK(replica.operations / expected.operations == Approx(1).margin(0.05));
}

TEST_CASE("a simulation is the same however often it is made", "[simulator]") {
  const Toy toy(2.5);
  const Simulated first = simulate(settingsOf("replica"), toy.all),
                  second = simulate(settingsOf("replica"), toy.all);
  CHECK(first.seconds == second.seconds);
  CHECK(first.joules == second.joules);
  CHECK(first.dramBytes == second.dramBytes);
}

TEST_CASE("a replica without room for its degrees is refused, the smallest with it is not", "[simulator]") {
  const auto joulesAtScale = [](double scale) {
    DeviceSettings settings = mixgcn("spu", "reddit");
    settings.tiling = "replica";
    settings.replicaScale = scale;
    return simulate(settings, library()).joules;
  };
  CHECK_THROWS_WITH(joulesAtScale(0.001), Catch::Matchers::Contains("simulate.replica_scale") &&
                                              Catch::Matchers::Contains("115000 would stand for 'reddit'"));
  CHECK_THROWS_AS(joulesAtScale(0.005), InputError);
  CHECK(joulesAtScale(0.01) / joulesAtScale(0.05) == Approx(1).margin(0.05));
}

TEST_CASE("buffers that hold rows once, not twice, are simulated where that is asked", "[simulator]") {
  const Toy toy(2.5);
  DeviceSettings settings = settingsOf("statistics");
  settings.figures["node_buffer_mb"] = 20e-6;  // one row of 16 bytes
  CHECK_THROWS_AS(simulate(settings, toy.all), InputError);
  settings.figures["buffering"] = std::string("single");
  CHECK(simulate(settings, toy.all).seconds > 0);
}

TEST_CASE("what cannot be counted in whole cycles is refused", "[simulator]") {
  DeviceSettings settings = mixgcn("spu", "papers100m", {{"hbm_gbps", 1e-3}, {"freq_mhz", 1e5}});
  settings.slices = 1;
  settings.level = "analytic";
  settings.model.layers = 100;
  settings.model.hidden = 100'000;
  CHECK_THROWS_WITH(simulate(settings, library()),
                    Catch::Matchers::Contains("more than 9e15 cycles or bytes"));
  settings = mixgcn("spu", "papers100m", {{"hbm_gbps", 1e-3}});
  settings.level = "analytic";
  // each device moves the compulsory 52.7 GB at 10^6 bytes a second (resources/design/simulator.md)
  CHECK(simulate(settings, library()).seconds == Approx(52.7e9 / 1e6).epsilon(0.05));
}

TEST_CASE("half the devices take the time of twice the columns", "[simulator]") {
  const auto simulateSlices = [](std::int64_t slices) {
    DeviceSettings settings = mixgcn("spu", "friendster");
    settings.slices = slices;
    return simulate(settings, library());
  };
  const Simulated manySlices = simulateSlices(32), fewSlices = simulateSlices(16);
  // rows are twice as long, but every device streams the same column numbers
  CHECK(fewSlices.seconds > 1.2 * manySlices.seconds);
  CHECK(fewSlices.seconds < 2 * manySlices.seconds);
  CHECK(fewSlices.operations == manySlices.operations);
  const Simulated more = simulateSlices(200);  // devices 128 to 199 have no column
  REQUIRE(more.classes.size() == 2);
  CHECK(more.classes[1].devices == 72);
  CHECK(more.devices[1].cycles == 0);
}

TEST_CASE("a graph without edges is refused by name", "[simulator]") {
  GraphRequest request;
  request.graph = "bare";
  Library bare = library();
  bare.graphs["bare"] = bare.graphs.at("reddit");
  bare.graphs["bare"].arcs = 0;
  CHECK_THROWS_WITH(sourceGraph(request, bare), Catch::Contains("has no edges"));
}

TEST_CASE("a replica that memory or its degrees have no room for is refused before it is drawn",
          "[simulator]") {
  GraphRequest request;
  request.graph = "papers100m";
  request.tiling = "replica";
  request.replicaScale = 1;
  const Library all = library();
  const GraphFigures& papers = all.graphs.at("papers100m");
  const auto problems = replicaRefusals(request, papers, 16e9);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "simulate.replica_scale");
  CHECK_THAT(problems[0].message, Catch::Contains("GB of memory, and this machine has 16.0 GB available"));
  CHECK_THAT(problems[0].message, Catch::Contains("a scale of about 0."));
  CHECK(replicaRefusals(request, papers, 1e12).empty());
  request.replicaScale = 0.02;
  CHECK(replicaRefusals(request, papers, 16e9).empty());
  request.replicaScale = 1e-6;
  const auto thin = replicaRefusals(request, papers, 16e9);
  REQUIRE(thin.size() == 1);
  CHECK_THAT(thin[0].message, Catch::Contains("a larger scale has room for its degrees"));
  DeviceSettings settings = mixgcn("spu", "papers100m");
  settings.tiling = "replica";
  settings.replicaScale = 1e-6;  // asked of every device, before anything is recorded
  const auto before = refusals(settings, all);
  REQUIRE(before.size() == 1);
  CHECK(before[0].key == "simulate.replica_scale");
}

TEST_CASE("a replica that the device's share has no room for is refused before it is drawn", "[simulator]") {
  const auto settingsWith = [](double megabytes, double scale) {
    std::map<std::string, Value> buffers;
    for (const char* key : {"sparse_buffer_mb", "dense_buffer_mb", "output_buffer_mb"})
      buffers[key] = megabytes;
    DeviceSettings settings = mixgcn("gcnax", "reddit", buffers);
    settings.tiling = "replica";
    settings.replicaScale = scale;
    return settings;
  };
  // less than a nonzero in a half of the share's buffers; then tiles of few, too many of them
  for (const auto& [megabytes, scale] : {std::pair{1e-4, 0.02}, {2e-4, 0.2}}) {
    const DeviceSettings settings = settingsWith(megabytes, scale);
    const auto before = refusals(settings, library());
    CAPTURE(megabytes, scale);
    REQUIRE(before.size() >= 1);
    CHECK_THROWS_WITH(simulate(settings, library()), Catch::Contains(before[0].message));
  }
  CHECK(refusals(settingsWith(0.064, 0.02), library()).empty());
}
