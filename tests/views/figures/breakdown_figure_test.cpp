// Where the time of workers and engines went: its picture, its table and the window's view of both.
#include <QApplication>
#include <QHeaderView>
#include <QImage>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTableView>
#include <catch2/catch.hpp>
#include <map>

#include "engine/record/database/database.h"
#include "tests/support/small_recording.h"
#include "tests/views/figures/figure_fixture.h"
#include "tests/views/recording/simulated_engines.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_view.h"
#include "views/widgets/breakdown_view.h"

using namespace halo;

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
  CHECK(view.accessibleDescription().contains("exchanges"));
}

TEST_CASE("marks never shorten a title", "[figure]") {
  Figure figure = breakdownOf(4);
  figure.marks = {"emulated link", "generated graph", "oversubscribed"};
  CHECK(svgOf(figure, {220, 200}).contains("Time of every worker"));
  CHECK(svgOf(figure).contains("oversubscribed"));
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

TEST_CASE("a breakdown divides waiting by its reasons, and says what has none", "[figure]") {
  RunData run;
  run.breakdown = {{0, 10'000}, {}, true};
  const Span waits{0, 6000, 0, 0, -1, -1, Name::wait, Kind::communication, Lane::main, Pass::none};
  const Span meets{6000, 1000, 0, 0, -1, -1, Name::allReduce, Kind::synchronise, Lane::main, Pass::none};
  const Span wire{0, 4000, 0, 0, -1, -1, Name::waitsWire, Kind::idle, Lane::wait, Pass::none};
  const Span sum{6000, 1000, 0, 0, -1, -1, Name::waitsBarrierOrSum, Kind::idle, Lane::wait, Pass::none};
  for (const std::vector<Span>& spans : {std::vector{waits, meets, wire, sum}, std::vector{meets, sum}})
    run.breakdown.ranks.push_back(breakdown(spans, 0, 10'000));
  const Figure figure = makeFigure("breakdown", {RunsData{}, {&run, 1}});
  std::map<QString, std::vector<double>> parts;
  for (const FigureSeries& series : figure.series) parts[series.name] = series.y;
  CHECK(parts == std::map<QString, std::vector<double>>{{"compute", {0, 0}},
                                                        {"waits: wire", {4, 0}},
                                                        {"waits: barrier or sum", {1, 1}},
                                                        {"waits: not recorded why", {2, 0}},
                                                        {"other", {0, 0}},
                                                        {"idle", {3, 9}},
                                                        {"hidden", {0, 0}}});
  BreakdownModel model;
  BreakdownView view(model);
  view.show(run, "One epoch");
  REQUIRE(model.columnCount() == BreakdownModel::ColumnCount + 2);
  CHECK(model.headerData(BreakdownModel::ColumnCount, Qt::Horizontal) == "wait: wire");
  CHECK(model.index(0, BreakdownModel::ColumnCount).data(Qt::EditRole).toLongLong() == 4000);
  CHECK(model.index(0, BreakdownModel::Exchanges).data(Qt::EditRole).toLongLong() == 6000);
}

TEST_CASE("names too wide for their bars stand in two lines where that is enough, else upright", "[figure]") {
  Figure figure;
  figure.form = FigureForm::stackedBars;
  figure.x = {"engine", "", false, {"hbm", "edge scheduler", "aggregation buffer"}};
  figure.series = {{"compute", {}, {1, 2, 3}, Kind::compute, false}};
  CHECK(svgOf(figure, {600, 300}).contains(">aggregation buffer</text>"));
  const QString narrow = svgOf(figure, {330, 300});
  CHECK(narrow.contains(">aggregation</text>"));
  CHECK(narrow.contains(">buffer</text>"));
  figure.x.categories[1] = "edgescheduler/of/one/word";
  CHECK(svgOf(figure, {330, 300}).contains(">aggregation buffer</text>"));
}

TEST_CASE("workers with roles have their numbers in the breakdown, and causes have words", "[figure]") {
  RunData run;
  run.breakdown.range = {0, 100};
  run.breakdown.measured = true;
  run.breakdown.ranks.resize(2);
  run.workers.resize(2);
  run.workers[1].rank = 1;
  run.workers[1].role = "updater";
  CHECK(makeFigure("breakdown", {RunsData{}, {&run, 1}}).x.categories == QStringList{"0", "1 updater"});
  CHECK(causeText(Name::wait) == "another engine");
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

TEST_CASE("in a low panel bars keep their place, and the view scrolls before words stand on each other",
          "[figure]") {
  const Figure figure = breakdownOf(4);
  FigureStyle style;
  style.footer = false;
  for (const double width : {300.0, 420.0, 800.0}) {
    CAPTURE(width);
    style.size = {width, 60};
    const double needed = neededHeight(figure, style);
    CHECK(needed > 100);
    CHECK(needed < 200);
    style.size.setHeight(std::ceil(needed));
    CHECK(neededHeight(figure, style) <= needed + 1);  // no higher sheet is asked for again
    QImage image(static_cast<int>(width), static_cast<int>(style.size.height()), QImage::Format_RGB32);
    QPainter painter(&image);
    FigureHits hits;
    paintFigure(painter, figure, style, &hits);
    for (const FigureHit& hit : hits) {
      CHECK(hit.box.height() >= 0);
      CHECK(hit.box.bottom() < style.size.height());
    }
  }
  FigureView view;
  view.setFigure(figure);
  view.resize(420, 80);
  view.show();
  QApplication::processEvents();
  bool scrolls = false;
  for (const auto* bar : view.findChildren<QScrollBar*>())
    scrolls = scrolls || (bar->orientation() == Qt::Vertical && bar->isVisible());
  CHECK(scrolls);
}

TEST_CASE("numbers of an axis are left out where they would stand on each other", "[figure]") {
  Figure figure;
  figure.form = FigureForm::stackedBars;
  figure.x.categories = {"left", "right"};
  figure.series = {{"bar", {}, {3'000, 5'000}}};
  const auto numbers = [&](double height) {
    static const QRegularExpression kNumber(">\\s*[0-9]+\\s*</text>");
    return svgOf(figure, {420, height}).count(kNumber);
  };
  CHECK(numbers(420) >= 5);
  CHECK(numbers(90) >= 1);
  CHECK(numbers(90) <= 2);
}
