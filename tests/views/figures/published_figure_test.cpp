// A paper's figures beside ours: the numbers, and that bands are drawn where they belong.
#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <catch2/catch.hpp>

#include "tests/views/recording/compared_runs_fixture.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_view.h"
#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"

using namespace halo;

namespace {

constexpr const char* kText = R"(schema = 1
name = "a paper"
[[simulate]]
device = "spu"
[sweep]
"simulate.graph" = ["reddit", "orkut"]
"device.line_bytes" = [32, 64]
[[published]]
where = "Table 3, Reddit, ours"
metric = "simulated_joules"
value = 7.6
of = { "simulate.graph" = "reddit" }
assuming = { "device.line_bytes" = 32 }
low = 3.8
high = 11.4
differs = ["graph"]
because = "half to either side"
[[published]]
where = "Table 3, Orkut, ours"
metric = "simulated_joules"
value = 9.5
of = { "simulate.graph" = "orkut" }
assuming = { "device.line_bytes" = 32 }
low = 4.75
high = 14.25
differs = ["graph"]
because = "half to either side"
)";

RunsData paper() {
  ComparedRuns runs;
  const auto add = [&](const char* graph, const char* line, double joules) {
    const auto id = runs.add("simulation", "spu", 1,
                             {{"simulated_joules", joules}, {"simulated_devices", 32}}, "simulated")
                        .id;
    runs.data.publishedSettings[id] = {{"simulate.graph", std::string("\"") + graph + "\""},
                                       {"device.line_bytes", line}};
  };
  add("reddit", "32", 7.0);
  add("reddit", "64", 12.0);
  add("orkut", "32", 13.0);
  add("orkut", "64", 14.0);
  runs.data.experiments[1] = {1, "a paper", kText, ""};
  return runs.data;
}

const FigureSeries& named(const Figure& figure, const char* name) {
  for (const FigureSeries& series : figure.series)
    if (series.name == name) return series;
  FAIL("there is no " << name);
  return figure.series.front();
}

using Numbers = std::vector<double>;

}  // namespace

TEST_CASE("published figures stand beside ours with each set of assumptions", "[compared]") {
  const Figure figure = makeFigure("published", {paper(), {}});
  CHECK(figure.title == "a paper");
  CHECK(figure.y.categories == QStringList{"Reddit", "Orkut"});
  CHECK(figure.y.title == "Table 3");
  CHECK(figure.x.label() == "simulated joules");
  CHECK(named(figure, "published").x == Numbers{7.6, 9.5});
  CHECK(named(figure, "ours, in the band").x == Numbers{7, 13});  // of the set that counts
  CHECK(named(figure, "other assumptions, in the band").x == Numbers{14});
  CHECK(named(figure, "other assumptions, not in it").x == Numbers{12});
  CHECK(named(figure, "other assumptions, not in it").labels == std::vector<QString>{"line_bytes=64"});
  CHECK(figure.marks.contains("filled or crossed: line_bytes=32, which counts"));
  const FigureSeries& band = named(figure, "band in which ours counts as reproduced");
  CHECK(band.y == Numbers{0, 0, 1, 1});
  CHECK(band.x == Numbers{3.8, 11.4, 4.75, 14.25});
  CHECK(figure.marks.join(" ").contains("2 came out · 0 order only · 0 did not come out · 0 not comparable"));
  const QByteArray csv = toCsv(figure);
  CHECK(csv.contains("series,Table 3,simulated joules,assumptions\n"));
  CHECK(csv.contains("\"other assumptions, not in it\",Reddit,12,line_bytes=64\n"));
  CHECK(csv.contains("published,Orkut,9.5,published\n"));
}

TEST_CASE("no set of assumptions counts but the declared, whichever runs are compared", "[compared]") {
  RunsData data = paper();
  std::erase_if(data.runs, [&](const RunRow& run) {
    return data.publishedSettings.at(run.id).at("device.line_bytes") == "32";
  });
  const Figure figure = makeFigure("published", {data, {}});
  CHECK(named(figure, "other assumptions, in the band").x == Numbers{14});
  CHECK(named(figure, "other assumptions, not in it").x == Numbers{12});
  const QString marks = figure.marks.join(" ");
  CHECK(marks.contains("0 came out · 0 order only · 0 did not come out · 2 not comparable"));
  CHECK(marks.contains("2 figures whose set that counts is not among these runs"));
  CHECK_FALSE(marks.contains("which counts"));
}

