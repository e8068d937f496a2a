// Figures of the chips rank by rank, and of what is sent for a layer, pass or epoch.
#include <cmath>

#include "tests/views/figures/scene_chips_fixture.h"

using namespace halo;

namespace {

/// A chip of so many ranks, of which rank r computes r + 1 ms and waits for 10 − r ms.
void addRanks(SceneData& scene, std::int64_t ranks) {
  Comparison& all = scene.comparison;
  RankFacts facts;
  RankParts parts;
  MeanEpoch mean;
  for (std::int64_t r = 0; r < ranks; ++r) {
    facts.vertices.push_back(160 / ranks);
    facts.hosts.emplace_back("here");
    auto& rank = parts.emplace_back();
    rank[std::size_t(TimePart::compute)] = static_cast<double>(r + 1) * 1e6;
    rank[std::size_t(TimePart::lateSender)] = static_cast<double>(10 - r) * 1e6;
    for (std::size_t p = 0; p < kTimeParts; ++p) mean.parts[p] += rank[p] / static_cast<double>(ranks);
  }
  mean.ns = 11e6;
  facts.partitioner = "block";
  all.rankFacts.push_back(facts);
  all.rankParts.push_back(parts);
  all.means.push_back(mean);
}

SceneData fourAgainst(std::int64_t ranks) {
  SceneData scene = twoChips(ranks);
  addRanks(scene, 4);
  addRanks(scene, ranks);
  return scene;
}

MessageRow message(std::int64_t epoch, std::int64_t layer, Pass pass, std::int64_t bytes) {
  MessageRow row;
  row.epoch = epoch, row.layer = layer, row.pass = pass, row.source = 0, row.target = 1;
  row.messages = 1, row.bytes = row.predictedBytes = bytes;
  return row;
}

Values with(std::initializer_list<std::pair<const char*, const char*>> words) {
  Values values;
  for (const auto& [key, value] : words) values[key] = std::string(value);
  return values;
}

}  // namespace

TEST_CASE("a bar a rank stands beside the same rank's of the other chip", "[scenefigure]") {
  const Figure figure = drawn("where", fourAgainst(4), chosen("show", "ranks"));
  CHECK(figure.form == FigureForm::stackedBars);
  CHECK(figure.x.categories == QStringList{"A 0", "B 0", "A 1", "B 1", "A 2", "B 2", "A 3", "B 3"});
  REQUIRE(figure.series.size() == 2);
  CHECK(figure.series[0].name == "compute");
  for (std::size_t bar = 0; bar < 8; ++bar) {
    CHECK(figure.series[0].y.at(bar) == Approx(static_cast<double>(bar / 2 + 1)));
    CHECK(figure.series[1].y.at(bar) == Approx(static_cast<double>(10 - bar / 2)));
  }
  CHECK(figure.y.unit == "ms");
  CHECK(figure.marks.filter("against").isEmpty());
  // the mean of the ranks is the mean epoch
  const SceneData scene = fourAgainst(4);
  double computed = 0;
  for (std::size_t bar = 0; bar < 8; bar += 2) computed += figure.series[0].y[bar] / 4;
  CHECK(computed == Approx(scene.comparison.means[0].parts[std::size_t(TimePart::compute)] * 1e-6));
}

TEST_CASE("of other numbers of ranks the mean of a group stands beside its rank, and a mark says how",
          "[scenefigure]") {
  const Figure figure = drawn("where", fourAgainst(16), chosen("show", "ranks"));
  CHECK(figure.x.categories ==
        QStringList{"A 0", "B 0–3", "A 1", "B 4–7", "A 2", "B 8–11", "A 3", "B 12–15"});
  CHECK(figure.series[0].y[1] == Approx(2.5));
  CHECK(figure.series[0].y[7] == Approx(14.5));
  CHECK(figure.marks.join(";").contains("A to B: 4 ranks against 16: 4 to 1 by parts, 100 % of vertices"));
  const Figure together = drawn("where", fourAgainst(16), with({{"show", "ranks"}, {"ranks", "together"}}));
  CHECK(together.x.categories == QStringList{"A 0–3", "B 0–15"});
  SceneData scene = fourAgainst(6);
  scene.state.ranks = RankRule::number;
  CHECK(drawn("where", scene, chosen("show", "ranks")).marks.join(";").contains("up to 2 to 1 by number"));
  CHECK(drawn("where", fourAgainst(16)).form == FigureForm::groupedBars);
}

TEST_CASE("where no rank's time is known there is nothing to see rank by rank", "[scenefigure]") {
  SceneData scene = fourAgainst(4);
  scene.comparison.rankParts = {{}, {}};
  const Figure figure = drawn("where", scene, chosen("show", "ranks"));
  CHECK(figure.empty());
  CHECK(figure.emptyReason.contains("recorded where its time went"));
}

TEST_CASE("traffic is drawn of a layer, pass and epoch, and its total is that of their counters",
          "[scenefigure]") {
  SceneData scene = twoChips();
  std::vector<EpochRow> epochs(2);
  epochs[0].epoch = 1, epochs[1].epoch = 2;
  const std::vector<MessageRow> messages = {message(1, 0, Pass::forward, 1024),
                                            message(2, 0, Pass::forward, 3072),
                                            message(2, 1, Pass::backward, 512)};
  std::vector<LayerRow> counters;
  for (const MessageRow& row : messages) {
    LayerRow& counter = counters.emplace_back();
    counter.epoch = row.epoch, counter.layer = row.layer, counter.pass = row.pass;
    counter.bytesSent = row.bytes, counter.messages = 1;
  }
  for (Traffic& traffic : scene.comparison.traffic)
    traffic = meanTraffic(std::vector{trafficOf(2, epochs, messages, counters)});
  const auto total = [&](const Values& values) {
    const Figure figure = drawn("traffic", scene, values);
    CHECK(figure.marks.isEmpty());
    double sum = 0;
    for (const double value : figure.matrices.at(0).values)
      if (std::isfinite(value)) sum += value;
    return sum;
  };
  CHECK(total({}) == 2304);
  CHECK(total(with({{"layer", "0"}})) == 2048);
  CHECK(total(with({{"pass", "backward"}})) == 256);
  CHECK(total(with({{"epoch", "2"}})) == 3584);
  CHECK(total(with({{"layer", "0"}, {"pass", "forward"}, {"epoch", "1"}})) == 1024);
  const Figure layerFigure = drawn("traffic", scene, with({{"layer", "1"}, {"epoch", "2"}}));
  CHECK(layerFigure.title == "Traffic of epoch 2, layer 1");
  CHECK(layerFigure.matrices.at(0).note.startsWith("512"));
  const Figure none = drawn("traffic", scene, with({{"layer", "7"}}));
  CHECK(none.empty());
  CHECK(none.emptyReason.contains("sent anything"));
  const Figure layers = drawn("traffic", scene, with({{"show", "layers"}, {"layer", "1"}}));
  CHECK(layers.table.rows.size() == 2);  // of that layer, and together
  scene.comparison.traffic[0] = meanTraffic(std::vector{trafficOf(2, epochs, messages, {})});
  const auto& offers = find<FigureEntry>("traffic")->offers;
  CHECK(offers(scene, "layer") == QStringList{"0", "1"});
  CHECK(offers(scene, "epoch") == QStringList{"1", "2"});
}
