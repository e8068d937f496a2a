// The timeline's picture: its lanes, what they are called and what they wait for.
#include <QImage>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "engine/record/database.h"
#include "tests/support/small_recording.h"
#include "tests/views/figure_fixture.h"
#include "tests/views/simulated_engines.h"
#include "views/figure_paint.h"

using namespace halo;

TEST_CASE("every lane of the timeline's picture has a name of its own", "[figure]") {
  const SmallRecording recording(5, 2);
  Database database(recording.file(), Access::readOnly);
  const RunsData all = readRuns(database);
  RunData run = readRun(database, 1);
  run.lanes = readLanes(database, 1, 5, {}, 1000);
  const Figure figure = makeFigure("timeline", {all, {&run, 1}});
  const QStringList& names = figure.y.categories;
  CHECK(names.size() == 10);
  CHECK(std::set<QString>(names.begin(), names.end()).size() == 10);
  CHECK(names[9] == "worker 4 link");
}

TEST_CASE("engines of a simulated device have their names in the timeline's picture", "[figure]") {
  RunData run = simulatedEngines();
  run.lanes.range = {0, 100};
  run.lanes.boxes = {{0, Lane::main, 0, 50, Kind::communication}, {1, Lane::main, 50, 100, Kind::idle}};
  const Figure figure = makeFigure("timeline", {RunsData{}, {&run, 1}});
  CHECK(figure.y.categories == QStringList{"spu: hbm", "spu: adders"});
  REQUIRE(figure.boxes.size() == 2);
  CHECK(figure.boxes[1].lane == 1);
  CHECK_FALSE(toCsv(figure).contains("waits for"));
}

TEST_CASE("what a simulated engine waits for has its cause's colour and name in the timeline's picture",
          "[figure]") {
  const auto theme = GENERATE(Theme::light, Theme::dark);
  RunData run = simulatedEngines();
  run.lanes.range = {0, 90};
  run.lanes.boxes = {{0, Lane::main, 0, 90, Kind::communication},
                     {1, Lane::main, 0, 30, Kind::idle, Name::awaitRows},
                     {1, Lane::main, 30, 60, Kind::compute},
                     {1, Lane::main, 60, 90, Kind::idle, Name::awaitFill}};
  const Figure figure = makeFigure("timeline", {RunsData{}, {&run, 1}});
  CHECK(toCsv(figure).startsWith("lane,kind,begin"));
  CHECK(toCsv(figure).contains("spu: adders,idle,0,0.03,rows\n"));
  CHECK(toCsv(figure).contains("spu: hbm,communication,0,0.09,\n"));
  FigureStyle style;
  style.theme = theme;
  QImage picture(style.size.toSize(), QImage::Format_RGB32);
  picture.fill(palette(theme).background);
  {
    QPainter painter(&picture);
    paintFigure(painter, figure, style, nullptr);
  }
  // lines are drawn smoothly: a pixel counts for the nearest of what is drawn
  const Palette& colors = palette(theme);
  const QRgb rows = seriesColor(theme, causeColor(Name::awaitRows));
  const QRgb fill = seriesColor(theme, causeColor(Name::awaitFill));
  std::map<QRgb, int> nearest;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) {
      const auto distance = [&](QRgb to) {
        const QRgb at = picture.pixel(x, y);
        return std::pow(qRed(at) - qRed(to), 2) + std::pow(qGreen(at) - qGreen(to), 2) +
               std::pow(qBlue(at) - qBlue(to), 2);
      };
      ++nearest[std::ranges::min({colors.background, colors.kind[0], colors.kind[1], colors.text, rows, fill},
                                 {}, distance)];
    }
  CHECK(nearest[rows] > 500);  // lane and legend
  CHECK(nearest[fill] > 500);
}

TEST_CASE("lanes of a simulated cluster name their workers, and how many epochs they show", "[figure]") {
  RunData run;
  run.run.kind = "simulation";
  run.run.workers = 2;
  run.workers.resize(2);
  run.workers[1].rank = 1;
  run.latest["simulated_workers"] = 128;
  run.parameters = {{"simulate.kind", "\"cluster\""}, {"result.epochs", "1"}};
  run.lanes.range = {0, 100};
  run.lanes.boxes = {{0, Lane::main, 0, 50, Kind::compute}, {1, Lane::main, 0, 100, Kind::compute}};
  const auto figure = [&] { return makeFigure("timeline", {RunsData{}, {&run, 1}}); };
  CHECK(figure().y.categories == QStringList{"worker 0", "worker 1"});
  CHECK(figure().x.title == "simulated time, one epoch");
  CHECK(figure().marks.contains("2 of 128 workers shown"));
  run.lanes.boxes.push_back({1, Lane::link, 0, 50, Kind::communication});
  CHECK(figure().y.categories == QStringList{"worker 0", "worker 0 link", "worker 1", "worker 1 link"});
  CHECK(figure().boxes.back().lane == 3);
  run.parameters["result.epochs"] = "8";
  run.lanes.whole = false;
  CHECK(figure().x.title == "simulated time, part of one epoch, the first of 8 that its time is the mean of");
  run.parameters = {{"simulate.kind", "\"platform\""}, {"result.shown_iterations", "200"}};
  CHECK(simulatedExtent(run) == "200 iterations");
  run.parameters = {{"simulate.workload", "\"inference\""}};
  CHECK(simulatedExtent(run) == "one inference");
  run.run.kind = "training";
  CHECK(figure().x.title == "time");
}
