// What a click on a number of a figure of chips goes to in the lanes.
#include "views/session/figure_spans.h"

#include <catch2/catch.hpp>

#include "tests/support/small_recording.h"

using namespace halo;

namespace {

SceneData sceneOf(const SmallRecording& first, const SmallRecording& second) {
  SceneState state;
  state.chips = {{first.path(), {1}, 0}, {second.path(), {1}, 1}};
  return readSceneData(state);
}

Figure drawn(const std::string& name, const SceneData& scene, const Values& values = {}) {
  const RunsData none;
  return makeFigure(name, {none, {}, {}, &scene}, values);
}

}  // namespace

TEST_CASE("a cell of traffic is of what its receiver got of its sender", "[scene]") {
  const SmallRecording first(3, 4), second(3, 4);
  const SceneData scene = sceneOf(first, second);
  const Values values{{"layer", "0"}, {"pass", "forward"}, {"epoch", "2"}};
  const Figure figure = drawn("traffic", scene, values);
  REQUIRE(figure.matrices.size() == 3);
  REQUIRE(figure.matrices[0].columns.size() == 3);
  SpanChoice choice;
  choice.lane = Lane::link;
  choice.rank = 2;
  choice.peer = 1;
  choice.layer = 0;
  choice.pass = Pass::forward;
  choice.epoch = 2;
  constexpr std::size_t kPlace = 1 * 3 + 2;  // from 1 to 2
  for (const auto& [matrix, chip] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {1, 1}, {2, 1}}) {
    const auto spans = spansOf(figure, scene, values, matrix, kPlace);
    REQUIRE(spans.has_value());
    CHECK(spans->chip == chip);
    CHECK(spans->choice == choice);
  }
  const auto any = spansOf(drawn("traffic", scene), scene, {}, 0, kPlace);
  REQUIRE(any.has_value());
  CHECK_FALSE(any->choice.layer.has_value());
  CHECK_FALSE(any->choice.epoch.has_value());
  CHECK_FALSE(spansOf(figure, scene, values, 0, 9).has_value());

  const Values layers{{"show", "layers"}};
  const Figure table = drawn("traffic", scene, layers);
  const auto row = spansOf(table, scene, layers, 0, 0);
  REQUIRE(row.has_value());
  CHECK(row->chip == 0);
  CHECK(row->choice.lane == Lane::link);
  CHECK(row->choice.layer == std::int16_t{0});
  CHECK(row->choice.pass == Pass::forward);
  CHECK_FALSE(spansOf(table, scene, layers, 0, table.table.rows.size() - 1).has_value());  // the sum
}

TEST_CASE("a cell of what is sent to all is of where its sender meets the others", "[scene]") {
  const SmallRecording first(2, 4), second(2, 4);
  const SceneData scene = sceneOf(first, second);
  Figure figure = drawn("traffic", scene);
  FigureMatrix& matrix = figure.matrices.at(0);
  matrix.columns = {"0", "1", "all"};
  matrix.values.assign(6, 1.0);
  const auto spans = spansOf(figure, scene, {}, 0, 5);
  REQUIRE(spans.has_value());
  CHECK(spans->choice.rank == 1);
  CHECK(spans->choice.lane == Lane::main);
  CHECK(spans->choice.kind == Kind::synchronise);
  CHECK_FALSE(spans->choice.peer.has_value());
}

TEST_CASE("a cell of the map of staleness is of its layer, pass and epoch", "[scene]") {
  const SmallRecording first(2, 4), second(2, 4);
  SceneData scene = sceneOf(first, second);
  const StalenessCurve fresh{0, Pass::forward, {{1, 0.0}}};
  scene.comparison.staleness = {
      {fresh}, {{0, Pass::forward, {{1, 0.25}, {3, 0.5}}}, {1, Pass::backward, {{1, 0.5}, {3, 0.75}}}}};
  const Figure map = drawn("staleness", scene, {{"show", "map"}});
  REQUIRE(map.matrices.size() == 1);  // the first chip uses nothing stale
  const auto spans = spansOf(map, scene, {}, 0, 3);
  REQUIRE(spans.has_value());
  CHECK(spans->chip == 1);
  CHECK(spans->choice.layer == std::int16_t{1});
  CHECK(spans->choice.pass == Pass::backward);
  CHECK(spans->choice.epoch == 3);
  CHECK(spans->choice.lane == Lane::main);
}

TEST_CASE("a row of quantisation is of its chip's coding, and rows of other figures of no spans", "[scene]") {
  const SmallRecording first(2, 4), second(2, 4);
  const SceneData scene = sceneOf(first, second);
  Figure figure;
  figure.name = "quantisation";
  figure.table.rows = {{lettered(scene, 0)}, {lettered(scene, 1)}};
  const auto spans = spansOf(figure, scene, {}, 0, 1);
  REQUIRE(spans.has_value());
  CHECK(spans->chip == 1);
  CHECK(spans->choice.kind == Kind::quantise);
  CHECK_FALSE(spansOf(figure, scene, {}, 0, 2).has_value());
  CHECK_FALSE(spans->choice.layer.has_value());
  figure.table.values = {{lettered(scene, 0), 0LL, "forward"}, {lettered(scene, 1), 1LL, "backward"}};
  const auto layer = spansOf(figure, scene, {{"show", std::string("layers")}}, 0, 1);
  REQUIRE(layer.has_value());
  CHECK(layer->choice.kind == Kind::quantise);
  CHECK(layer->choice.layer == std::int16_t{1});
  CHECK(layer->choice.pass == Pass::backward);
  figure.name = "to-score";
  CHECK_FALSE(spansOf(figure, scene, {}, 0, 1).has_value());
}
