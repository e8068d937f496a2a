// What figures of a scene draw of its numbers: learning, waits and traffic of chips side by side.
#include <QImage>
#include <QPainter>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tests/support/csv.h"
#include "tests/views/figures/scene_chips_fixture.h"
#include "views/figure/figure_paint.h"
#include "views/figure/figure_view.h"
#include "views/figure/figure_writers.h"
#include "views/figures/figure_registry.h"

using namespace halo;

namespace {

QImage painted(const Figure& figure, QSize size) {
  FigureStyle style;
  style.size = size;
  QImage image(size, QImage::Format_RGB32);
  QPainter painter(&image);
  paintFigure(painter, figure, style);
  return image;
}

}  // namespace

TEST_CASE("curves of chips have their colours, the ends of their seeds, and what nobody beats",
          "[scenefigure]") {
  const SceneData scene = twoChips();
  const Figure epochs = drawn("learning", scene);
  REQUIRE(epochs.series.size() == 2);
  CHECK(epochs.series[0].color == 3);
  CHECK(epochs.series[0].x == std::vector<double>{0, 1, 2, 3});
  CHECK(epochs.series[1].low.at(0) == Approx(0.1));
  CHECK(epochs.y.title == "valid score");
  REQUIRE(epochs.notes.size() == 1);
  CHECK(std::isnan(epochs.notes[0].x));
  CHECK(epochs.notes[0].y == 0.8);
  CHECK(epochs.notes[0].text.startsWith("all reach 0.8"));
  const Figure time = drawn("learning", scene, chosen("along", "time"));
  CHECK(time.x.label() == "time of epochs [s]");
  CHECK(time.series[1].x.back() == Approx(8));
  REQUIRE(time.notes.size() == 2);  // B is as good later
  CHECK(time.notes[1].text == "A");
  CHECK(time.notes[1].x == Approx(4));
  const Figure bytes = drawn("learning", scene, chosen("along", "bytes"));
  CHECK(bytes.x.label() == "sent by all workers [KiB]");
  CHECK(bytes.series[0].x.back() == Approx(8));
  SceneData wall = scene;
  wall.state.base = TimeBase::wall;
  CHECK(drawn("learning", wall, chosen("along", "time")).x.label() == "time on the clock [s]");
  CHECK(QString(toCsv(epochs)).startsWith("series,epoch,valid score,lowest,highest\n"));
}

TEST_CASE("an epoch without a loss and a run that failed are marked, in CSV too", "[scenefigure]") {
  SceneData scene = twoChips();
  scene.chips[scene.compared[1]].runs.at(0).status = "failed";
  const std::string failed = "run " + std::to_string(scene.chips[scene.compared[1]].runs[0].id) + " failed";
  scene.comparison.learning[1].lost = {{4, 8, 9, 10, std::nan("")}};
  const Figure learning = drawn("learning", scene);
  CHECK(learning.marks.contains(QString::fromStdString(failed)));
  CHECK(QString(toCsv(learning)).contains("4,,,,loss not a number\n"));
  CHECK(std::ranges::any_of(learning.notes, [](const FigureNote& note) {
    return note.text == "B loss not a number" && note.x == 4;
  }));
  CHECK(QString(toCsv(drawn("summary", scene))).contains(QString::fromStdString(failed)));
}

TEST_CASE("a band is drawn around its curve, in pictures and on the screen", "[scenefigure]") {
  Figure figure = drawn("learning", twoChips());
  figure.series.resize(1);
  const QImage with = painted(figure, {600, 300});
  figure.series[0].low = figure.series[0].high = {};
  CHECK(painted(figure, {600, 300}) != with);
  FigureView view;
  view.resize(600, 300);
  view.setFigure(figure);
  const QImage line = view.grab().toImage();
  view.setFigure(drawn("learning", twoChips()));
  CHECK(view.grab().toImage() != line);
}

