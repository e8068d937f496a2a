// What the chips of a scene come to, of recordings that are there, changed and gone.
#include "views/scene/scene_data.h"

#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "engine/record/database/database.h"
#include "engine/record/tables/runs.h"
#include "tests/support/small_recording.h"
#include "views/figures/figure_registry.h"
#include "views/scene/scene_reader.h"

using namespace halo;

namespace {

SceneState sceneOfRuns(const QString& recording, const std::vector<std::vector<std::int64_t>>& chips) {
  SceneState state;
  for (const auto& runs : chips)
    state.chips.push_back({recording, runs, static_cast<int>(state.chips.size())});
  return state;
}

Figure drawn(const std::string& name, const SceneData& scene) {
  const RunsData none;
  return makeFigure(name, {none, {}, {}, &scene});
}

}  // namespace

TEST_CASE("chips of one or several recordings are read and held against the first", "[scene]") {
  const SmallRecording recording(2, 6), other(4, 5);
  SceneState state = sceneOfRuns(recording.path(), {{1}});
  state.chips.push_back({other.path(), {1}, 1});
  const SceneData data = readSceneData(state);
  REQUIRE(data.compared == std::vector<std::size_t>{0, 1});
  CHECK(data.comparison.epochs[0].meanNs == 10'000'000);
  CHECK(data.comparison.epochs[1].epochs == std::vector<std::int64_t>{4});
  CHECK(data.comparison.changes.at(0).deltaNs == 0);
  CHECK(data.comparison.changes[0].bySpans);
  CHECK(data.chips[0].name.startsWith("synthetic.db"));
  CHECK(data.chips[0].latest.at("epoch_seconds") == 0.01);
  CHECK_FALSE(data.fairness.empty());  // the length of training differs
}

TEST_CASE("a chip that cannot be read says why, and the others are compared without it", "[scene]") {
  const SmallRecording recording(2, 6);
  SceneState state = sceneOfRuns(recording.path(), {{1}, {99}});
  state.chips.push_back({"/nowhere/a.db", {1}, 2});
  const SceneData data = readSceneData(state);
  CHECK(data.compared == std::vector<std::size_t>{0});
  CHECK(data.chips[1].problem.contains("no run 99"));
  CHECK_FALSE(data.chips[2].problem.isEmpty());
  CHECK(data.comparison.changes.empty());
  CHECK(readSceneData({}).chips.empty());
}

TEST_CASE("a scene is stale once a run of it has begun, ended or gone", "[scene]") {
  const SmallRecording recording(2, 3);
  const SceneData data = readSceneData(sceneOfRuns(recording.path(), {{1}}));
  std::vector<RunRow> rows = data.chips.at(0).runs;
  CHECK_FALSE(isStale(data, recording.path(), rows));
  CHECK_FALSE(isStale(data, "/other.db", {}));
  CHECK(isStale(data, recording.path(), {}));
  rows[0].status = "running";
  CHECK(isStale(data, recording.path(), rows));
}

TEST_CASE("runs that differ in their seeds alone are one chip", "[scene]") {
  const SmallRecording recording(2, 3, 4);
  {
    Database database(recording.file(), Access::readWrite);
    Runs runs(database);
    for (const std::int64_t run : {1, 2, 3})
      runs.setParameters(run, {{"training.seed", std::to_string(run)}, {"run.method", "\"vanilla\""}});
    runs.setParameters(4, {{"training.seed", "1"}, {"run.method", "\"sar\""}});
  }
  using Chips = std::vector<std::vector<std::int64_t>>;
  CHECK(chipsOf(recording.file().string(), {1, 4, 2, 3}) == Chips{{1, 2, 3}, {4}});
  CHECK(chipsOf(recording.file().string(), {99}).empty());
}

TEST_CASE("the scope of a scene is that of its numbers", "[scene]") {
  const SmallRecording recording(2, 6);
  SceneState state = sceneOfRuns(recording.path(), {{1}});
  CHECK(readSceneData(state).comparison.epochs.at(0).epochs == std::vector<std::int64_t>{5});
  state.epochs = {2, 3};
  const SceneData data = readSceneData(state);
  CHECK(data.comparison.epochs.at(0).epochs == std::vector<std::int64_t>{2});
  CHECK(data.comparison.learning.at(0).epochs.size() == 2);
}

