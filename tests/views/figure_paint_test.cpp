#include "views/figure_paint.h"
#include "tests/views/simulated_engines.h"

#include <QApplication>
#include <QHeaderView>
#include <QImage>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTableView>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>

#include "engine/record/database.h"
#include "tests/support/small_recording.h"
#include "views/breakdown_view.h"
#include "views/figure_registry.h"
#include "views/figure_view.h"
#include "views/figure_writers.h"

using namespace halo;

namespace {

QString svgOf(const Figure& figure, QSizeF size = {760, 420}) {
  FigureStyle style;
  style.size = size;
  return QString::fromUtf8(toSvg(figure, style));
}

Figure breakdownOf(int workers) {
  RunData run;
  run.run.workers = workers;
  run.breakdown.range = {0, 9'000'000'000};
  run.breakdown.measured = true;
  for (int rank = 0; rank < workers; ++rank) {
    Breakdown part;
    part.computeNs = 5'000'000'000 - rank * 1'000'000;
    part.exposedNs = 3'000'000'000;
    part.synchroniseNs = 400'000'000;
    part.idleNs = run.breakdown.range.lengthNs() - part.totalNs();
    part.hiddenNs = 4'000'000'000;
    run.breakdown.ranks.push_back(part);
  }
  return makeFigure("breakdown", {RunsData{}, {&run, 1}});
}

/// Runs as a comparison leaves them: long names, two dozen metrics.
RunsData manyMetrics(int count) {
  RunsData data;
  data.experiments[1] = {1, "one", "", ""};
  for (int i = 1; i <= count; ++i) {
    RunRow run;
    run.id = i;
    run.experimentId = 1;
    run.name = "one / vanilla / overlap=local-first / workers=" + std::to_string(i);
    run.status = "completed";
    run.method = "vanilla";
    run.dataset = "reddit-like";
    data.runs.push_back(run);
    for (const char* metric : {"balance",
                               "best_epoch",
                               "bytes_per_epoch",
                               "compute_share",
                               "epoch_seconds",
                               "epochs_per_second",
                               "exposed_share",
                               "feature_bytes",
                               "flop_per_epoch",
                               "idle_share",
                               "loss",
                               "messages_per_epoch",
                               "peak_rss_bytes",
                               "predicted_bytes_per_epoch",
                               "quantise_share",
                               "recorder_share",
                               "synchronise_share",
                               "test",
                               "test_at_best_valid",
                               "total_seconds",
                               "train",
                               "valid"})
      data.latest[i][metric] = 0.0123456 * i;
    data.latest[i]["dropped_spans"] = 0;
  }
  return data;
}

}  // namespace

TEST_CASE("the picture of a table of many columns cuts no head and leaves out what all share", "[figure]") {
  for (const int count : {1, 3, 6}) {
    const Figure figure = makeFigure("runs", {manyMetrics(count), {}});
    const QString svg = svgOf(figure);
    CAPTURE(count);
    const FigureTable& table = figure.table;
    CHECK(table.shown.size() < static_cast<std::size_t>(table.columns.size()));
    for (std::size_t i = 0; i < 8; ++i)
      for (const QString& word : table.columns[table.shown[i]].split(' ')) CHECK(svg.contains(word));
    const bool told = svg.contains("the same in all") && svg.contains("reddit-like");
    CHECK((told || count == 1));
    // the only dots are those that count what the CSV form has besides
    CHECK(svg.count(QStringLiteral("…")) == svg.count(QStringLiteral("… and ")));
    CHECK(svg.contains("epoch"));
    CHECK(toCsv(figure).contains("dropped spans"));
  }
}

TEST_CASE("the table of runs is of those chosen, and its foot names them", "[figure]") {
  const RunsData data = manyMetrics(6);
  const Figure figure = makeFigure("runs", {data, {}, {2, 5}});
  REQUIRE(figure.table.rows.size() == 2);
  CHECK(figure.table.rows[0][0] == "2");
  CHECK(figure.table.rows[1][0] == "5");
  CHECK(svgOf(figure).contains("runs 2, 5"));
  CHECK(makeFigure("runs", {data, {}}).table.rows.size() == 6);
}

TEST_CASE("a table too long for its picture says how much is left out", "[figure]") {
  const QString svg = svgOf(makeFigure("runs", {manyMetrics(200), {}}));
  CHECK(svg.contains("more rows"));
  CHECK(svg.contains("the CSV form has all"));
}

TEST_CASE("columns move closer before one of them goes to another block", "[figure]") {
  Figure figure;
  figure.name = "volume";
  figure.form = FigureForm::table;
  figure.table.columns = {"layer", "pass", "bytes", "predicted bytes", "residual"};
  for (const char* layer : {"outside", "0", "1"})
    figure.table.rows.push_back({layer, "backward", "8050176", "8050176", "0"});
  // by width: where the heads stand in one row, each is there once
  int fits = 0;
  for (int width = 240; width <= 400; width += 10) {
    const QString svg = svgOf(figure, {double(width), 300});
    CAPTURE(width);
    CHECK(svg.contains("residual"));
    fits += svg.count(">layer</text>") == 1;
  }
  CHECK(fits >= 7);
}

TEST_CASE("what is hidden stands beside the stack it is no part of", "[figure]") {
  for (const int workers : {1, 4, 64, 300}) {
    const Figure figure = breakdownOf(workers);
    QImage image(760, 420, QImage::Format_RGB32);
    QPainter painter(&image);
    FigureHits hits;
    paintFigure(painter, figure, {}, &hits);
    CAPTURE(workers);
    REQUIRE(hits.size() >= static_cast<std::size_t>(4 * workers));
    const auto count = static_cast<std::size_t>(workers);
    std::vector<double> stackRight(count), hiddenLeft(count, 1e9);
    for (const FigureHit& hit : hits) {
      if (figure.series[hit.series].overlay)
        hiddenLeft[hit.category] = hit.box.left();
      else
        stackRight[hit.category] = std::max(stackRight[hit.category], hit.box.right());
    }
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(stackRight[i] <= hiddenLeft[i]);
      if (i > 0) CHECK(hiddenLeft[i - 1] < stackRight[i]);
    }
  }
}

