// What seeds took to a score, and what replays of a run are off by: the summary's cards and the table.
#include <catch2/catch.hpp>

#include "tests/support/csv.h"
#include "tests/views/figures/scene_chips_fixture.h"
#include "views/figure/figure_writers.h"

using namespace halo;

namespace {

/// Three seeds each: those of B take longer by about a half, or by about as much as they scatter.
SceneData threeSeeds(double lastOfB) {
  SceneData scene = changedChips();
  const std::vector<std::vector<double>> seconds = {{2.0, 2.1, 2.5}, {3.0, 3.1, lastOfB}};
  for (std::size_t chip = 0; chip < 2; ++chip) {
    scene.comparison.reached[chip].runs.clear();
    for (const double each : seconds[chip])
      scene.comparison.reached[chip].runs.push_back({1, Reached{3, each, 2 * each, 4096}});
  }
  return scene;
}

QStringList rowOf(const Figure& figure, const QString& name) {
  for (const QStringList& row : figure.table.rows)
    if (row.front() == name) return row.mid(1);
  return {};
}

QString plain(QString text) { return text.replace(QChar(0x00A0), ' '); }

}  // namespace

TEST_CASE("time to a score has its spread over seeds and a verdict in the summary", "[scenefigure]") {
  const Figure figure = drawn("summary", threeSeeds(3.5));
  qsizetype at = 0;
  while (!figure.table.rows.at(static_cast<std::size_t>(at)).front().startsWith("epoch time to valid")) ++at;
  const auto row = [&](qsizetype below) {
    return figure.table.rows.at(static_cast<std::size_t>(at + below));
  };
  CHECK(plain(row(0)[1]) == "2.20 s");
  CHECK(row(1)[0] == "  95 % interval");
  CHECK(plain(row(1)[1]) == "2.00 s … 2.50 s");
  CHECK(row(2)[0] == "  median");
  CHECK(plain(row(2)[2]) == "3.10 s");
  CHECK(row(3)[0] == "  Δ to A");
  CHECK(row(3)[1] == "–");
  CHECK(plain(row(3)[2]) == "+1.00 s, 45.5 % more time");
  CHECK(row(4)[0] == "  95 % of Δ");
  const Figure noisy = drawn("summary", threeSeeds(0.6));
  CHECK(plain(noisy.table.rows.at(static_cast<std::size_t>(at + 3))[2]).endsWith(", within noise"));
  const test::Csv csv(toCsv(noisy).toStdString());
  CHECK(csv.at(1, "time of epochs to valid score 0.8000, Δ to A, within noise") == "yes");
  CHECK(csv.at(0, "time of epochs to valid score 0.8000, 95 % from [s]") == "2");
}

TEST_CASE("the table of times to a score has their spread, and what changes from the baseline",
          "[scenefigure]") {
  SceneData scene = threeSeeds(3.5);
  const Figure figure = drawn("to-score", scene);
  CHECK(plain(cell(figure, 0, "epoch time, 95 %")) == "2.00 s … 2.50 s");
  CHECK(cell(figure, 0, "epoch time, Δ to A") == "–");
  CHECK(plain(cell(figure, 1, "epoch time, Δ to A")) == "+1.00 s, slower");
  scene.state.base = TimeBase::wall;
  CHECK(plain(cell(drawn("to-score", scene), 1, "clock time, median")) == "6.20 s");
  const test::Csv csv(toCsv(figure).toStdString());
  CHECK(csv.at(1, "time of epochs, Δ to A, within noise") == "no");
  CHECK(csv.at(1, "sent, Δ to A [bytes]") == "0");
}

TEST_CASE("a chip that replays a run says what replays of it are off by", "[scenefigure]") {
  SceneData scene = changedChips();
  scene.chips[1].replay = ChipReplay{1, true, 0.06, 0.04, 0.05};
  const Figure figure = drawn("summary", scene);
  CHECK(rowOf(figure, "replay of") == QStringList{"–", "run 1"});
  CHECK(plain(rowOf(figure, "  unchanged it is").value(1)) == "50.0 ms, this +20.0 %");
  CHECK(plain(rowOf(figure, "  error of that").value(1)) == "+25.0 % of 40.0 ms measured");
  const test::Csv csv(toCsv(figure).toStdString());
  CHECK(csv.at(1, "replay of run") == "1");
  CHECK(csv.at(1, "error of the unchanged replay, share") == "0.25");
  CHECK(rowOf(drawn("summary", changedChips()), "replay of").isEmpty());
}