TEST_CASE("figures of a scene draw its chips, and say what is missing without", "[scene]") {
  const SmallRecording recording(2, 6), other(4, 5);
  SceneState state = sceneOfRuns(recording.path(), {{1}});
  state.chips.push_back({other.path(), {1}, 1});
  const SceneData data = readSceneData(state);
  for (const char* name :
       {"summary", "where", "waterfall", "differences", "learning", "to-score", "traffic"}) {
    CAPTURE(name);
    CHECK_FALSE(drawn(name, data).empty());
    const RunsData none;
    const Figure without = makeFigure(name, {none, {}});
    CHECK(without.empty());
    CHECK(without.emptyReason.contains("press C"));
  }
  const Figure where = drawn("where", data);
  REQUIRE(where.series.size() == 2);
  double sum = 0;
  for (const double part : where.series[0].y) sum += part;
  CHECK(sum == Approx(10));  // ms, as the epoch
  const Figure waterfall = drawn("waterfall", data);
  CHECK(waterfall.boxes.back().end == Approx(10));
  const SceneData single = readSceneData(sceneOfRuns(recording.path(), {{1}}));
  CHECK(drawn("waterfall", single).empty());
  CHECK_FALSE(drawn("summary", single).empty());
}

TEST_CASE("a scene is read again after each change, and only its last state is told", "[scene]") {
  const SmallRecording recording(2, 4, 3);
  Scene scene;
  SceneReader reader(scene);
  QSignalSpy reads(&reader, &SceneReader::sceneRead);
  QSignalSpy failed(&reader, &SceneReader::failed);
  reader.add(recording.path(), {1});
  while (!reader.settled()) reads.wait(10);
  REQUIRE(reads.count() >= 1);
  CHECK(reads.back().front().value<SceneData>().chips.size() == 1);
  scene.remove(0);
  while (!reader.settled()) reads.wait(10);
  CHECK(reads.back().front().value<SceneData>().chips.empty());
  reader.add("/nowhere/a.db", {1});
  while (!reader.settled()) failed.wait(10);
  CHECK(failed.count() == 1);
}

TEST_CASE("runs that are added faster than they are read are in one chip each, with their other seeds",
          "[scene]") {
  const SmallRecording recording(2, 3, 4);
  {
    Database database(recording.file(), Access::readWrite);
    Runs runs(database);
    for (const std::int64_t run : {1, 2, 3, 4})
      runs.setParameters(run, {{"training.seed", std::to_string(run)},
                               {"run.method", run == 4 ? "\"sar\"" : "\"vanilla\""}});
  }
  Scene scene;
  SceneReader reader(scene);
  const auto chips = [&] {
    REQUIRE(QTest::qWaitFor([&] { return reader.settled(); }, 30'000));
    std::vector<std::vector<std::int64_t>> runs;
    for (const Chip& chip : scene.state().chips) runs.push_back(chip.runs);
    return runs;
  };
  using Chips = std::vector<std::vector<std::int64_t>>;
  for (const std::int64_t run : {1, 2, 4, 3, 2}) reader.addRun(recording.path(), run);
  CHECK(chips() == Chips{{1, 2, 3}, {4}});
  reader.addRun(recording.path(), 3);  // it is there
  CHECK(chips() == Chips{{1, 2, 3}, {4}});

  scene.load({});
  reader.addRun(recording.path(), 1);
  reader.addRun(recording.path(), 2);
  reader.removeRun(recording.path(), 1);
  CHECK(chips() == Chips{{2}});
  reader.removeRun(recording.path(), 2);
  reader.addRun(recording.path(), 2);
  CHECK(chips() == Chips{{2}});
}

TEST_CASE("what is added in vain does not keep a scene from being read", "[scene]") {
  const SmallRecording recording(2, 4);
  Scene scene;
  SceneReader reader(scene);
  QSignalSpy reads(&reader, &SceneReader::sceneRead);
  scene.load(sceneOfRuns(recording.path(), {{1}}));
  reader.add("/nowhere/a.db", {1});
  REQUIRE(QTest::qWaitFor([&] { return reader.settled(); }, 30'000));
  REQUIRE(reads.count() == 1);
  CHECK(reads.back().front().value<SceneData>().chips.size() == 1);
}

TEST_CASE("a scene that is only aligned otherwise is not read again", "[scene]") {
  const SmallRecording recording(2, 6);
  Scene scene;
  scene.load(sceneOfRuns(recording.path(), {{1}}));
  SceneReader reader(scene);
  SceneData last;
  int answers = 0;
  QObject::connect(&reader, &SceneReader::sceneRead, [&](const SceneData& data) { last = data, ++answers; });
  const auto answered = [&](int count) {
    return QTest::qWaitFor([&] { return answers == count && reader.settled(); }, 30'000);
  };
  reader.readAgain();
  REQUIRE(answered(1));
  REQUIRE(last.compared.size() == 1);
  std::filesystem::remove(recording.file());
  scene.setAlignment(Alignment::epoch, 3);
  REQUIRE(answered(2));
  CHECK(last.state.epoch == 3);
  CHECK(last.compared.size() == 1);  // as it was read
  scene.setEpochs({2, 4});
  REQUIRE(answered(3));
  CHECK(last.compared.empty());
  CHECK_FALSE(last.chips[0].problem.isEmpty());
}