TEST_CASE("a chip a row says what it took to the score, and whether another beats it", "[scenefigure]") {
  const Figure figure = drawn("to-score", twoChips());
  REQUIRE(figure.table.rows.size() == 2);
  CHECK(figure.title.startsWith("To valid score 0.8"));
  CHECK(cell(figure, 0, "runs there") == "2 of 2");
  CHECK(cell(figure, 0, "epochs") == "4");
  CHECK(cell(figure, 1, "time of epochs") == "2.00\u00A0s");
  CHECK(cell(figure, 0, "unbeaten") == "yes");
  CHECK(cell(figure, 1, "unbeaten") == "no");
  SceneData none = twoChips();
  none.comparison.score.reset();
  CHECK(drawn("to-score", none).empty());
  CHECK(drawn("learning", none).emptyReason.contains("no score"));
}

TEST_CASE("staleness as a map has a matrix a chip: layers and passes over the epochs that were probed",
          "[scenefigure]") {
  SceneData scene = twoChips();
  scene.comparison.staleness[1].push_back({1, Pass::backward, {{10, 0.75}, {20, 0.0}}});
  const Figure figure = drawn("staleness", scene, chosen("show", "map"));
  REQUIRE(figure.matrices.size() == 1);
  const FigureMatrix& map = figure.matrices[0];
  CHECK(map.title.startsWith("B"));
  CHECK(map.rows == QStringList{"layer 1 forward", "layer 1 backward"});
  CHECK(map.columns == QStringList{"0", "10", "20"});
  REQUIRE(map.values.size() == 6);
  // the curves say the same
  const Figure curves = drawn("staleness", scene);
  for (std::size_t row = 0; row < curves.series.size(); ++row)
    for (std::size_t i = 0; i < curves.series[row].x.size(); ++i) {
      const auto column =
          static_cast<std::size_t>(map.columns.indexOf(QString::number(curves.series[row].x[i], 'f', 0)));
      CHECK(map.values[row * 3 + column] == curves.series[row].y[i]);
    }
  CHECK(std::isnan(map.values[2]));
  CHECK(std::isnan(map.values[3]));
  CHECK(map.note == "at most 0.750");
  CHECK(figure.marks.contains("nothing stale: A"));
  scene.comparison.staleness.pop_back();
  CHECK(drawn("staleness", scene, chosen("show", "map")).emptyReason.contains("error is 0"));
}

TEST_CASE("a map of staleness shows the error, the cosine or the age, and says what is not recorded",
          "[scenefigure]") {
  SceneData scene = twoChips();
  const auto map = [&](const std::string& value) {
    return drawn("staleness", scene, {{"show", "map"}, {"value", value}});
  };
  CHECK(map("error").grid.unit == "relative error");
  CHECK(map("age").matrices.at(0).note == "not recorded");
  StalenessCurve& curve = scene.comparison.staleness[1].at(0);
  for (const auto& [epoch, error] : curve.errors) curve.cosines[epoch] = -0.5, curve.ages[epoch] = 2;
  CHECK(map("cosine").grid.unit == "cosine");
  CHECK(map("cosine").matrices.at(0).note.startsWith("at least"));
  CHECK(map("cosine").matrices.at(0).values.at(0) == -0.5);
  CHECK(map("age").grid.unit == "age [epochs]");
  CHECK(map("age").matrices.at(0).values.at(0) == 2);
}

TEST_CASE("staleness has a curve a chip, layer and pass, and names whom nothing was stale", "[scenefigure]") {
  SceneData scene = twoChips();
  const Figure figure = drawn("staleness", scene);
  REQUIRE(figure.series.size() == 1);
  CHECK(figure.series[0].name == "B  layer 1 forward");
  CHECK(figure.series[0].y == std::vector<double>{0.5, 0.25});
  CHECK(figure.marks.contains("nothing stale: A"));
  scene.comparison.staleness.pop_back();
  CHECK(drawn("staleness", scene).emptyReason.contains("error is 0"));
  scene.comparison.staleness = {{}, {}};
  CHECK(drawn("staleness", scene).emptyReason.contains("[record] staleness"));
  for (EpochFigures& epochs : scene.comparison.epochs) epochs.epochs = {0, 0};
  CHECK(drawn("staleness", scene).emptyReason.contains("No epoch of these runs is in scope"));
}

