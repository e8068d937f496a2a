// Figures of a node of processors and cards.
#include <catch2/catch.hpp>

#include "tests/views/figures/figure_fixture.h"
#include "tests/views/recording/acting_run.h"

using namespace halo;

namespace {

Figure nodeFigure(const char* name, const RunData& data, const Values& values = {}) {
  return makeFigure(name, {RunsData{}, {&data, 1}}, values);
}

}  // namespace

TEST_CASE("seeds of processors and cards are steps between decisions, which are marked", "[figure]") {
  const RunData data = acting::run();
  const Figure figure = nodeFigure("shares", data);
  REQUIRE(figure.series.size() == 4);
  const FigureSeries& processors = figure.series[0];
  CHECK(processors.name == "processors");
  CHECK(processors.y.front() == Approx(40));  // 40 of 100 seeds
  CHECK(processors.y.back() == Approx(31));
  for (std::size_t i = 0; i < processors.y.size(); ++i)
    CHECK(processors.y[i] + figure.series[1].y[i] == Approx(100));
  const FigureSeries& keptDecisions = figure.series[2];
  CHECK(keptDecisions.name == "kept");
  CHECK(keptDecisions.x == std::vector<double>{1, 3});  // decisions 1 and 3
  CHECK(keptDecisions.labels.front().startsWith("9 seeds from cpu to cards: "));
  CHECK(keptDecisions.labels.front().endsWith(", kept"));
  CHECK(figure.series[3].name == "undone");
  CHECK(figure.series[3].x == std::vector<double>{2});
}

TEST_CASE("threads of a change that was undone come back", "[figure]") {
  const Figure figure = nodeFigure("shares", acting::run(), {{"show", std::string("threads")}});
  const FigureSeries& loading = figure.series[1];
  CHECK(loading.name == "loading");
  CHECK(*std::ranges::min_element(loading.y) == Approx(25));  // 4 of 16, tried
  CHECK(loading.y.back() == Approx(100 * 5.0 / 16));
}

TEST_CASE("stages stand as predicted, planned and measured", "[figure]") {
  const Figure figure = nodeFigure("stages", acting::run());
  CHECK(figure.x.categories == QStringList{"sample", "load", "transfer", "propagate", "synchronise"});
  REQUIRE(figure.series.size() == 3);
  for (const double ms : figure.series[0].y) CHECK(ms == Approx(0.125));
  for (const double ms : figure.series[1].y) CHECK(ms == Approx(0.25));
  for (const double ms : figure.series[2].y) CHECK(ms == Approx(0.25));
  CHECK(svgOf(figure).contains("predicted by the model"));
}

TEST_CASE("what waits before a stage is a line an actor", "[figure]") {
  const Figure figure = nodeFigure("queues", acting::run());
  REQUIRE_FALSE(figure.series.empty());
  const auto load = std::ranges::find(figure.series, QString("load"), &FigureSeries::name);
  REQUIRE(load != figure.series.end());
  CHECK(*std::ranges::max_element(load->y) == 1);
}

TEST_CASE("a run without a node says why nothing is there", "[figure]") {
  RunData data = acting::run();
  data.batches = {};
  for (const char* name : {"shares", "stages", "queues"}) {
    CHECK(nodeFigure(name, data).empty());
    CHECK(nodeFigure(name, data).emptyReason.contains("does not train on a node of processors and cards"));
  }
}

TEST_CASE("stages and queues are shown by modelled time or by that of the wall", "[figure]") {
  RunData data = acting::run();
  const Figure modelled = nodeFigure("stages", data),
               wall = nodeFigure("stages", data, {{"clock", std::string("wall")}});
  for (std::size_t s = 0; s < modelled.series.size(); ++s)
    for (std::size_t i = 0; i < modelled.series[s].y.size(); ++i)
      CHECK(wall.series[s].y[i] == Approx(2 * modelled.series[s].y[i]));
  CHECK(modelled.y.title == "modelled time");
  CHECK(wall.y.title == "wall time");
  const Figure half = nodeFigure("queues", data),
               run = nodeFigure("queues", data, {{"clock", std::string("wall")}});
  CHECK(half.series.front().x.back() == Approx(run.series.front().x.back() / 2));
  CHECK(half.x.title == "modelled time");
  CHECK(run.x.title == "wall time");
  CHECK(half.marks.isEmpty());
  CHECK(run.marks.isEmpty());
}

TEST_CASE("lanes and parts of a node's time follow the clock too", "[figure]") {
  RunData data = acting::run();
  data.lanes.range = {0, 16'000'000};
  data.lanes.boxes = {{1, Lane::main, 4'000'000, 8'000'000, Kind::compute}};
  data.breakdown = {{0, 16'000'001}, {{.computeNs = 5, .otherNs = 3, .idleNs = 15'999'993}}, true};
  const Values wall = {{"clock", std::string("wall")}};
  const Figure modelledLanes = nodeFigure("timeline", data), wallLanes = nodeFigure("timeline", data, wall);
  CHECK(modelledLanes.x.label() == "modelled time [µs]");
  CHECK(wallLanes.x.label() == "wall time [ms]");
  CHECK(modelledLanes.boxes.front().begin == Approx(2000));
  CHECK(modelledLanes.boxes.front().end == Approx(4000));
  CHECK(wallLanes.boxes.front().end == Approx(8));
  CHECK(nodeFigure("breakdown", data).y.title == "modelled time");
  CHECK(nodeFigure("breakdown", data, wall).y.title == "wall time");
  const BreakdownData half = divided(data.breakdown, 2);
  CHECK(half.range.lengthNs() == 8'000'001);
  CHECK(half.ranks.front().totalNs() == half.range.lengthNs());
  CHECK(half.ranks.front().computeNs == 3);
}

TEST_CASE("where a node recorded one time alone, its figures are of that and say so", "[figure]") {
  RunData data = acting::run();
  data.parameters["run.device"] = "\"modelled\"";
  data.parameters["run.clock"] = "\"virtual\"";
  const Values wall = {{"clock", std::string("wall")}};
  const Figure virtualClock = nodeFigure("stages", data, wall);
  CHECK(virtualClock.y.title == "modelled time");
  REQUIRE(virtualClock.marks.size() == 1);
  CHECK(virtualClock.marks.front().contains("no wall time is recorded"));
  CHECK(virtualClock.series.back().y == nodeFigure("stages", data).series.back().y);
  data.parameters.erase("result.dilation");
  data.parameters["run.device"] = "\"host\"";
  data.parameters["run.clock"] = "\"real\"";
  const Figure host = nodeFigure("queues", data);
  CHECK(host.x.title == "wall time");
  REQUIRE(host.marks.size() == 1);
  CHECK(host.marks.front().contains("no device of this run is modelled"));
  CHECK(nodeFigure("iterations", data).y.title == "wall time");
  data.latest["prediction_error_load"] = 0.4;
  CHECK(nodeFigure("stages", data).marks.join(' ').contains("does not come out: load +40.0 %"));
}
