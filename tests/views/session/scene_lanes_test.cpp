// The spans of compared runs beside the shown one, each moved to where the scene puts it.
#include "views/session/scene_lanes.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <catch2/catch.hpp>

#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

/// Two runs of four epochs with a span a layer: the first has epochs of 1000 ns from 0, the second of 3000 ns
/// from 700. Layer l begins 100 · l ns into an epoch.
struct Recording {
  Scratch folder;
  std::filesystem::path file = folder / "r.db";

  Recording() {
    Database database(file, Access::create);
    Runs runs(database);
    const std::int64_t experiment = runs.addExperiment("e", "");
    add(database, experiment, "vanilla", 0, 1000, {0.1, 0.5, 0.7, 0.8});
    add(database, experiment, "pipegcn", 700, 3000, {0.1, 0.3, 0.4, 0.7});
  }

  static void add(Database& database, std::int64_t experiment, const std::string& method, std::int64_t from,
                  std::int64_t length, const std::vector<double>& scores) {
    RunRow row;
    row.experimentId = experiment;
    row.method = method;
    row.status = "completed";
    const std::int64_t run = Runs(database).add(row);
    std::vector<EpochRow> epochs(scores.size());
    std::vector<Span> spans;
    for (std::size_t e = 0; e < epochs.size(); ++e) {
      epochs[e].epoch = static_cast<std::int64_t>(e);
      epochs[e].beginNs = from + length * static_cast<std::int64_t>(e);
      epochs[e].wallNs = length;
      epochs[e].valid = scores[e];
      for (std::int16_t layer = 0; layer < 2; ++layer) {
        Span span;
        span.beginNs = epochs[e].beginNs + 100 * layer;
        span.durationNs = 50;
        span.epoch = static_cast<std::int32_t>(e);
        span.layer = layer;
        span.pass = Pass::forward;
        spans.push_back(span);
      }
    }
    Transaction transaction(database);
    Epochs(database).append(run, std::span<const EpochRow>(epochs));
    Spans(database).append(run, 0, spans);
    transaction.commit();
  }

  QString path() const { return QString::fromStdString(file.string()); }
  SceneState scene() const {
    SceneState state;
    state.chips = {{path(), {1}, 0}, {path(), {2}, 1}};
    return state;
  }
};

bool until(const SceneLanes& lanes) {
  QElapsedTimer timer;
  timer.start();
  while (!lanes.settled() && timer.elapsed() < 30'000)
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
  return lanes.settled();
}

/// The begin of the second run's epoch on the axis of the first.
std::int64_t beginOf(const SceneLanes& lanes, std::size_t epoch) {
  REQUIRE(lanes.others().size() == 1);
  REQUIRE(lanes.others()[0].model->epochs().size() == 4);
  return lanes.others()[0].model->epochs()[epoch].beginNs;
}

}  // namespace

TEST_CASE("compared runs stand where the scene aligns them", "[scene]") {
  const Recording recording;
  SceneState state = recording.scene();
  SceneLanes lanes;
  const auto show = [&] {
    lanes.show(recording.path(), 1, readSceneData(state));
    REQUIRE(until(lanes));
  };
  show();
  CHECK(beginOf(lanes, 0) == 0);
  CHECK(lanes.first().name.startsWith("A"));
  CHECK(lanes.others()[0].name.startsWith("B"));
  CHECK(lanes.others()[0].note.isEmpty());
  state.alignment = Alignment::epoch;
  state.epoch = 2;
  show();
  CHECK(beginOf(lanes, 2) == 2000);
  state.alignment = Alignment::layer;
  state.layer = 1;
  show();
  const SpanRow& spans = lanes.others()[0].model->rows().front().row->spans;
  CHECK(spans.beginNs(5) == 2100);  // the second layer of the third epoch
  state.alignment = Alignment::accuracy;
  state.accuracy = 0.6;
  show();
  CHECK(beginOf(lanes, 3) + 3000 == 3000);  // the end of epoch 3 at that of the first run's epoch 2
}

TEST_CASE("a compared run is shown in the time of the scene, where it recorded both", "[scene]") {
  const Recording recording;
  {
    Database database(recording.file, Access::readWrite);
    Runs(database).setParameters(2, {{"result.dilation", "3.0"}});
  }
  SceneState state = recording.scene();
  SceneLanes lanes;
  lanes.show(recording.path(), 1, readSceneData(state));
  REQUIRE(until(lanes));
  CHECK(beginOf(lanes, 0) == 0);
  CHECK(beginOf(lanes, 1) == 1000);
  CHECK(lanes.others()[0].model->time().title == "modelled time");
  state.clock = TimeClock::wall;
  lanes.show(recording.path(), 1, readSceneData(state));
  REQUIRE(until(lanes));
  CHECK(beginOf(lanes, 0) == 0);
  CHECK(beginOf(lanes, 1) == 3000);
  CHECK(lanes.others()[0].model->time().title == "wall time");
}