TEST_CASE("shares of published values are over them, bands too", "[compared]") {
  const Figure figure = makeFigure("published", {paper(), {}}, {{"show", std::string("share")}});
  CHECK(named(figure, "published").x == Numbers{1, 1});
  CHECK(named(figure, "band in which ours counts as reproduced").x[1] == Approx(1.5));
  CHECK(named(figure, "other assumptions, not in it").x[0] == Approx(12 / 7.6));
  CHECK(figure.x.label() == "ours over the published value");
}

TEST_CASE("a recording without published figures says so", "[compared]") {
  ComparedRuns runs;
  runs.device();
  const Figure figure = makeFigure("published", {runs.data, {}});
  CHECK(figure.empty());
  CHECK(figure.emptyReason.contains("published figures"));
}

TEST_CASE("bands are drawn in their rows, points where a pointer finds them", "[compared]") {
  const Figure figure = makeFigure("published", {paper(), {}});
  for (const Theme theme : {Theme::light, Theme::dark}) {
    FigureStyle style;
    style.size = {700, 420};
    style.theme = theme;
    QImage image(700, 420, QImage::Format_RGB32);
    QPainter painter(&image);
    FigureHits hits;
    paintFigure(painter, figure, style, &hits);
    std::map<QString, std::vector<QRectF>> boxes;
    for (const FigureHit& hit : hits) boxes[figure.series[hit.series].name].push_back(hit.box);
    const auto& bands = boxes["band in which ours counts as reproduced"];
    REQUIRE(bands.size() == 2);
    CHECK(bands[0].bottom() < bands[1].top());
    for (const QRectF& point : boxes["ours, in the band"])
      CHECK((bands[0].contains(point.center()) || bands[1].contains(point.center())));
    REQUIRE(boxes["other assumptions, not in it"].size() == 1);
    const QRectF outside = boxes["other assumptions, not in it"][0];
    CHECK(outside.center().x() > bands[0].right());
    CHECK(outside.center().y() > bands[0].top());
    CHECK(outside.center().y() < bands[0].bottom());
  }
}

TEST_CASE("orders have a place beside shares, and what is not drawn is counted", "[compared]") {
  RunsData data = paper();
  data.experiments[1].text += R"([[published]]
where = "Figure 1, shorter lines take less"
metric = "simulated_joules"
counts = "order"
of = { "simulate.graph" = "reddit", "device.line_bytes" = 32 }
over = { "device.line_bytes" = 64 }
high = 1
because = "read off bars"
[[published]]
where = "Figure 1, an order of no two runs"
metric = "simulated_joules"
counts = "order"
of = { "simulate.graph" = "reddit", "device.line_bytes" = 32 }
high = 8
)";
  const Figure figure = makeFigure("published", {data, {}});
  CHECK(figure.y.categories.size() == 3);
  CHECK(figure.y.categories.back() == "Figure 1, shorter lines take less");
  CHECK(figure.x.label() == "ours over the published value, or over a tie");
  CHECK(named(figure, "ours, order only: as published").x == Numbers{7.0 / 12});
  CHECK(figure.marks.join(" ").contains("1 figures not drawn"));
}

TEST_CASE("an order is marked as such, however large the factor of ours", "[compared]") {
  RunsData data = paper();
  data.experiments[1].text += R"([[published]]
where = "Figure 1, shorter lines take less"
metric = "simulated_joules"
counts = "order"
of = { "simulate.graph" = "reddit", "device.line_bytes" = 64 }
over = { "simulate.graph" = "reddit", "device.line_bytes" = 32 }
low = 1
because = "read off bars"
)";
  data.latest[2]["simulated_joules"] = 91;  // 13 times as much
  const Figure figure = makeFigure("published", {data, {}});
  REQUIRE(figure.y.categories.size() == 3);
  CHECK(figure.y.signs == QStringList{"", "", "†"});
  CHECK(figure.marks.contains("† order only: which is ahead is published, by how much is not"));
  CHECK(named(figure, "ours, order only: as published").x == Numbers{13});
  CHECK(named(figure, "side of the published order").y == Numbers{2, 2});
  for (const char* ofMagnitudes : {"ours, in the band", "band in which ours counts as reproduced"})
    for (const double row : named(figure, ofMagnitudes).y) CHECK(row < 2);
  CHECK(toCsv(figure).contains("\"ours, order only: as published\""));
  data.latest[2]["simulated_joules"] = 7;  // a tie
  CHECK(named(makeFigure("published", {data, {}}), "ours, order only: not as published").x == Numbers{1});
}