TEST_CASE("waits stand with their share, change, verdict and what is gained at most", "[scenefigure]") {
  const Figure figure = drawn("why", twoChips());
  REQUIRE(figure.table.rows.size() == 3);
  CHECK(figure.table.rows[0][0] == "all together");
  CHECK(cell(figure, 0, "A").endsWith("12.0\u00A0%"));
  CHECK(cell(figure, 0, "Δ A → B") == "−800\u00A0ns");
  CHECK(figure.table.rows[1].mid(0, 3) == QStringList{"wire", "1", "0"});
  CHECK(cell(figure, 1, "B") == "–");
  CHECK(cell(figure, 1, "Δ A → B").endsWith(", removed"));
  CHECK(cell(figure, 1, "A gains at most") == "8.0\u00A0%");
  CHECK(figure.table.rows[2].mid(0, 3) == QStringList{"barrier or sum", "all", "–"});
  CHECK(cell(figure, 2, "Δ A → B").endsWith(", within noise"));
  for (const QVariantList& row : figure.table.values) CHECK(row.size() == figure.table.headings.size());
  SceneData none = twoChips();
  none.comparison.waits = {};
  CHECK(drawn("why", none).emptyReason.contains("why its workers waited"));
}

TEST_CASE("matrices stand side by side with their totals, and what changes", "[scenefigure]") {
  const Figure figure = drawn("traffic", twoChips());
  REQUIRE(figure.matrices.size() == 3);
  CHECK(figure.matrices[0].note.startsWith("4.00\u00A0KiB in 8 "));
  CHECK(std::isnan(figure.matrices[0].values[0]));
  CHECK(figure.matrices[0].values[1] == 1024);
  CHECK(figure.matrices[2].change);
  CHECK(figure.matrices[2].values[1] == 1024);
  CHECK(figure.matrices[2].values[2] == 0);
  CHECK(figure.matrices[0].columns == QStringList{"0", "1"});
  CHECK(figure.marks.isEmpty());
  CHECK(QString(toCsv(figure))
            .startsWith("matrix,from worker,to worker,an epoch [bytes]\nA  #1–2 vanilla,0,0,\n"));
  Figure other = figure;
  other.matrices[1].values[1] = 2000;
  CHECK(painted(figure, {900, 320}) != painted(other, {900, 320}));
  SceneData uncounted = twoChips();
  uncounted.comparison.traffic[0].counted.bytes = 1;
  CHECK(drawn("traffic", uncounted).marks.join("").contains("its counters"));
}

TEST_CASE("what means are rounded by is no change of traffic", "[scenefigure]") {
  SceneData scene = twoChips();
  scene.comparison.traffic[1] = scene.comparison.traffic[0];
  scene.comparison.traffic[1].places.begin()->second.bytes *= 1 + 4e-16;
  CHECK(drawn("traffic", scene).matrices[2].values[1] == 0);
  CHECK(drawn("traffic", scene).matrices[2].note == "0");
  CHECK(cell(drawn("traffic", scene, chosen("show", "layers")), 0, "Δ A → B") == "0");
}

TEST_CASE("a collective has a column, and unlike numbers of workers are said and not subtracted",
          "[scenefigure]") {
  SceneData scene = twoChips(3);
  scene.comparison.traffic[1].places[{-1, Pass::none, 2, -1}] = {512, 2, 512};
  const Figure figure = drawn("traffic", scene);
  REQUIRE(figure.matrices.size() == 2);
  CHECK(figure.matrices[0].columns == QStringList{"0", "1", "all"});
  CHECK(figure.matrices[1].rows.size() == 3);
  CHECK(figure.matrices[1].values.back() == 512);
  CHECK(figure.matrices[1].columnNumbers == QStringList{"0", "1", "2", "-1"});
  CHECK(figure.marks.join("").contains("A has 2 workers and B has 3"));
  const Figure layers = drawn("traffic", scene, chosen("show", "layers"));
  REQUIRE(layers.table.rows.size() == 4);  // outside, two layers, together
  CHECK(layers.table.rows.back()[0] == "together");
  CHECK(cell(layers, 3, "A sent") == "4.00\u00A0KiB");
  CHECK(cell(layers, 1, "B not predicted") == "+1.00\u00A0KiB");
  CHECK(layers.table.values.size() == 3);  // no sum in CSV
  for (const QVariantList& row : layers.table.values) CHECK(row.size() == layers.table.headings.size());
}

