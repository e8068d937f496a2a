// The roofline of several runs: roofs, their points, measured aggregations.
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/views/figures/compared_figures_fixture.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_writers.h"

using namespace halo;

TEST_CASE("a roof and its points are of one device", "[compared]") {
  const Figure figure = figureOf("roofline", rooflines());
  CHECK(figure.x.logarithmic);
  CHECK(figure.y.logarithmic);
  const FigureSeries& points = seriesNamed(figure, "spu");
  REQUIRE(points.x.size() == 1);
  CHECK(points.x[0] == Approx(2));  // 100e9 ÷ 50e9
  CHECK(points.y[0] == Approx(100e9 / 26 / 4));
  CHECK(points.labels[0].contains("mean of 26 devices"));
  CHECK(points.labels[0].contains("of the roof there"));
  const FigureSeries& roof = seriesNamed(figure, "roof of spu");
  for (std::size_t i = 0; i < roof.x.size(); ++i)
    CHECK(roof.y[i] == Approx(std::min(8e12, 1e12 * roof.x[i])));
  CHECK(std::ranges::is_sorted(roof.x));
  CHECK(std::ranges::find(roof.x, 8.0) != roof.x.end());  // its ridge
  CHECK(roof.color == points.color);
}

TEST_CASE("files of one design are devices of their own on the roofline", "[compared]") {
  ComparedRuns runs = rooflines();
  const RunRow& other = runs.add("simulation", "spu", 1, runs.data.latest[1]);
  runs.data.parameters[other.id]["simulate.device"] = "\"my-spu\"";
  const Figure figure = figureOf("roofline", runs);
  CHECK(seriesNamed(figure, "spu, simulated").x.size() == 1);
  CHECK(seriesNamed(figure, "my-spu, simulated").x.size() == 1);
  CHECK(seriesNamed(figure, "roof of my-spu").y == seriesNamed(figure, "roof of spu").y);
}

TEST_CASE("a measured aggregation stands between both ends of its modelled bytes", "[compared]") {
  const Figure figure = figureOf("roofline", rooflines());
  const FigureSeries& measured = seriesNamed(figure, "aggregation");
  CHECK(measured.name.contains("bytes modelled"));
  CHECK(measured.x == std::vector<double>{0.5, 2});
  CHECK(measured.y == std::vector<double>{4e9, 4e9});
  CHECK(measured.labels[0].contains("for every arc"));
  CHECK(measured.labels[1].contains("modelled"));
  REQUIRE(figure.marks.size() == 2);
  CHECK(figure.marks[0] == "simulated");
  CHECK(figure.marks[1].contains("no roof: `haloscope doctor --calibrate`"));  // no processor is simulated
  CHECK(toCsv(figure).contains("\"aggregation of a worker, measured; bytes modelled\",0.5,4e+09\n"));
}

TEST_CASE("measured points without a simulated device are named in the legend", "[compared]") {
  ComparedRuns runs = rooflines();
  std::erase_if(runs.data.runs, [](const RunRow& run) { return run.kind == "simulation"; });
  const Figure figure = figureOf("roofline", runs);
  REQUIRE(figure.series.size() == 1);
  CHECK(QString::fromUtf8(toSvg(figure, {})).contains(figure.series[0].name));
}

TEST_CASE("two measured aggregations are not joined", "[compared]") {
  ComparedRuns runs = rooflines();
  RunRow& other = runs.add("training", "vanilla", 8, runs.data.latest[2]);
  other.marks = "oversubscribed";
  const Figure figure = figureOf("roofline", runs);
  const FigureSeries& measured = seriesNamed(figure, "aggregation");
  REQUIRE(measured.x.size() == 5);
  CHECK(std::isnan(measured.x[2]));
  CHECK_FALSE(toCsv(figure).contains("nan"));
  CHECK(figure.marks.contains("oversubscribed"));
  CHECK(figureOf("roofline", runs, nullptr, {2}).series.size() == 1);
}

TEST_CASE("of many measured runs a method with as many workers has one line, the median", "[compared]") {
  ComparedRuns runs;
  const auto add = [&](const char* method, double seconds) {
    runs.add("training", method, 2,
             {{"aggregation_flop_per_epoch", 4e9},
              {"aggregation_seconds_per_epoch", seconds},
              {"aggregation_least_bytes_per_epoch", 2e9},
              {"aggregation_most_bytes_per_epoch", 8e9}});
  };
  for (int i = 1; i <= 11; ++i) add("vanilla", i);
  for (int i = 1; i <= 9; ++i) add("mop", 2);
  CHECK(seriesNamed(figureOf("roofline", runs), "aggregation").x.size() == 20 * 3 - 1);
  add("mop", 2);
  const Figure figure = figureOf("roofline", runs);
  const FigureSeries& measured = seriesNamed(figure, "aggregation");
  REQUIRE(measured.x.size() == 5);
  CHECK(measured.y[0] == 2e9);      // of mop
  CHECK(measured.y[3] == 4e9 / 6);  // of vanilla, the sixth of eleven
  CHECK(measured.x[3] == 0.5);
  CHECK(measured.x[4] == 2);
  CHECK(measured.labels[3].startsWith("vanilla ×2, median of 11 runs\n"));
  CHECK(std::ranges::count(figure.notes, "vanilla ×2 (11)", &FigureNote::text) == 1);
  CHECK(figure.marks.join(" ").contains("median of n runs"));
}

TEST_CASE("each data set of a device has its name once on the roofline", "[compared]") {
  ComparedRuns runs = rooflines();
  for (int i = 0; i < 3; ++i) runs.add("simulation", "spu", 1, runs.data.latest[1]);
  const Figure figure = figureOf("roofline", runs);
  const auto named = [&](const QString& text) {
    return std::ranges::count(figure.notes, text, &FigureNote::text);
  };
  CHECK(named(QString::fromStdString(runs.data.runs[0].dataset)) == 1);
}

TEST_CASE("sixteen devices of a roofline differ in mark or colour", "[compared]") {
  ComparedRuns runs;
  for (int i = 0; i < 16; ++i)
    runs.add("simulation", ("device" + std::to_string(i)).c_str(), 1,
             {{"roof_operations_per_second", 1e12 + i},
              {"roof_bytes_per_second", 1e11},
              {"simulated_operations", 1e9},
              {"simulated_dram_bytes", 1e9},
              {"simulated_devices", 1},
              {"simulated_seconds", 1}},
             "simulated");
  const Figure figure = figureOf("roofline", runs);
  for (const Theme theme : {Theme::light, Theme::dark}) {
    std::set<std::pair<int, QRgb>> styles;
    std::size_t points = 0;
    for (std::size_t s = 0; s < figure.series.size(); ++s)
      if (figure.series[s].mark != FigureMark::none) {
        ++points;
        styles.emplace(static_cast<int>(figure.series[s].mark),
                       figureColor(figure.series[s], s, theme).rgb());
      }
    CHECK(points == 16);
    CHECK(styles.size() == 16);
  }
}
