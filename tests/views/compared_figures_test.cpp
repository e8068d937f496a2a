// Figures of several runs: their numbers, and that they are drawn where they belong.
#include <QApplication>
#include <QComboBox>
#include <QImage>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/places.h"
#include "tests/views/compared_runs_fixture.h"
#include "views/compared_runs_view.h"
#include "views/figure_paint.h"
#include "views/figure_registry.h"
#include "views/figure_view.h"
#include "views/figure_writers.h"
#include "views/session.h"

using namespace halo;

namespace {

Figure figureOf(const char* name, const ComparedRuns& runs, const char* show = nullptr,
                std::vector<std::int64_t> chosen = {}) {
  Values values;
  if (show != nullptr) values["show"] = std::string(show);
  return makeFigure(name, {runs.data, {}, std::move(chosen)}, values);
}

const FigureSeries& seriesNamed(const Figure& figure, const QString& begin) {
  const auto found = std::ranges::find_if(
      figure.series, [&](const FigureSeries& series) { return series.name.startsWith(begin); });
  REQUIRE(found != figure.series.end());
  return *found;
}

/// Two methods over three numbers of workers, which cross between 2 and 4; one of them simulated too.
ComparedRuns crossing() {
  ComparedRuns runs;
  for (const auto& [workers, vanilla, pipegcn] : {std::tuple(1, 1.0, 2.0), {2, 0.8, 1.0}, {4, 0.8, 0.5}}) {
    runs.train("vanilla", workers, vanilla);
    runs.train("pipegcn", workers, pipegcn);
  }
  for (const int workers : {4, 64, 1024})
    runs.add("simulation", "vanilla", workers, {{"epoch_seconds", 3.0 / workers}}, "simulated");
  return runs;
}

/// A node with 1 to 16 cards, three times: features read, written and read again in host memory.
ComparedRuns platforms() {
  ComparedRuns runs;
  for (const int factor : {1, 2, 3})
    for (const int cards : {1, 4, 16}) {
      const double seeds = 100.0 * cards / factor;
      const std::int64_t id =
          runs.add("simulation", "platform", 7,
                   {{"seeds_per_second", seeds}, {"epoch_seconds", 1000 / seeds}, {"simulated_devices", 0}},
                   "simulated")
              .id;
      runs.data.parameters[id] = {{"simulate.kind", "\"platform\""},
                                  {"simulate.platform", "\"hyscale-u250\""},
                                  {"simulate.host_traffic_factor", std::to_string(factor)},
                                  {"platform.cards", std::to_string(cards)},
                                  {"result.batch", std::to_string(cards)},
                                  {"result.saturating_trainers", "12.0"}};
    }
  return runs;
}

ComparedRuns rooflines() {
  ComparedRuns runs;
  runs.device();
  runs.add("training", "vanilla", 4,
           {{"epoch_seconds", 1},
            {"aggregation_seconds_per_epoch", 0.5},
            {"aggregation_flop_per_epoch", 2e9},
            {"aggregation_least_bytes_per_epoch", 1e9},
            {"aggregation_most_bytes_per_epoch", 4e9}});
  return runs;
}

ComparedRuns besides(int pairs) {
  ComparedRuns runs;
  for (int i = 1; i <= pairs; ++i) {
    runs.add("training", "vanilla", i,
             {{"epoch_seconds", 2}, {"compute_share", 0.5}, {"exposed_share", 0.25}, {"quantise_share", 0}});
    runs.add("simulation", "vanilla", i,
             {{"epoch_seconds", 3}, {"compute_share", 0.5}, {"quantise_share", 0}}, "simulated");
  }
  return runs;
}

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

TEST_CASE("the manual has every figure and what it may be drawn with", "[manual]") {
  std::ifstream in(std::string(kSourceDir) + "/resources/manual/figures.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const auto& [name, entry] : registry<FigureEntry>()) {
    CAPTURE(name);
    CHECK(page.find("`" + name + "`") != std::string::npos);
    for (const Parameter& parameter : entry.declaration.parameters)
      for (const std::string_view option : std::get<Choice>(parameter.type).options)
        CHECK(page.find(option) != std::string::npos);
    if (entry.several) CHECK(page.find("\n## `" + name + "`\n") != std::string::npos);
  }
}

TEST_CASE("nothing to draw says why", "[compared]") {
  ComparedRuns runs;
  for (const char* name : {"roofline", "scaling", "simulated", "published"}) {
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

TEST_CASE("scaling tells measured from simulated and names where methods cross", "[compared]") {
  const Figure figure = figureOf("scaling", crossing());
  REQUIRE(figure.series.size() == 3);
  const FigureSeries& vanilla = seriesNamed(figure, "vanilla");
  const FigureSeries& simulated = seriesNamed(figure, "vanilla, simulated");
  CHECK(vanilla.color == simulated.color);
  CHECK(vanilla.mark == simulated.mark);
  CHECK(vanilla.dash != simulated.dash);
  CHECK_FALSE(vanilla.outlined);
  CHECK(simulated.outlined);
  CHECK(seriesNamed(figure, "pipegcn").mark != vanilla.mark);
  CHECK(figure.x.places == std::vector<double>{1, 2, 4, 64, 1024});
  REQUIRE(figure.notes.size() == 1);
  CHECK(figure.notes[0].text.startsWith("pipegcn = vanilla at 2."));
  // straight on logarithmic axes: from 1 to 0.5 against 0.8
  CHECK(figure.notes[0].x == Approx(2 * std::pow(2, std::log(1 / 0.8) / std::log(2))));
  CHECK(*figure.notes[0].y == Approx(0.8));
  CHECK(toCsv(figure).contains("pipegcn = vanilla at 2.5,2"));
  CHECK(describe(figure).contains("pipegcn = vanilla"));
  CHECK(figure.marks.contains("simulated"));
  CHECK_FALSE(figure.marks.contains("no cross-over"));
}

TEST_CASE("scaling says so where no methods cross", "[compared]") {
  ComparedRuns runs;
  for (const char* method : {"vanilla", "pipegcn"})
    for (const int workers : {1, 2})
      runs.add("training", method, workers, {{"epoch_seconds", (method[0] == 'v' ? 2.0 : 1.0) / workers}});
  CHECK(figureOf("scaling", runs).marks.contains("no cross-over"));
  CHECK_FALSE(figureOf("scaling", runs, "speedup").marks.contains("no cross-over"));
  CHECK_FALSE(figureOf("scaling", runs, nullptr, {1, 2}).marks.contains("no cross-over"));  // one method
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

TEST_CASE("every ring has its words, in a corner where there is no room beside it", "[compared]") {
  Figure figure = figureOf("scaling", crossing());
  const FigureNote ring = figure.notes.front();
  figure.notes.clear();
  for (int i = 0; i < 12; ++i) {
    figure.notes.push_back(ring);
    figure.notes.back().x *= 1 + 0.01 * i;
    figure.notes.back().text = QString("one method = another at a place %1 of so many").arg(i);
  }
  const QString svg = QString::fromUtf8(toSvg(figure, {}));
  for (const FigureNote& note : figure.notes) {
    CAPTURE(note.text.toStdString());
    CHECK(svg.contains(note.text));
  }
  CHECK(svg.contains("a: one method"));
}

TEST_CASE("speed-up and efficiency are over one worker's time of the same origin", "[compared]") {
  const ComparedRuns runs = crossing();
  const Figure speedup = figureOf("scaling", runs, "speedup");
  // the fastest on one worker: vanilla, 1 s
  CHECK(seriesNamed(speedup, "pipegcn").y == std::vector<double>{0.5, 1, 2});
  // no simulation of one worker: 4 workers, of 0.75 s, count as 4
  CHECK(seriesNamed(speedup, "vanilla, simulated").y[0] == Approx(4));
  CHECK(seriesNamed(speedup, "vanilla, simulated").y[2] == Approx(1024));
  CHECK(seriesNamed(speedup, "ideal").y == std::vector<double>{1, 1024});
  CHECK(speedup.notes.empty());
  const Figure efficiency = figureOf("scaling", runs, "efficiency");
  CHECK(seriesNamed(efficiency, "pipegcn").y == std::vector<double>{0.5, 0.5, 0.5});
  CHECK_FALSE(efficiency.y.logarithmic);
}

TEST_CASE("simulated stands beside measured with their ratio, part by part", "[compared]") {
  const Figure figure = figureOf("simulated", besides(1));
  CHECK(figure.x.categories == QStringList{"epoch\nvanilla ×1", "compute\nvanilla ×1"});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[0].y == std::vector<double>{2, 1});
  CHECK(figure.series[1].y == std::vector<double>{3, 1.5});
  CHECK(figure.series[1].labels == std::vector<QString>{"1.50", "1.50"});
  CHECK(figure.series[1].outlined);
  CHECK(toCsv(figure).startsWith(",measured [s],"));
  CHECK(toCsv(figure).contains("epoch vanilla ×1,2,3,1.50\n"));
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
    std::set<std::pair<int, QRgb>> seen;
    std::size_t points = 0;
    for (std::size_t s = 0; s < figure.series.size(); ++s)
      if (figure.series[s].mark != FigureMark::none) {
        ++points;
        seen.emplace(static_cast<int>(figure.series[s].mark), figureColor(figure.series[s], s, theme).rgb());
      }
    CHECK(points == 16);
    CHECK(seen.size() == 16);
  }
}

TEST_CASE("a hybrid node has a curve over its cards for each counting of host traffic", "[compared]") {
  const ComparedRuns runs = platforms();
  const Figure figure = figureOf("cards", runs);
  CHECK(figure.x.title == "accelerator cards of the node");
  CHECK(figure.y.title == "seeds trained a second");
  CHECK_FALSE(figure.x.logarithmic);
  CHECK_FALSE(figure.y.logarithmic);  // rings lie on straight lines
  CHECK(figure.x.places == std::vector<double>{1, 4, 16});
  REQUIRE(figure.series.size() == 3);
  CHECK(figure.series[0].name == "host_traffic_factor=1");
  CHECK(figure.series[2].name == "host_traffic_factor=3");
  CHECK(figure.series[0].y == std::vector<double>{100, 400, 1600});
  REQUIRE(figure.notes.size() == 3);  // where host memory is full; no curve is a rival of another
  CHECK(figure.notes[0].x == Approx(11));
  CHECK(figure.notes[0].text == "memory full at 11.0");
  CHECK(figureOf("cards", runs, "speedup").series[0].y == std::vector<double>{1, 4, 16});
  CHECK(figureOf("cards", runs, "epoch").y.label() == "epoch [s]");
  CHECK_FALSE(figureOf("cards", crossing()).emptyReason.isEmpty());
  CHECK(figureOf("scaling", runs).empty());  // no workers here
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
  session.setRuns(runs.data);
  ComparedRunsView view(session, "scaling");
  view.resize(700, 400);
  view.show();
  QApplication::processEvents();
  const auto* figure = view.findChild<FigureView*>();
  REQUIRE(figure != nullptr);
  CHECK(figure->figure().series.size() == 3);
  session.compareRuns({2, 4});
  CHECK(figure->figure().series.size() == 1);
  session.compareRuns({2});
  CHECK(figure->figure().series.size() == 3);
  auto* show = view.findChild<QComboBox*>();
  REQUIRE(show != nullptr);
  show->setCurrentText("efficiency");
  CHECK(figure->figure().title.startsWith("Efficiency"));
  // nothing is drawn that nobody sees
  view.hide();
  session.compareRuns({2, 4});
  CHECK(figure->figure().series.size() == 4);
}