TEST_CASE("the summary divides the mean epoch in scope as the waterfall does", "[scenefigure]") {
  SceneData scene = twoChips();
  const auto part = [](MeanEpoch& mean, TimePart timePart) -> double& {
    return mean.parts[static_cast<std::size_t>(timePart)];
  };
  Comparison& all = scene.comparison;
  all.changes.resize(1);
  all.means.resize(2);
  all.meansBySpans = true;
  for (MeanEpoch& mean : all.means) {
    mean.ns = 1000;
    part(mean, TimePart::compute) = 500;
    part(mean, TimePart::wire) = 150;
    part(mean, TimePart::queue) = 50;
    part(mean, TimePart::lateSender) = 200;
    part(mean, TimePart::idle) = 60;
    part(mean, TimePart::other) = 40;
  }
  for (ChipData& chip : scene.chips)  // over all epochs, some of which are not in scope
    chip.latest = {{"compute_share", 0.9}, {"wait_share", 0.05}, {"hidden_share", 0.3}};
  const auto values = [&] {
    const FigureTable table = drawn("summary", scene).table;
    std::map<QString, QVariant> named;
    for (qsizetype i = 0; i < table.headings.size(); ++i) named[table.headings[i]] = table.values.at(0).at(i);
    return named;
  };
  const QString share = ", share of the epoch";
  auto shares = values();
  CHECK(shares.at("computing" + share).toDouble() == Approx(0.5));
  CHECK(shares.at("waiting" + share).toDouble() == Approx(0.4));
  CHECK(shares.at("exposed: wire and queue" + share).toDouble() == Approx(0.2));
  CHECK(shares.at("idle" + share).toDouble() == Approx(0.06));
  CHECK(shares.at("other" + share).toDouble() == Approx(0.04));
  CHECK(shares.at("hidden under computing, share of the run's epochs").toDouble() == Approx(0.3));
  CHECK_FALSE(shares.contains("quantising" + share));  // nobody does
  all.meansBySpans = false;                            // sums of layers know no reasons
  CHECK_FALSE(values().contains("exposed: wire and queue" + share));
  CHECK(values().at("idle and other" + share).toDouble() == Approx(0.1));  // nor what was done besides
  all.means.clear();
  CHECK_FALSE(values().contains("computing" + share));
}

TEST_CASE("the summary as CSV has a row a chip and a column a figure, of plain numbers in one unit",
          "[scenefigure]") {
  const test::Csv csv(toCsv(drawn("summary", changedChips())).toStdString());
  REQUIRE(csv.rows() == 2);
  CHECK(csv.at(0, "chip") == "A  #1–2 vanilla");
  CHECK(csv.at(1, "epoch, mean [s]") == "0.025");
  CHECK(csv.at(0, "epoch, 95 % from [s]") == "0.019");
  CHECK(csv.at(0, "epoch, 95 % to [s]") == "0.021");
  CHECK(csv.at(1, "epoch, 95 % to [s]") == "");
  CHECK(csv.at(0, "runs") == "2");
  CHECK(csv.at(0, "epochs in scope of all runs") == "39");
  CHECK(csv.at(0, "Δ to A [s]") == "");
  CHECK(csv.at(1, "Δ to A [s]") == "0.005");
  CHECK(csv.at(1, "Δ to A, 95 % from [s]") == "-0.001");
  CHECK(csv.at(1, "Δ to A, within noise") == "yes");
  CHECK(csv.at(0, "sent an epoch [bytes]") == "4096");
  CHECK(csv.at(0, "time of epochs to valid score 0.8000 [s]") == "1");
}

TEST_CASE("the summary is a card a chip, in its colour, hatched where it was not measured", "[scenefigure]") {
  SceneData scene = changedChips();
  scene.chips[1].modelled = true;
  const Figure figure = drawn("summary", scene);
  CHECK(figure.form == FigureForm::cards);
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[1].name == "B  #3–4 pipegcn");
  CHECK(figure.series[1].color == 4);
  CHECK(figure.series[1].outlined);
  CHECK(figure.table.rows.at(0) == QStringList{"epoch, mean", "20.0\u00A0ms", "25.0\u00A0ms"});
  CHECK(describe(figure).contains("B  #3–4 pipegcn: epoch, mean 25.0\u00A0ms"));
  CHECK(describe(figure).contains(", within noise"));
}

