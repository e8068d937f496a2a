// Figures of several runs: what they have in common, and that they are drawn where they belong.
#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <QPainter>
#include <QTest>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/places.h"
#include "tests/views/figures/compared_figures_fixture.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_view.h"
#include "views/figure/figure_writers.h"
#include "views/session/session.h"
#include "views/widgets/compared_runs_view.h"

using namespace halo;

namespace {

struct Drawn {
  QImage image;
  FigureHits hits;
};

Drawn draw(const Figure& figure, Theme theme = Theme::light, QSize size = {760, 420}) {
  FigureStyle style;
  style.theme = theme;
  style.size = size;
  Drawn drawn{QImage(size, QImage::Format_RGB32), {}};
  QPainter painter(&drawn.image);
  paintFigure(painter, figure, style, &drawn.hits);
  return drawn;
}

/// Whether the colour occurs in the box, as it is: drawn over edges it is mixed.
bool holds(const QImage& image, const QRectF& box, QRgb color) {
  const QRect pixels = box.toAlignedRect().intersected(image.rect());
  for (int y = pixels.top(); y <= pixels.bottom(); ++y)
    for (int x = pixels.left(); x <= pixels.right(); ++x)
      if ((image.pixel(x, y) & 0xFFFFFF) == (color & 0xFFFFFF)) return true;
  return false;
}

/// Share of the box that is not the paper.
double inked(const QImage& image, const QRectF& box, Theme theme) {
  const QRect pixels = box.toAlignedRect().intersected(image.rect());
  int ink = 0;
  for (int y = pixels.top(); y <= pixels.bottom(); ++y)
    for (int x = pixels.left(); x <= pixels.right(); ++x)
      ink += (image.pixel(x, y) & 0xFFFFFF) != (palette(theme).background & 0xFFFFFF);
  return ink / static_cast<double>(pixels.width() * pixels.height());
}

}  // namespace