TEST_CASE("a run without the moment that is asked for stands by its first epoch, and says so", "[scene]") {
  const Recording recording;
  SceneState state = recording.scene();
  state.alignment = Alignment::epoch;
  state.epoch = 9;
  SceneLanes lanes;
  lanes.show(recording.path(), 1, readSceneData(state));
  REQUIRE(until(lanes));
  CHECK(beginOf(lanes, 0) == 0);
  CHECK(lanes.others()[0].note.contains("aligned at the first epochs"));
}

TEST_CASE("a run that stays where it is is not read again; one that is not compared has nobody beside it",
          "[scene]") {
  const Recording recording;
  SceneState state = recording.scene();
  SceneLanes lanes;
  lanes.show(recording.path(), 1, readSceneData(state));
  REQUIRE(until(lanes));
  const TimelineModel* before = lanes.others()[0].model;
  state.name = "another";
  lanes.show(recording.path(), 1, readSceneData(state));
  CHECK(lanes.others()[0].model == before);
  CHECK(lanes.at(1)->model == before);
  CHECK(lanes.at(0) == nullptr);
  CHECK(lanes.at(2) == nullptr);
  lanes.show(recording.path(), 7, readSceneData(state));
  CHECK(lanes.others().empty());
  state.chips.pop_back();
  lanes.show(recording.path(), 1, readSceneData(state));
  CHECK(lanes.others().empty());
}

TEST_CASE("a pause holds what is drawn of runs that go on, also of one that is added meanwhile", "[scene]") {
  const Recording recording;
  int epochs = 4;
  const auto goOn = [&] {
    Database database(recording.file, Access::readWrite);
    EpochRow row;
    row.epoch = epochs;
    row.beginNs = 700 + 3000 * epochs++;
    row.wallNs = 3000;
    Epochs(database).append(2, std::vector{row});
  };
  {
    Database database(recording.file, Access::readWrite);
    database.execute("UPDATE run SET status = 'running', host = 'elsewhere' WHERE id = 2");
  }
  const SceneData scene = readSceneData(recording.scene());
  SceneLanes drawing, held, late;
  const auto epochsOf = [](const SceneLanes& lanes) { return lanes.others()[0].model->epochs().size(); };
  const auto has = [&](const SceneLanes& lanes, std::size_t count) {
    QElapsedTimer timer;
    timer.start();
    while (epochsOf(lanes) < count && timer.elapsed() < 30'000)
      QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    return epochsOf(lanes) == count;
  };
  for (SceneLanes* each : {&drawing, &held}) {
    each->show(recording.path(), 1, scene);
    REQUIRE(until(*each));
    CHECK(each->grows());
  }
  held.setPaused(true);
  goOn();
  REQUIRE(has(drawing, 5));
  late.setPaused(true);
  late.show(recording.path(), 1, scene);
  REQUIRE(until(late));
  CHECK(epochsOf(late) == 5);  // what stood there
  for (std::size_t count = 6; count <= 8; ++count) {
    goOn();
    REQUIRE(has(drawing, count));
  }
  CHECK(epochsOf(held) == 4);
  CHECK(epochsOf(late) == 5);
  for (SceneLanes* each : {&held, &late}) {
    each->setPaused(false);
    CHECK(has(*each, 8));
  }

  held.setPaused(true);
  held.show(recording.path(), 7, scene);  // nobody is beside it
  QElapsedTimer timer;
  timer.start();
  while (held.leaving() > 0 && timer.elapsed() < 30'000)
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
  CHECK(held.leaving() == 0);
}

TEST_CASE("a run that is compared no more is let go without waiting for what still reads it", "[scene]") {
  const Recording recording;
  SceneState state = recording.scene();
  SceneLanes lanes;
  lanes.show(recording.path(), 1, readSceneData(state));  // its thread may be anywhere
  state.chips.pop_back();
  lanes.show(recording.path(), 1, readSceneData(state));
  CHECK(lanes.others().empty());
  CHECK(lanes.leaving() == 1);  // it has not said yet that it rests
  QElapsedTimer timer;
  timer.start();
  while (lanes.leaving() > 0 && timer.elapsed() < 30'000)
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
  CHECK(lanes.leaving() == 0);
}
