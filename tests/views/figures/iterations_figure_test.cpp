// Figures of training in mini-batches.
#include <catch2/catch.hpp>

#include "tests/views/figures/figure_fixture.h"

using namespace halo;

namespace {

/// Two epochs of two iterations, of which the last has no seed.
RunData batches() {
  RunData data;
  data.run.kind = "training";
  data.run.status = "completed";
  data.run.workers = 2;
  data.latest["iterations_per_epoch"] = 2;
  for (const std::int64_t step : {0, 1, 2, 3}) {
    IterationRow row{.epoch = step / 2, .iteration = step % 2, .wallNs = (step + 1) * 1'000'000};
    row.bytesSent = 2'000'000;
    if (step < 3) row.loss = 1.0 / static_cast<double>(step + 1), row.seeds = 8, row.arcs = 30 + step;
    data.batches.iterations.push_back(row);
  }
  for (const std::int64_t epoch : {0, 1})
    for (const std::int64_t rank : {0, 1})
      for (const std::int64_t layer : {0, 1})
        data.batches.blocks.push_back({.epoch = epoch,
                                       .rank = rank,
                                       .layer = layer,
                                       .sources = layer == 0 ? 3000 : 500,
                                       .remoteSources = layer == 0 ? 1000 + 1000 * rank : 0});
  return data;
}

Figure iterationsOf(const RunData& data, const char* show) {
  return makeFigure("iterations", {RunsData{}, {&data, 1}}, {{"show", std::string(show)}});
}

}  // namespace

TEST_CASE("every iteration is a point in the order of the run", "[figure]") {
  const RunData data = batches();
  const Figure times = iterationsOf(data, "time");
  REQUIRE(times.series.size() == 1);
  CHECK(times.series[0].x == std::vector<double>{0, 1, 2, 3});
  CHECK(times.series[0].y == std::vector<double>{1, 2, 3, 4});
  CHECK(times.y.label() == "time [ms]");
  CHECK(iterationsOf(data, "bytes").series[0].y == std::vector<double>{2, 2, 2, 2});
  CHECK(iterationsOf(data, "arcs").series[0].y == std::vector<double>{30, 31, 32, 0});
  CHECK(iterationsOf(data, "mteps").series[0].y[1] == Approx(0.0155));  // 31 arcs in 2 ms
  CHECK(iterationsOf(data, "seeds").series[0].y == std::vector<double>{8, 8, 8, 0});
  CHECK(iterationsOf(data, "loss").series[0].x ==
        std::vector<double>{0, 1, 2});  // without a seed, without a loss
}

TEST_CASE("blocks show what batches read of their worker and of others, as the mean of epochs", "[figure]") {
  const RunData data = batches();
  const Figure figure = makeFigure("blocks", {RunsData{}, {&data, 1}});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.x.categories == QStringList{"0", "1"});
  CHECK(figure.series[0].y == std::vector<double>{3, 1});  // (3 − 1) + (3 − 2) thousand
  CHECK(figure.series[1].y == std::vector<double>{3, 0});
  CHECK(svgOf(figure).contains("of other workers"));
}

TEST_CASE("a run without iterations says why they are not there", "[figure]") {
  RunData data = batches();
  data.batches = {};
  for (const char* name : {"iterations", "blocks"}) {
    CHECK(makeFigure(name, {RunsData{}, {&data, 1}}).emptyReason.contains("does not train in mini-batches"));
    CHECK(makeFigure(name, {RunsData{}, {&data, 1}}).empty());
  }
  data.run.kind = "simulation";
  CHECK(iterationsOf(data, "time").emptyReason == "A simulation records no iterations.");
}
