// Epochs over workers: measured, simulated, and where methods cross.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/views/figures/compared_figures_fixture.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_style.h"
#include "views/figure/figure_writers.h"

using namespace halo;

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
  const FigureSeries& ideal = seriesNamed(speedup, "ideal");
  CHECK(ideal.y == std::vector<double>{1, 1024});
  for (const Theme theme : {Theme::light, Theme::dark})
    CHECK(contrast(figureColor(ideal, 0, theme).rgb(), palette(theme).background) >= 3);
  CHECK(speedup.marks.contains("measured: over one worker of vanilla"));
  CHECK(speedup.y.title == "speed-up");
  CHECK(speedup.marks.contains("simulated: 4 workers count as 4 times faster than one"));
  CHECK(speedup.notes.empty());
  const Figure efficiency = figureOf("scaling", runs, "efficiency");
  CHECK(seriesNamed(efficiency, "pipegcn").y == std::vector<double>{0.5, 0.5, 0.5});
  CHECK_FALSE(efficiency.y.logarithmic);
}

TEST_CASE("simulations show the speed-up that they recorded", "[compared]") {
  ComparedRuns runs;
  for (const int workers : {8, 16})
    for (const char* method : {"vanilla", "pipegcn"}) {
      const double speedup = workers * (method[0] == 'v' ? 0.5 : 0.9);
      runs.add("simulation", method, workers,
               {{"epoch_seconds", 10 / speedup}, {"simulated_speedup", speedup}}, "simulated");
    }
  const Figure figure = figureOf("scaling", runs, "efficiency");
  CHECK(seriesNamed(figure, "vanilla, simulated").y[0] == Approx(0.5));
  CHECK(seriesNamed(figure, "pipegcn, simulated").y[1] == Approx(0.9));
  CHECK(figure.marks.contains("simulated: over one worker of each method"));
  for (const QString& mark : figure.marks) CHECK_FALSE(mark.contains("count as"));
}

TEST_CASE("without a run of one worker all methods are measured by the same", "[compared]") {
  ComparedRuns runs;
  for (const int workers : {2, 4}) {
    runs.train("vanilla", workers, 8.0 / workers);
    runs.train("pipegcn", workers, 4.0 / workers);
  }
  const Figure figure = figureOf("scaling", runs, "speedup");
  CHECK(seriesNamed(figure, "pipegcn").y == std::vector<double>{2, 4});
  CHECK(seriesNamed(figure, "vanilla").y == std::vector<double>{1, 2});
  CHECK(figure.marks.contains("measured: 2 workers count as 2 times faster than one"));
}

TEST_CASE("replays over one link have one baseline, and notes say of which lines they are", "[compared]") {
  ComparedRuns runs = replays();
  const Figure speedup = figureOf("scaling", runs, "speedup");
  CHECK(seriesNamed(speedup, "vanilla, replayed on 10gbe").y == std::vector<double>{2, 3.125});
  CHECK(seriesNamed(figureOf("scaling", runs, "efficiency"), "vanilla, replayed on 1gbe").y[1] ==
        Approx(0.78125));
  CHECK(speedup.marks.contains("measured, replayed: 2 workers count as 2 times faster than one"));
  // simulations of the cluster, of which only some recorded a speed-up
  for (const auto& [machine, workers] : {std::pair("fdr", 8), {"fdr", 16}, {"old", 4}}) {
    std::map<std::string, double> latest = {{"epoch_seconds", 1.0 / workers}};
    if (machine[0] == 'f') latest["simulated_speedup"] = workers / 2.0;
    runs.add("simulation", "vanilla", workers, latest, "simulated").name =
        std::string("x / ") + machine + " / workers=" + std::to_string(workers);
  }
  const Figure more = figureOf("scaling", runs, "speedup");
  CHECK(more.marks.contains("vanilla, simulated on fdr: over one worker of each method"));
  CHECK(more.marks.contains("vanilla, simulated on old: 4 workers count as 4 times faster than one"));
  CHECK(more.marks.contains("measured, replayed: 2 workers count as 2 times faster than one"));
}

TEST_CASE("lines of one method on several machines can be told apart", "[compared]") {
  const Figure figure = figureOf("scaling", replays());
  const FigureSeries &measured = seriesNamed(figure, "vanilla"),
                     &first = seriesNamed(figure, "vanilla, replayed on 10gbe"),
                     &second = seriesNamed(figure, "vanilla, replayed on 1gbe");
  CHECK(first.color == measured.color);
  CHECK(first.dash != measured.dash);
  CHECK(second.color != first.color);
  CHECK(second.color != seriesNamed(figure, "pipegcn").color);
}

TEST_CASE("a low view of points scrolls before words stand on each other", "[compared]") {
  const Figure figure = figureOf("scaling", crossing());
  FigureStyle style;
  style.footer = false;
  style.size = {500, 60};
  const double needed = neededHeight(figure, style);
  CHECK(needed > 100);
  CHECK(needed < 200);
  style.size.setHeight(std::ceil(needed));
  CHECK(neededHeight(figure, style) <= needed + 1);
}

TEST_CASE("a line of scaling has colour and letters of the chips that its runs are in", "[compared]") {
  const ComparedRuns runs = crossing();  // vanilla and pipegcn in turns
  FigureInput input{runs.data, {}, {}};
  input.chips = {{1, {2, 5}}, {2, {0, 1}}, {4, {1, 4}}};
  const Figure figure = makeFigure("scaling", input);
  const FigureSeries& vanilla = seriesNamed(figure, "C  vanilla");
  const FigureSeries& pipegcn = seriesNamed(figure, "A, B  pipegcn");
  CHECK(vanilla.color == 5);
  CHECK(pipegcn.color == 1);  // of the first of its chips
  const FigureSeries& simulated = seriesNamed(figure, "vanilla, simulated");
  CHECK(simulated.color != 1);
  CHECK(simulated.color != 4);
  CHECK(simulated.color != 5);
}
