#include "views/figure/figure_paint.h"

#include <QImage>
#include <QRegularExpression>
#include <catch2/catch.hpp>
#include <set>

#include "tests/views/figures/figure_fixture.h"

using namespace halo;

namespace {

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
    const bool hasNote = svg.contains("the same in all") && svg.contains("reddit-like");
    CHECK((hasNote || count == 1));
    // the only dots are those that count what the CSV form has besides
    CHECK(svg.count(QStringLiteral("…")) == svg.count(QStringLiteral("… and ")));
    CHECK(svg.contains("epoch"));
    CHECK(toCsv(figure).contains("dropped_spans"));
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

TEST_CASE("names that differ in their middle still differ in the picture of the runs", "[figure]") {
  RunsData data = manyMetrics(4);
  const char* const names[] = {"33500.0 / link=none", "3350.0 / link=none", "33500.0 / link=pcie4-x16",
                               "3350.0 / link=pcie4-x16"};
  for (std::size_t i = 0; i < 4; ++i)
    data.runs[i].name =
        std::string("one / pipeline / dense_gmacs=") + names[i] + " / band=0.81 / graph=reddit";
  const QString svg = svgOf(makeFigure("runs", {data, {}}));
  static const QRegularExpression cell(">(pipeline[^<]*)<");
  std::set<QString> labels;
  for (auto each = cell.globalMatch(svg); each.hasNext();) labels.insert(each.next().captured(1));
  CHECK(labels.size() == 4);
  // a name has what is free beside it, so that a wide picture cuts none
  CHECK(svgOf(makeFigure("runs", {data, {}}), {1200, 600}).contains(data.runs[2].name.substr(6).c_str()));
  // what is the same in all stands below, the state too
  CHECK(svg.contains("state completed"));
}

TEST_CASE("a table too long for its picture says how much is left out", "[figure]") {
  const QString svg = svgOf(makeFigure("runs", {manyMetrics(200), {}}));
  CHECK(svg.contains("more rows"));
  CHECK(svg.contains("the CSV form has all"));
}

TEST_CASE("runs that have no room in the picture take none from its columns", "[figure]") {
  RunsData data = manyMetrics(200);
  data.runs[150].name = "one / " + std::string(90, 'x');
  for (RunRow& run : data.runs) run.marks = run.id % 2 ? "generated graph, emulated link" : "generated graph";
  const Figure figure = makeFigure("runs", {data, {}});
  const QString svg = svgOf(figure);
  for (const char* metric : {"epoch", "exposed", "compute", "synchronise"})
    CHECK(svg.contains(QString(">%1</text>").arg(metric)));
  CHECK(svg.contains("overlap=local-first / workers=2<"));
  // marks stand beside the title, so that they follow what runs are compared by
  const auto place = [&](const char* column) {
    return std::ranges::find(figure.table.shown, figure.table.columns.indexOf(column));
  };
  CHECK(place("epoch") < place("Marks"));
  CHECK(place("Marks") < place("balance"));
}

TEST_CASE("a column that fits stands beside those that are shown where a wider one does not", "[figure]") {
  Figure figure;
  figure.form = FigureForm::table;
  figure.table.columns = {"run", "state", QString(60, 'w'), "epoch"};
  for (int row = 0; row < 50; ++row)
    figure.table.rows.push_back({QString::number(row), "completed", "", "7"});
  const QString svg = svgOf(figure, {300, 300});
  CHECK(svg.contains(">epoch</text>"));
  CHECK(svg.contains("1 more column;"));
}

TEST_CASE("an axis without room for its title keeps the unit", "[figure]") {
  Figure figure;
  figure.form = FigureForm::stackedBars;
  figure.x = {"worker", "", false, {"0"}};
  figure.y = {"time of one epoch, the first of many", "ms"};
  figure.series = {{"compute", {}, {10}, Kind::compute, false}};
  const QString svg = svgOf(figure, {300, 160});
  CHECK(svg.contains("time of"));
  CHECK_FALSE(svg.contains("the first of many"));
  CHECK(svg.contains("… [ms]"));
}

TEST_CASE("words of a ring stand on no line, and rings on each other that say the same have them once",
          "[figure]") {
  Figure figure;
  figure.form = FigureForm::points;
  figure.x = {"cards", ""}, figure.y = {"times", ""};
  for (int line = 0; line < 30; ++line)  // closer to each other than words are high
    figure.series.push_back({QString::number(line), {0, 10}, {line * 0.4, line * 0.4}});
  for (const double y : {5.5, 5.6}) figure.notes.push_back({5, "memory full at 5", y, true});
  const QString svg = svgOf(figure);
  CHECK(svg.count("memory full at 5") == 1);
  CHECK(svg.contains("a: memory full at 5"));
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

TEST_CASE("on the screen a table is as high as all of its rows, so that it scrolls", "[figure]") {
  Figure figure;
  figure.form = FigureForm::table;
  figure.table.columns = {"row", "value"};
  for (int i = 0; i < 60; ++i) figure.table.rows.push_back({QString::number(i), "7"});
  FigureStyle style;
  CHECK(neededHeight(figure, style) == 0);  // in a file it is cut, and says so
  style.scrolls = true;
  CHECK(neededHeight(figure, style) >= 60 * style.fontSize * 1.5);
}
