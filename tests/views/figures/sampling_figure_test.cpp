// What is sampled over the iterations of a run in mini-batches.
#include <catch2/catch.hpp>

#include "tests/views/figures/figure_fixture.h"

using namespace halo;

namespace {

/// Two epochs of four iterations, two workers and two layers; worker 1 reads and keeps more in the second.
RunData batches() {
  RunData data;
  data.run.kind = "training";
  data.run.status = "completed";
  data.run.workers = 2;
  data.latest["iterations_per_epoch"] = 4;
  for (const std::int64_t epoch : {0, 1})
    for (const std::int64_t rank : {0, 1}) {
      const std::int64_t more = epoch * rank;
      for (const std::int64_t layer : {0, 1})
        data.batches.blocks.push_back({.epoch = epoch,
                                       .rank = rank,
                                       .layer = layer,
                                       .targets = layer == 0 ? 80 : 20,
                                       .sources = layer == 0 ? 400 + 80 * more : 80,
                                       .arcs = 600,
                                       .sampleCpuNs = 20'000 + 40'000 * more});
      data.batches.caches.push_back({.epoch = epoch,
                                     .rank = rank,
                                     .capacityRows = 50,
                                     .hits = 100 + 280 * more,
                                     .misses = 300 - 200 * more,
                                     .expectedHits = 120});
    }
  return data;
}

Figure samplingOf(const RunData& data, const char* show) {
  return makeFigure("sampling", {RunsData{}, {&data, 1}}, {{"show", std::string(show)}});
}

}  // namespace

TEST_CASE("block sizes are those of a batch of all workers, a step an epoch", "[figure]") {
  const Figure figure = samplingOf(batches(), "sizes");
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].name == "sources of layer 0");
  for (const FigureSeries& series : figure.series) CHECK(series.x == std::vector<double>{0, 4, 4, 8});
  CHECK(figure.series[0].y == std::vector<double>{200, 200, 220, 220});
  CHECK(figure.series[1].y == std::vector<double>{40, 40, 40, 40});
  CHECK(figure.series[2].name == "targets of layer 1");
  CHECK(figure.series[2].y == std::vector<double>{10, 10, 10, 10});
  CHECK(svgOf(figure).contains("sources of layer 1"));
}

TEST_CASE("hits of caches stand beside those that degrees promise", "[figure]") {
  const Figure figure = samplingOf(batches(), "hits");
  REQUIRE(figure.series.size() == 2);
  REQUIRE(figure.series[0].y.size() == 4);
  CHECK(figure.series[0].y[1] == 25);  // 200 of 800 rows
  CHECK(figure.series[0].y[2] == Approx(100 * 480.0 / 880));
  CHECK(figure.series[1].name == "expected by degrees");
  CHECK(figure.series[1].y[1] == 30);
  CHECK(figure.series[1].y[2] == Approx(100 * 240.0 / 880));
}

TEST_CASE("arcs drawn are of a second of CPU time, as the metric has them", "[figure]") {
  const Figure figure = samplingOf(batches(), "speed");
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.y.label() == "arcs a second and core [millions]");
  CHECK(figure.series[0].y == std::vector<double>{30, 30, 15, 15});  // 2400 in 80, and in 160 µs
}

TEST_CASE("what was not sampled says why it is not there", "[figure]") {
  RunData data = batches();
  data.batches.caches.clear();
  CHECK(samplingOf(data, "hits").empty());
  CHECK(samplingOf(data, "hits").emptyReason.contains("no cache of features"));
  data.batches.blocks.clear();
  for (const char* show : {"sizes", "hits", "speed"}) {
    CHECK(samplingOf(data, show).empty());
    CHECK(samplingOf(data, show).emptyReason.contains("does not train in mini-batches"));
  }
}