TEST_CASE("cards stand side by side as far as no value is cut, else below each other", "[scenefigure]") {
  SceneData scene = changedChips();  // and a third that is as the second
  scene.chips.push_back(scene.chips[1]);
  scene.compared.push_back(2);
  Comparison& all = scene.comparison;
  all.epochs.push_back(all.epochs[1]);
  all.changes.push_back(all.changes[0]);
  all.reached.push_back(all.reached[1]);
  const Figure figure = drawn("summary", scene);
  const auto high = [&](double width) {
    FigureStyle style;
    style.size = {width, 100};
    return neededHeight(figure, style);
  };
  const double once = high(1500), twice = high(600), thrice = high(400);
  CHECK(twice > once + 100);
  CHECK(thrice - twice == Approx(twice - once));
}

TEST_CASE("titles of the chips' figures say of which epochs they are", "[scenefigure]") {
  SceneData scene = twoChips();
  for (const char* name : {"summary", "where", "waterfall", "differences", "traffic", "why"}) {
    scene.state.epochs = {};
    scene.comparison.changes.resize(1);
    scene.comparison.epochs[0].left = scene.comparison.epochs[1].left = {};
    CHECK(drawn(name, scene).title.endsWith(" · all epochs"));
    scene.comparison.epochs[0].left = {.firsts = 2};
    CHECK(drawn(name, scene).title.endsWith(" · all epochs but the first"));
    scene.comparison.epochs[1].left = {.firsts = 2, .filling = 4};
    CHECK(drawn(name, scene).title.endsWith(" · all epochs but the first, without pipeline refills"));
    scene.state.epochs = {5, 20};
    scene.comparison.epochs[0].left = {};
    scene.comparison.epochs[1].left = {.filling = 4};
    CHECK(drawn(name, scene).title.endsWith(" · epochs 5–20, without pipeline refills"));
    scene.state.epochs = {{}, 7};
    scene.comparison.epochs[1].left = {.firsts = 1};
    CHECK(drawn(name, scene).title.endsWith(" · epochs up to 7 but the first"));
    scene.comparison.epochs[1].left = {};
    scene.state.epochs = {5, 20};
    CHECK(drawn(name, scene).title.endsWith(" · epochs 5–20"));
  }
  CHECK(drawn("learning", scene).title == "Learning · epochs 5–20");
  scene.state.epochs = {5, {}};
  CHECK(drawn("learning", scene).title == "Learning · epochs from 5");
  scene.state.epochs = {{}, 7};
  CHECK(drawn("staleness", scene).title == "Staleness · epochs up to 7");
  scene.state.epochs = {3, 3};
  CHECK(drawn("why", scene).title.endsWith("· epoch 3"));
  scene.state.epochs = {};
  CHECK(drawn("learning", scene).title == "Learning · all epochs");
}

TEST_CASE("the card of a simulation has the time of its one epoch, and no parts of it", "[scenefigure]") {
  SceneData scene = changedChips();
  Comparison& all = scene.comparison;
  all.epochs[1] = {{1}, 25e6, 25e6, {}, /*modelled=*/true};
  all.changes[0].interval.reset();
  all.means.resize(2);
  all.means[0].ns = all.means[0].parts[0] = 20e6;
  const Figure summary = drawn("summary", scene);
  const auto row = [&](const QString& name) {
    const auto named =
        std::ranges::find_if(summary.table.rows, [&](const QStringList& each) { return each[0] == name; });
    REQUIRE(named != summary.table.rows.end());
    return named->mid(1);
  };
  CHECK(row("epoch, mean")[1] == "25.0\u00A0ms");
  CHECK(row("epochs in scope")[1] == "one, simulated");
  CHECK(row("Δ to A")[1] == "+5.00\u00A0ms");
  CHECK(row("computing") == QStringList{"100.0\u00A0%", "–"});
  const Figure where = drawn("where", scene);
  REQUIRE(where.series.size() == 1);
  CHECK(where.series[0].name.startsWith("A"));
}