TEST_CASE("no line of a figure written as SVG leaves its page or its box", "[figure]") {
  // the writer does not clip, so what is drawn outside is seen outside
  Figure figure;
  figure.form = FigureForm::stackedBars;
  figure.x = {"worker", "", false, {"0"}};
  figure.series = {{"hidden", {}, {10}, Kind::communication, true}};
  QImage image(400, 300, QImage::Format_RGB32);
  FigureHits hits;
  FigureStyle style;
  style.size = {400, 300};
  {
    QPainter painter(&image);
    paintFigure(painter, figure, style, &hits);
  }
  REQUIRE(hits.size() == 1);
  const QRectF box = hits[0].box.adjusted(-1.5, -1.5, 1.5, 1.5);
  const QColor colour = palette(style.theme).color(Kind::communication);
  static const QRegularExpression group(
      QString("<g [^>]*stroke=\"%1\".*?</g>").arg(colour.name()),
      QRegularExpression::DotMatchesEverythingOption | QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression points("points=\"([^\"]*)\"");
  int lines = 0;
  const QString svg = svgOf(figure, style.size);
  for (auto each = group.globalMatch(svg); each.hasNext();) {
    const QString text = each.next().captured(0);
    for (auto line = points.globalMatch(text); line.hasNext();)
      for (const QString& pair : line.next().captured(1).simplified().split(' ', Qt::SkipEmptyParts)) {
        CHECK(box.contains(QPointF(pair.section(',', 0, 0).toDouble(), pair.section(',', 1).toDouble())));
        ++lines;
      }
  }
  CHECK(lines > 20);
}

TEST_CASE("workers are named along the axis in round steps, whole", "[figure]") {
  const QString svg = svgOf(breakdownOf(64), {420, 240});
  CHECK_FALSE(svg.contains(QStringLiteral("…")));
  int named = 0;
  for (int worker = 0; worker < 64; ++worker) named += svg.contains(QString(">%1</text>").arg(worker));
  CHECK(named >= 8);
  CHECK(named < 64);
}

TEST_CASE("a breakdown in the window is the picture of the file", "[figure]") {
  FigureView view;
  view.setFigure(breakdownOf(64));
  view.resize(640, 260);
  view.show();
  QApplication::processEvents();
  FigureStyle style;
  style.theme = themeOf(view.palette());
  style.size = view.size();
  style.font = view.font().family();
  style.fontSize = QFontInfo(view.font()).pixelSize();
  style.footer = false;
  QImage drawn(view.size(), QImage::Format_RGB32);
  QPainter painter(&drawn);
  paintFigure(painter, view.figure(), style);
  painter.end();
  CHECK(view.grab().toImage().convertToFormat(QImage::Format_RGB32) == drawn);
  CHECK(view.accessibleName() == view.figure().title);
  CHECK(view.accessibleDescription().contains("exposed"));
}

TEST_CASE("marks never shorten a title", "[figure]") {
  Figure figure = breakdownOf(4);
  figure.marks = {"emulated link", "generated graph", "oversubscribed"};
  CHECK(svgOf(figure, {220, 200}).contains("Time of every worker"));
  CHECK(svgOf(figure).contains("oversubscribed"));
}

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

TEST_CASE("a breakdown divides what a simulated engine waited for by its causes", "[figure]") {
  RunData run = simulatedEngines();
  run.breakdown = {{0, 10'000}, {}, true};
  const Span rows{0, 6000, 0, 0, -1, -1, Name::awaitRows, Kind::idle, Lane::main, Pass::none};
  const Span adds{6000, 3000, 0, 0, -1, -1, Name::reduce, Kind::compute, Lane::main, Pass::none};
  const Span busy{0, 10'000, 0, 0, -1, -1, Name::stream, Kind::communication, Lane::main, Pass::none};
  for (const std::vector<Span>& spans : {std::vector{busy}, std::vector{rows, adds}})
    run.breakdown.ranks.push_back(breakdown(spans, 0, 10'000));
  const Figure figure = makeFigure("breakdown", {RunsData{}, {&run, 1}});
  std::map<QString, std::vector<double>> parts;
  for (const FigureSeries& series : figure.series) parts[series.name] = series.y;
  CHECK(parts ==
        std::map<QString, std::vector<double>>{
            {"compute", {0, 3}}, {"moves data", {10, 0}}, {"waits: rows", {0, 6}}, {"idle", {0, 1}}});
  CHECK(figure.title == "Time of every engine");
  CHECK(toCsv(figure).contains("waits: rows"));

  BreakdownModel model;
  BreakdownView view(model);
  view.show(run, "One epoch");
  REQUIRE(model.columnCount() == BreakdownModel::ColumnCount + 1);
  CHECK(model.headerData(BreakdownModel::ColumnCount, Qt::Horizontal).toString().endsWith("rows"));
  CHECK(model.index(1, BreakdownModel::ColumnCount).data(Qt::EditRole).toLongLong() == 6000);
  CHECK(model.index(1, BreakdownModel::Idle).data(Qt::EditRole).toLongLong() == 7000);
  CHECK(model.index(2, BreakdownModel::ColumnCount).data(Qt::EditRole).toLongLong() == 6000);
}

TEST_CASE("a curve that is not there says why by what the run is", "[figure]") {
  RunData run;
  const auto why = [&](const char* figure) {
    return makeFigure(figure, {RunsData{}, {&run, 1}}).emptyReason.toStdString();
  };
  run.run.status = "running";
  CHECK(why("convergence-loss") == "No epoch has finished yet.");
  run.run.status = "cancelled";
  CHECK(why("convergence-loss") == "This run is cancelled, and no epoch of it had finished.");
  CHECK(why("convergence-score") == "This run is cancelled, and recorded no score.");
  run.run.kind = "simulation";
  run.run.status = "completed";
  for (const char* figure : {"convergence-loss", "convergence-score"})
    CHECK(why(figure).find("trains nothing") != std::string::npos);
}

TEST_CASE("engines of a simulated device have their names in the breakdown", "[figure]") {
  RunData run = simulatedEngines();
  run.breakdown.range = {0, 100};
  run.breakdown.measured = true;
  run.breakdown.ranks.resize(2);
  CHECK(makeFigure("breakdown", {RunsData{}, {&run, 1}}).x.categories == QStringList{"hbm", "adders"});
  BreakdownModel model;
  BreakdownView view(model);
  view.show(run, "the whole run");
  CHECK(model.index(0, BreakdownModel::Worker).data() == "hbm");
  CHECK(model.index(1, BreakdownModel::Worker).data() == "adders");
  CHECK(model.index(2, BreakdownModel::Worker).data() == "all");
}

TEST_CASE("every column of the breakdown is in sight in a small window", "[figure]") {
  const SmallRecording recording(4, 5);
  Database database(recording.file(), Access::readOnly);
  RunData run = readRun(database, 1);
  run.breakdown = readBreakdown(database, 1, 4, {});
  const bool wide = GENERATE(false, true);
  if (wide)  // every part takes time, and enough workers for a scroll bar
    for (int rank = 4; rank < 64; ++rank) {
      Breakdown part{97'000'000, 24'400'000, 22'900'000, 24'500'000, 27'800'000, 22'500'000, 81'900'000};
      run.breakdown.ranks.push_back(part);
    }
  BreakdownModel model;
  BreakdownView view(model);
  view.resize(715, 260);
  view.setVisible(true);
  view.show(run, "the whole run");
  QApplication::processEvents();
  auto* table = view.findChild<QTableView*>();
  REQUIRE(table != nullptr);
  CHECK(table->horizontalScrollBar()->maximum() == 0);
  for (int column = 0; column < BreakdownModel::ColumnCount; ++column) {
    if (table->isColumnHidden(column)) continue;
    const QString head = model.headerData(column, Qt::Horizontal).toString();
    CHECK(table->columnWidth(column) >= table->fontMetrics().horizontalAdvance(head));
    CHECK(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().size() > 10);
  }
  CHECK(view.findChild<FigureView*>()->width() >= 220);
}
