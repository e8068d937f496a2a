// Simulated beside measured epochs.
#include <catch2/catch.hpp>
#include <set>

#include "tests/views/figures/compared_figures_fixture.h"
#include "views/figure/figure_writers.h"

using namespace halo;

TEST_CASE("simulated stands beside measured with their ratio, part by part", "[compared]") {
  const Figure figure = figureOf("simulated", besides(1));
  CHECK(figure.x.categories == QStringList{"epoch\nvanilla ×1", "compute\nvanilla ×1"});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[0].y == std::vector<double>{2, 1});
  CHECK(figure.series[1].y == std::vector<double>{3, 1.5});
  CHECK(figure.series[1].labels == std::vector<QString>{"1.50", "1.50"});
  CHECK(figure.series[1].outlined);
  CHECK(toCsv(figure).startsWith("category,measured [s],"));
  CHECK(toCsv(figure).contains("epoch vanilla ×1,2,3,1.5\n"));
  const QString svg = QString::fromUtf8(toSvg(figure, {}));
  CHECK(svg.contains("1.50"));
  CHECK(svg.contains("compute"));

  const Figure many = figureOf("simulated", besides(6));
  CHECK(many.x.categories.size() == 8);
  CHECK(many.marks.contains("4 of 6 pairs; show=epoch has all"));
  CHECK(figureOf("simulated", besides(6), "epoch").x.categories.size() == 6);
}

TEST_CASE("a replay is called so beside its run", "[compared]") {
  ComparedRuns runs;
  runs.train("vanilla", 2, 0.5);
  runs.data.parameters[runs.add("simulation", "vanilla", 2, {{"epoch_seconds", 0.4}}, "simulated").id] = {
      {"result.run", "1"}};
  runs.add("simulation", "vanilla", 2, {{"epoch_seconds", 0.6}}, "simulated");
  CHECK(figureOf("simulated", runs, "epoch").x.categories ==
        QStringList{"epoch\nvanilla ×2 replay", "epoch\nvanilla ×2"});
}

TEST_CASE("several simulations of one run are told apart", "[compared]") {
  ComparedRuns runs;
  runs.train("vanilla", 2, 0.5);
  for (const char* name : {"run 1 / link=10gbe", "run 1 / link=none", "run 1", "run 1"}) {
    RunRow& row = runs.add("simulation", "vanilla", 2, {{"epoch_seconds", 0.4}}, "simulated");
    row.name = name;
    runs.data.parameters[row.id] = {{"result.run", "1"}};
  }
  const QStringList names = figureOf("simulated", runs, "epoch").x.categories;
  REQUIRE(names.size() == 4);
  CHECK(std::set<QString>(names.begin(), names.end()).size() == 4);
  CHECK(names[0] == "epoch\nlink=10gbe");
  CHECK(names[3].endsWith("#5"));
  CHECK(figureOf("simulated", runs, "epoch").x.title == "vanilla ×2 replay");
  runs.train("pipegcn", 2, 0.5);
  runs.add("simulation", "pipegcn", 2, {{"epoch_seconds", 0.4}}, "simulated");
  CHECK(figureOf("simulated", runs, "epoch").x.categories.front() == "epoch\nvanilla ×2 replay, link=10gbe");
}

TEST_CASE("what simulations of one method have alike is no part of their names", "[compared]") {
  ComparedRuns runs = besides(1);
  for (const double seconds : {0.5, 0.6})
    runs.add("simulation", "vanilla", 1, {{"epoch_seconds", seconds}}, "simulated").name =
        "x / emulated-10gbe / method=vanilla / workers=1";
  runs.train("pipegcn", 1, 0.5);
  runs.add("simulation", "pipegcn", 1, {{"epoch_seconds", 0.4}}, "simulated");
  for (RunRow& run : runs.data.runs)
    if (run.kind == "simulation") run.name = "x / emulated-10gbe / method=" + run.method + " / workers=1";
  const QStringList names = figureOf("simulated", runs, "epoch").x.categories;
  REQUIRE(names.size() == 4);
  CHECK(names.filter("emulated-10gbe").isEmpty());
  CHECK(std::set<QString>(names.begin(), names.end()).size() == 4);
}

TEST_CASE("names of simulated figures are not cut where half the picture has room for them", "[compared]") {
  ComparedRuns runs = replays();
  for (auto& [id, latest] : runs.data.latest)
    for (const char* part : {"compute", "exchange_wait", "quantise", "synchronise", "rest"})
      latest[std::string(part) + "_share"] = 0.2;
  const Figure figure = figureOf("simulated", runs);
  const QString svg = [&] {
    FigureStyle style;
    style.size = {900, 560};
    return QString::fromUtf8(toSvg(figure, style));
  }();
  REQUIRE(figure.x.categories.size() == 24);
  CHECK(svg.contains(">synchronise<"));
  CHECK(svg.contains(">vanilla ×4 replay, link=10gbe<"));  // once for its six parts
  CHECK_FALSE(svg.contains("…"));
}

TEST_CASE("names of whole epochs stand upright in several lines, without what they all begin with",
          "[compared]") {
  ComparedRuns runs;
  runs.train("vanilla", 2, 0.5);
  for (const char* link : {"10gbe", "100gbe", "pcie"}) {
    RunRow& row = runs.add("simulation", "vanilla", 2, {{"epoch_seconds", 0.4}}, "simulated");
    row.name = std::string("run 1 / link=") + link + " rank_speed=0:0.125, 1:0.25, 2:0.5, 3:0.75 cores=12";
    runs.data.parameters[row.id] = {{"result.run", "1"}};
  }
  FigureStyle style;
  style.size = {360, 300};
  const QString svg = QString::fromUtf8(toSvg(figureOf("simulated", runs, "epoch"), style));
  CHECK_FALSE(svg.contains("epoch · "));
  CHECK_FALSE(svg.contains("…"));
}
