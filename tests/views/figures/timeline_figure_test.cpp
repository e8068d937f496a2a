// The timeline's picture: its lanes, what they are called and what they wait for.
#include <QImage>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "engine/record/database/database.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"
#include "tests/support/small_recording.h"
#include "tests/views/figures/figure_fixture.h"
#include "tests/views/recording/simulated_engines.h"
#include "views/figure/figure_paint.h"

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

namespace {

/// One lane of what is at work and of what is waited for, drawn.
struct DrawnLane {
  DrawnLane(const std::vector<FigureBox>& boxes, Theme theme) : colors(palette(theme)) {
    Figure figure;
    figure.form = FigureForm::lanes;
    figure.boxes = boxes;
    figure.y.categories << "dense";
    FigureStyle style;
    style.theme = theme;
    picture = QImage(style.size.toSize(), QImage::Format_RGB32);
    QPainter painter(&picture);
    paintFigure(painter, figure, style, nullptr);
  }
  static double distance(QRgb a, QRgb b) {
    return std::hypot(qRed(a) - qRed(b), qGreen(a) - qGreen(b), qBlue(a) - qBlue(b));
  }
  /// Rows of pixels below the legend, in columns [from, to) of the lane's 100, in which `color` stands out.
  std::vector<int> rows(int from, int to, QRgb color) const {
    // the lane: as far as its axis goes
    const int axis = lowest(), left = edge(axis, 1), right = edge(axis, -1);
    std::vector<int> pixelRows;
    for (int y = 60; y < axis - 2; ++y)
      for (int x = left + (right - left) * from / 100 + 2; x < left + (right - left) * to / 100 - 2; ++x)
        if (distance(picture.pixel(x, y), color) < 0.6 * distance(colors.background, color)) {
          pixelRows.push_back(y);
          break;
        }
    return pixelRows;
  }
  bool inked(int x, int y) const {  // rather the axis's colour than the paper's
    const QRgb at = picture.pixel(x, y);
    return distance(at, colors.text) < 1.2 * distance(at, colors.background);
  }
  int lowest() const {  // the row of the axis: the lowest that is mostly inked
    int y = picture.height() - 1;
    for (int count = 0; y > 0 && 2 * count < picture.width(); --y) {
      count = 0;
      for (int x = 0; x < picture.width(); ++x) count += inked(x, y);
    }
    return y + 1;
  }
  int edge(int row, int step) const {
    int x = step > 0 ? 0 : picture.width() - 1;
    for (int left = picture.width() - 1; left > 0 && !inked(x, row); --left) x += step;
    return x;
  }
  const Palette& colors;
  QImage picture;
};

}  // namespace

TEST_CASE("what an engine waits for is low in its lane of the picture too", "[figure]") {
  const auto theme = GENERATE(Theme::light, Theme::dark);
  const DrawnLane lane({{0, 50, 0, Kind::idle, false, Name::awaitRows}, {50, 100, 0, Kind::compute}}, theme);
  const auto waits = lane.rows(0, 50, seriesColor(theme, causeColor(Name::awaitRows)));
  const auto works = lane.rows(50, 100, lane.colors.kind[0]);
  REQUIRE(works.size() > 100);
  REQUIRE(waits.size() > 20);
  CHECK(std::abs(waits.back() - works.back()) <= 2);
  const double share = double(waits.back() - waits.front()) / (works.back() - works.front());
  CHECK(share == Approx(cueHeight(Cue::hollow)).margin(0.03));
  // of a stretch where hardly anything is at work its waits still show
  const DrawnLane both(
      {{.begin = 0, .end = 100, .share = 0.125}, {0, 100, 0, Kind::idle, false, Name::awaitRows}}, theme);
  CHECK(both.rows(0, 100, seriesColor(theme, causeColor(Name::awaitRows))).size() > 20);
}

TEST_CASE("short spans show between long waits, and waits are hatched however narrow", "[figure]") {
  const auto theme = GENERATE(Theme::light, Theme::dark);
  std::vector<FigureBox> boxes;
  for (int i = 0; i < 200; ++i) {  // 3 pixels each, of which a fifth of one is at work
    boxes.push_back({i * 1.0, i + 0.07, 0, Kind::compute});
    boxes.push_back({i + 0.07, i + 1.0, 0, Kind::idle, false, Name::awaitDependency});
  }
  const DrawnLane lane(boxes, theme);
  const QRgb cause = seriesColor(theme, causeColor(Name::awaitDependency)), paper = lane.colors.background;
  const int axis = lane.lowest(), left = lane.edge(axis, 1) + 4, right = lane.edge(axis, -1) - 4;
  const auto waits = lane.rows(0, 100, cause);
  REQUIRE_FALSE(waits.empty());
  // above the waits something of each span at work is left
  int tinted = 0;
  for (int x = left; x < right; ++x) tinted += lane.picture.pixel(x, waits.front() - 30) != paper;
  CHECK(tinted > 150);
  // within them there is paper between the lines
  int inked = 0, all = 0;
  for (int y = waits.front() + 2; y < waits.back() - 2; ++y)
    for (int x = left; x < right; ++x, ++all)
      inked += DrawnLane::distance(lane.picture.pixel(x, y), cause) <
               DrawnLane::distance(lane.picture.pixel(x, y), paper);
  CHECK(inked > 0.1 * all);
  CHECK(inked < 0.6 * all);
}