TEST_CASE("the manual has every figure and what it may be drawn with", "[manual]") {
  const auto read = [](const std::string& name) {
    std::ifstream in(std::string(kSourceDir) + "/resources/manual/reference/figures/" + name + ".md");
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string page = read("index");
  for (const auto& [name, entry] : registry<FigureEntry>()) {
    CAPTURE(name);
    CHECK(page.find("`" + name + "`") != std::string::npos);
    for (const Parameter& parameter : entry.declaration.parameters)
      if (const auto* choice = std::get_if<Choice>(&parameter.type)) {
        for (const std::string_view option : choice->options) CHECK(page.find(option) != std::string::npos);
      } else {
        CHECK(page.find(parameter.key) != std::string::npos);
      }
    if (entry.ofScene)
      CHECK(read("scene").find("| `" + name + "` |") != std::string::npos);
    else if (entry.several)
      CHECK(read(name).rfind("# `" + name + "`\n", 0) == 0);
  }
}

TEST_CASE("nothing to draw says why", "[compared]") {
  ComparedRuns runs;
  for (const char* name : {"roofline", "scaling", "simulated", "published", "network"}) {
    const Figure figure = figureOf(name, runs);
    CHECK(figure.empty());
    CHECK(figure.emptyReason.startsWith("No "));
    CHECK_FALSE(toSvg(figure, {}).isEmpty());
  }
  runs.train("vanilla", 1, 1).status = "running";
  CHECK(figureOf("scaling", runs).empty());
  runs.add("simulation", "spu", 5, {{"simulated_seconds", 0}, {"simulated_devices", 1}}, "simulated");
  CHECK(figureOf("roofline", runs).empty());
}

TEST_CASE("every mark is drawn in its series' colour where a pointer finds it", "[compared]") {
  const auto theme = GENERATE(Theme::light, Theme::dark);
  const auto size = GENERATE(QSize(760, 420), QSize(420, 240));
  for (const Figure& figure : {figureOf("scaling", crossing()), figureOf("roofline", rooflines()),
                               figureOf("simulated", besides(2))}) {
    CAPTURE(figure.name.toStdString());
    const Drawn drawn = draw(figure, theme, size);
    std::size_t values = 0;
    for (const FigureSeries& series : figure.series)
      if (figure.form == FigureForm::groupedBars || series.mark != FigureMark::none)
        values += series.y.size();
    CHECK(drawn.hits.size() == values);
    for (const FigureHit& hit : drawn.hits) {
      CHECK(drawn.image.rect().contains(hit.box.toAlignedRect()));
      const FigureSeries& series = figure.series[hit.series];
      if (figure.form == FigureForm::groupedBars &&
          series.outlined) {  // hatched: no line of it is its colour pure
        CHECK(inked(drawn.image, hit.box, theme) > 0.2);
        CHECK(inked(drawn.image, hit.box, theme) < 0.85);
        continue;
      }
      CHECK(holds(drawn.image, hit.box, figureColor(series, hit.series, theme).rgb()));
    }
  }
}

TEST_CASE("the title of an axis is whole where the picture has room for it", "[compared]") {
  for (const QSizeF size : {QSizeF(760, 420), QSizeF(800, 240)}) {
    FigureStyle style;
    style.size = size;
    const QString svg = QString::fromUtf8(toSvg(figureOf("scaling", crossing()), style));
    CHECK(svg.contains("epoch, median [s]"));
    CHECK(svg.contains("pipegcn = vanilla at 2.5"));
  }
}

TEST_CASE("points of one line stand in the order of their numbers on both axes", "[compared]") {
  const Figure figure = figureOf("scaling", crossing());
  const Drawn drawn = draw(figure);
  for (std::size_t i = 1; i < drawn.hits.size(); ++i) {
    const FigureHit &a = drawn.hits[i - 1], &b = drawn.hits[i];
    if (a.series != b.series) continue;
    CHECK(a.box.center().x() < b.box.center().x());
    const auto& y = figure.series[a.series].y;
    CHECK((y[b.category] < y[a.category]) == (b.box.center().y() > a.box.center().y() + 1e-6));
  }
  // logarithmic: from 1 to 2 workers as far as from 2 to 4
  const auto x = [&](std::size_t i) { return drawn.hits[i].box.center().x(); };
  CHECK(x(1) - x(0) == Approx(x(2) - x(1)));
}

TEST_CASE("a figure of several runs is of those chosen in the run table", "[compared]") {
  const ComparedRuns runs = crossing();
  Session session;
  session.setRuns(std::make_shared<const RunsData>(runs.data));
  ComparedRunsView view(session, "scaling");
  view.resize(700, 400);
  const auto settle = [&] { return QTest::qWaitFor([&] { return view.settled(); }, 20'000); };
  view.show();
  REQUIRE(settle());
  const auto* figure = view.findChild<FigureView*>();
  REQUIRE(figure != nullptr);
  CHECK(figure->figure().series.size() == 3);
  session.compareRuns({2, 4});
  REQUIRE(settle());
  CHECK(figure->figure().series.size() == 1);
  session.compareRuns({2});
  REQUIRE(settle());
  CHECK(figure->figure().series.size() == 3);
  auto* show = view.findChild<QComboBox*>();
  REQUIRE(show != nullptr);
  show->setCurrentText("efficiency");
  REQUIRE(settle());
  CHECK(figure->figure().title.startsWith("Efficiency"));
  // nothing is drawn that nobody sees
  view.hide();
  session.compareRuns({2, 4});
  CHECK(view.settled());
  CHECK(figure->figure().series.size() == 4);
}

TEST_CASE("figures that set runs side by side say in what these differ besides", "[compared]") {
  ComparedRuns runs = crossing();
  CHECK_FALSE(figureOf("scaling", runs).marks.join(" ").contains("runs differ"));
  for (const RunRow& run : runs.data.runs) runs.data.unlike[run.id] = {{"training.epochs", "5"}};
  runs.data.unlike[2]["training.epochs"] = "6";
  for (const char* name : {"scaling", "runs"}) {
    CAPTURE(name);
    CHECK(figureOf(name, runs).marks.contains("runs differ in training.epochs"));
    CHECK_FALSE(figureOf(name, runs, nullptr, {1, 3}).marks.join(" ").contains("runs differ"));
  }
  ComparedRuns pairs = besides(2);
  for (const RunRow& run : pairs.data.runs)
    pairs.data.unlike[run.id] = {{"model.hidden", std::to_string(run.id)}};
  CHECK(figureOf("simulated", pairs).marks.contains("runs differ in model.hidden"));
  ComparedRuns roofs = rooflines();
  roofs.data.runs[1].host = "nodeb";
  CHECK(figureOf("roofline", roofs).marks.contains("runs differ in host"));
}