TEST_CASE("every row of published figures has its whole name in a picture as high as it needs",
          "[compared]") {
  Figure figure;
  figure.form = FigureForm::rowPoints;
  FigureSeries points;
  points.mark = FigureMark::dot;
  for (int row = 0; row < 40; ++row) {
    figure.y.categories << QString("Figure %1, a graph").arg(row);
    points.x.push_back(row);
    points.y.push_back(row);
  }
  figure.series = {points};
  FigureStyle style;
  CHECK(neededHeight(figure, style) >= 40 * style.fontSize * 1.5);
  CHECK(roomyStyle(figure, style).size.height() >= neededHeight(figure, style));
  FigureStyle wide = style;
  wide.size = {760, 5000};
  CHECK(roomyStyle(figure, wide).size == wide.size);
  for (const bool roomy : {false, true}) {
    const FigureStyle used = roomy ? roomyStyle(figure, style) : style;
    QImage image(used.size.toSize(), QImage::Format_RGB32);
    QPainter painter(&image);
    FigureHits hits;
    paintFigure(painter, figure, used, &hits);
    REQUIRE(hits.size() == 40);
    CHECK((hits[1].box.center().y() - hits[0].box.center().y() >= style.fontSize * 1.5) == roomy);
  }
  FigureView view;  // one that is lower scrolls
  view.resize(700, 300);
  view.setFigure(figure);
  view.show();
  QApplication::processEvents();
  CHECK(view.findChild<QScrollArea*>()->verticalScrollBar()->maximum() > 300);
  figure.form = FigureForm::points;
  CHECK(neededHeight(figure, style) < style.size.height());
  view.setFigure(figure);
  QApplication::processEvents();
  CHECK(view.findChild<QScrollArea*>()->verticalScrollBar()->maximum() == 0);
}

TEST_CASE("the last name below bars stays on the page, whole where there is room", "[figure]") {
  Figure figure;
  figure.title = "engines";
  figure.form = FigureForm::stackedBars;
  figure.x.categories = {"hbm",    "index decoder",        "node buffer", "distribution tree",
                         "adders", "output buffer of sums"};
  figure.series = {{"busy", {}, {1, 2, 3, 4, 5, 6}}};
  FigureStyle style;
  for (const double width : {360.0, 520.0, 760.0}) {
    style.size = {width, 300};
    QImage wide(static_cast<int>(width) + 200, 300, QImage::Format_RGB32);
    wide.fill(Qt::white);
    QPainter painter(&wide);
    paintFigure(painter, figure, style, nullptr);
    painter.end();
    const QRgb beyond = wide.pixel(static_cast<int>(width) + 150, 10);
    bool clean = true;
    for (int x = static_cast<int>(width) + 1; x < wide.width(); ++x)
      for (int y = 0; y < wide.height(); ++y) clean &= wide.pixel(x, y) == beyond;
    CAPTURE(width);
    CHECK(clean);
  }
}

TEST_CASE("ratios whose runs differ besides have a sign, a mark in words, and their own label",
          "[compared]") {
  RunsData data = paper();
  data.experiments[1].text = R"(schema = 1
name = "a paper"
[[run]]
method = "vanilla"
[[run]]
method = "pipegcn"
[[published]]
where = "Table 1, faster"
metric = "simulated_joules"
value = 1.75
of = { method = "pipegcn" }
over = { method = "vanilla", "model.hidden" = 16 }
low = 1.4
high = 2.1
because = "a fifth to either side"
[[published]]
where = "Table 1, wider"
metric = "simulated_joules"
value = 2
of = { method = "vanilla", "model.hidden" = 64 }
over = { "model.hidden" = 16 }
low = 1.5
high = 2.5
because = "a quarter to either side"
)";
  const auto setParameters = [&](std::int64_t run, const char* method, const char* hidden,
                                 const char* epochs) {
    data.publishedSettings[run] = {
        {"run.method", method}, {"model.hidden", hidden}, {"training.epochs", epochs}};
  };
  setParameters(1, "\"vanilla\"", "16", "5");
  setParameters(2, "\"pipegcn\"", "16", "6");
  setParameters(3, "\"vanilla\"", "64", "5");
  data.runs.pop_back();
  const Figure figure = makeFigure("published", {data, {}});
  REQUIRE(figure.y.categories == QStringList{"faster", "wider"});
  CHECK(figure.y.signs == QStringList{"*", ""});
  CHECK(figure.marks.contains("* runs differ in training.epochs"));
  CHECK(named(figure, "ours, in the band").labels ==
        std::vector<QString>{"runs differ in training.epochs", ""});
  CHECK(toCsv(figure).contains("faster,"));  // as the paper names it
  FigureStyle style;
  style.size = {700, 300};
  Figure without = figure;
  without.y.signs.clear();
  const auto drawn = [&](const Figure& variant) {
    QImage image(700, 300, QImage::Format_RGB32);
    QPainter painter(&image);
    paintFigure(painter, variant, style, nullptr);
    return image;
  };
  CHECK(drawn(figure) != drawn(without));
}