TEST_CASE("stretches of many spans keep what is at work beside what is waited for", "[figure]") {
  const SmallRecording recording(1, 1, 2);
  Database database(recording.file(), Access::readWrite);
  std::vector<Span> spans;
  for (std::int64_t i = 0; i < 1000; ++i) {  // a tenth at work
    spans.push_back({.beginNs = i * 20, .durationNs = 2});
    spans.push_back({.beginNs = i * 20 + 2, .durationNs = 18, .name = Name::awaitRows, .kind = Kind::idle});
  }
  Transaction transaction(database);
  Spans(database).append(2, 0, spans);
  transaction.commit();
  RunData run = readRun(database, 2);
  run.lanes = readLanes(database, 2, 1, {}, 50);
  REQUIRE(run.lanes.coalesced);
  const auto box = [&](bool waits) {
    const auto match =
        std::ranges::find(run.lanes.boxes, waits, [](const LaneBox& each) { return each.waits.has_value(); });
    REQUIRE(match != run.lanes.boxes.end());
    return *match;
  };
  CHECK(box(true).waits == Name::awaitRows);
  CHECK(box(true).endNs - box(true).beginNs > 19'000);
  CHECK(box(false).kind == Kind::compute);
  CHECK(box(false).endNs - box(false).beginNs > 19'000);
  CHECK(box(false).share == 0.125);  // of eighths the nearest, and never none
  const Figure figure = makeFigure("timeline", {RunsData{}, {&run, 1}});
  CHECK(figure.marks.contains("each stretch by its largest kind, paler where it is less at work"));
  CHECK(toCsv(figure).startsWith("lane,kind,begin [µs],end [µs],waits for,share\n"));
  CHECK(toCsv(figure).contains(",0.125\n"));
}

TEST_CASE("actors of a rank have lanes and bars of their own", "[figure]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  Runs runs(database);
  RunRow row;
  row.experimentId = runs.addExperiment("e", "");
  row.status = "completed";
  row.workers = 1;
  const std::int64_t id = runs.add(row);
  const std::vector<ActorRow> actors = {{0, 0, "sample", ActorKind::sampler},
                                        {1, 0, "card 0: train", ActorKind::trainer}};
  {
    Transaction transaction(database);
    Hybrid(database).setActors(id, actors);
    Span span;  // both at the same time
    span.durationNs = 1000, span.name = Name::sample, span.kind = Kind::compute;
    for (const ActorRow& actor : actors) Spans(database).append(id, 0, std::vector{span}, actor.actor);
    transaction.commit();
  }
  RunData run;
  run.run = *runs.find(id);
  run.actors = actors;
  run.spans = 2;
  run.lanes = readLanes(database, id, 1, {}, 1000);
  const Figure figure = makeFigure("timeline", {RunsData{}, {&run, 1}});
  CHECK(figure.y.categories == QStringList{"worker 0", "sample", "card 0: train"});
  REQUIRE(figure.boxes.size() == 2);
  CHECK(figure.boxes[0].lane == 1);
  CHECK(figure.boxes[1].lane == 2);
  run.breakdown = readBreakdown(database, id, 1, {});
  REQUIRE(run.breakdown.ranks.size() == 3);
  for (const std::size_t actor : {1U, 2U}) CHECK(run.breakdown.ranks[actor].computeNs == 1000);
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
  run.lanes.complete = false;
  CHECK(figure().x.title == "simulated time, part of one epoch, the first of 8 that its time is the mean of");
  run.parameters = {{"simulate.kind", "\"platform\""}, {"result.shown_iterations", "200"}};
  CHECK(simulatedExtent(run) == "200 iterations");
  run.parameters = {{"simulate.workload", "\"inference\""}};
  CHECK(simulatedExtent(run) == "one inference");
  run.run.kind = "training";
  CHECK(figure().x.title == "time");
}
