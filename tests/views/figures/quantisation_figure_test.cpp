#include "tests/views/figures/scene_chips_fixture.h"

using namespace halo;

namespace {

/// B sends a quarter of A's bytes, and codes for 2 ms an epoch and rank.
SceneData codedChips() {
  SceneData scene = changedChips();
  Comparison& all = scene.comparison;
  all.means.resize(2);
  for (MeanEpoch& mean : all.means) mean.ns = 20e6;
  all.means[1].parts[static_cast<std::size_t>(TimePart::quantise)] = 2e6;
  for (Traffic& traffic : all.traffic) traffic.places.clear();
  all.traffic[0].places[{0, Pass::forward, 0, 1}] = {8e6, 4, 8e6};
  all.traffic[1].places[{0, Pass::forward, 0, 1}] = {2e6, 4, 2e6};
  all.learning[1].best->score = 0.75;
  return scene;
}

}  // namespace

TEST_CASE("quantisation pays below the bandwidth at which bytes saved take as long as coding",
          "[scenefigure]") {
  const Figure figure = drawn("quantisation", codedChips());
  REQUIRE(figure.table.rows.size() == 2);
  // 6 MB over two ranks, in the 2 ms that coding takes: 3e6 · 8 bits / 2e-3 s
  CHECK(figure.table.values[1].at(1).toDouble() == 1e6);
  CHECK(figure.table.values[1].at(2).toDouble() == 3e6);
  CHECK(figure.table.values[1].at(3).toDouble() == 2e6);
  CHECK(figure.table.values[1].at(4).toDouble() == Approx(12e9));
  CHECK(figure.table.values[1].at(6).toDouble() == Approx(0.05));
  CHECK(cell(figure, 1, "pays below") == QString("12.0%1Gbit/s").arg(QChar(0x00A0)));
  CHECK(cell(figure, 0, "pays below") == "–");
  CHECK_FALSE(figure.table.values[0].at(2).isValid());
}

TEST_CASE("codes that save nothing never pay, and those that cost nothing always do", "[scenefigure]") {
  SceneData scene = codedChips();
  scene.comparison.traffic[1] = scene.comparison.traffic[0];
  CHECK(cell(drawn("quantisation", scene), 1, "pays below") == "never");
  scene = codedChips();
  scene.comparison.means[0] = scene.comparison.means[1];
  CHECK(cell(drawn("quantisation", scene), 1, "pays below") == "always");
}

TEST_CASE("without a run that quantises, or of other data, there is nothing to say", "[scenefigure]") {
  SceneData scene = codedChips();
  scene.comparison.changes[0].sameData = false;
  CHECK(drawn("quantisation", scene).table.rows.size() == 1);
  for (MeanEpoch& mean : scene.comparison.means) mean.parts = {};
  CHECK(drawn("quantisation", scene).emptyReason.contains("quantises"));
  scene.compared.pop_back();
  CHECK_FALSE(drawn("quantisation", scene).emptyReason.isEmpty());
}

TEST_CASE("by layer quantisation tells what each layer saves, and below which bandwidth", "[scenefigure]") {
  SceneData scene = codedChips();
  Comparison& all = scene.comparison;
  all.traffic[0].places[{1, Pass::backward, 1, 0}] = {4e6, 4, 4e6};
  all.traffic[1].places[{1, Pass::backward, 1, 0}] = {4e6, 4, 4e6};
  all.traffic[1].places[{-1, Pass::none, 0, -1}] = {9e6, 1, 9e6};  // outside the layers
  LayerFigures coded{0, Pass::forward, 1, 1}, plain{1, Pass::backward, 1, 1};
  coded.quantiseNs = 1e6, coded.quantiseBytes = 5e5, plain.quantiseNs = plain.quantiseBytes = 0;
  all.layers = {{}, {{coded, plain}}};
  const Figure figure = drawn("quantisation", scene, chosen("show", "layers"));
  REQUIRE(figure.table.values.size() == 4);  // two chips, two places
  const QVariantList& row = figure.table.values[2];
  CHECK(row.size() == figure.table.headings.size());
  CHECK(row.at(1).toInt() == 0);
  CHECK(row.at(2).toString() == "forward");
  CHECK(row.at(3).toDouble() == 1e6);
  CHECK(row.at(4).toDouble() == 3e6);
  CHECK(row.at(5).toDouble() == 5e5);
  CHECK(row.at(6).toDouble() == 1e6);
  CHECK(row.at(7).toDouble() == Approx(24e9));  // 3e6 · 8 bits / 1e-3 s
  CHECK(cell(figure, 3, "pays below") == "never");
  CHECK(cell(figure, 0, "saved against A") == "–");
  scene.comparison.layers[1].layers[0].quantiseNs = LayerFigures::kNone;  // a simulation tells none
  for (const char* column : {"coding", "pays below"})
    CHECK(cell(drawn("quantisation", scene, chosen("show", "layers")), 2, column) == "–");
  scene.comparison.layers.clear();  // of a scene that is not read yet
  CHECK(drawn("quantisation", scene, chosen("show", "layers")).table.rows.empty());
}
