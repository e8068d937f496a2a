// A run that goes on, with its drawing paused, and one that fails while its newest is followed. The recording
// is written to as a supervisor does; no process runs.
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/window/runs/recording_desk.h"
#include "tests/support/small_recording.h"
#include "views/timeline/timeline_view.h"

using namespace halo;

namespace {

constexpr int kEpochs = 4;
constexpr std::int64_t kZero = 1'000'000'000, kEpochNs = 10'000'000;  // of SmallRecording

/// A recording whose only run goes on elsewhere, shown.
struct LiveRun {
  SmallRecording recording{2, kEpochs};
  Session session;
  TimelineView view{session.lanes(), session.window()};  // which tells how far there is something to see
  StartedRuns started;
  RecordingDesk desk{session, started};
  int epochs = kEpochs;

  LiveRun() {
    change("UPDATE run SET status = 'running', host = 'elsewhere'");
    desk.open(recording.path());
    REQUIRE(settle());
  }
  bool settle() {
    return QTest::qWaitFor([this] { return desk.settled(); }, 20'000);
  }
  void change(const std::string& sql) {
    Database database(recording.file(), Access::readWrite);
    database.execute(sql);
  }
  /// One more epoch of both ranks, with a span each.
  void goOn() {
    Database database(recording.file(), Access::readWrite);
    Transaction transaction(database);
    const std::int64_t begin = kZero + epochs * kEpochNs;
    EpochRow row;
    row.epoch = epochs++;
    row.beginNs = begin;
    row.wallNs = kEpochNs;
    const std::vector<EpochRow> rows = {row};
    Epochs(database).append(1, rows);
    for (int rank = 0; rank < 2; ++rank)
      Spans(database).append(1, rank,
                             std::vector{Span{begin, kEpochNs, 0, static_cast<std::int32_t>(row.epoch), -1, 0,
                                              Name::aggregate, Kind::compute, Lane::main, Pass::forward}});
    transaction.commit();
  }
  /// The recording has been looked at since.
  bool look() {
    QSignalSpy looks(&desk.reader(), &RecordingReader::looked);
    return QTest::qWaitFor([&] { return looks.count() >= 2; }, 20'000);
  }
};

}  // namespace

TEST_CASE("a pause stops drawing and following, while the run goes on", "[window][live]") {
  LiveRun test;
  TimeWindow& window = test.session.window();
  window.setVisible({kZero + 2 * kEpochNs, kZero + 4 * kEpochNs});
  window.setFollowing(true);
  QSignalSpy paused(&test.desk, &RecordingDesk::pausedChanged), reads(&test.session, &Session::runRead);
  test.desk.setPaused(true);
  CHECK(paused.count() == 1);
  CHECK_FALSE(window.following());
  const TimeRange visible = window.visible();
  const std::size_t spans = test.session.lanes().spans();
  test.goOn();
  REQUIRE(QTest::qWaitFor([&] { return test.desk.newest().epochs.size() == kEpochs + 1; }, 20'000));
  REQUIRE(test.look());
  CHECK(reads.isEmpty());
  CHECK(test.session.run().epochs.size() == kEpochs);
  CHECK(test.session.lanes().spans() == spans);
  CHECK(window.visible() == visible);

  test.desk.setPaused(false);
  CHECK(paused.count() == 2);
  CHECK(test.session.run().epochs.size() == kEpochs + 1);
  REQUIRE(QTest::qWaitFor([&] { return test.session.lanes().spans() == spans + 2; }, 20'000));
  CHECK(window.following());
  REQUIRE(QTest::qWaitFor([&] { return window.visible().endNs == kZero + 5 * kEpochNs; }, 20'000));
  CHECK(window.visible().lengthNs() == visible.lengthNs());
}

TEST_CASE("a pause holds the runs beside the shown one, also where that one is over", "[window][live]") {
  LiveRun test;
  {
    Database database(test.recording.file(), Access::readWrite);
    RunRow row;
    row.experimentId = 1;
    row.method = "vanilla";
    row.workers = 2;
    row.status = "completed";
    REQUIRE(Runs(database).add(row) == 2);
  }
  REQUIRE(QTest::qWaitFor([&] { return test.session.runs().rowOf(2) >= 0; }, 20'000));
  test.desk.choose(2);
  REQUIRE(test.settle());
  REQUIRE(test.session.run().run.id == 2);
  SceneState scene;
  scene.chips = {{test.recording.path(), {2}, 0}, {test.recording.path(), {1}, 1}};
  SceneLanes& lanes = test.session.sceneLanes();
  lanes.show(test.recording.path(), 2, readSceneData(scene));
  REQUIRE(QTest::qWaitFor([&] { return lanes.settled(); }, 20'000));
  CHECK(lanes.grows());
  const TimelineModel& beside = *lanes.others().at(0).model;
  const std::size_t spans = beside.spans();
  REQUIRE(spans > 0);
  test.desk.setPaused(true);
  test.goOn();
  REQUIRE(test.look());  // twenty looks of a feed
  CHECK(beside.spans() == spans);
  test.desk.setPaused(false);
  CHECK(QTest::qWaitFor([&] { return beside.spans() == spans + 2; }, 20'000));
}

TEST_CASE("a pause ends with the run, whose view stays where it is", "[window][live]") {
  LiveRun test;
  TimeWindow& window = test.session.window();
  window.setVisible({kZero + kEpochNs, kZero + 2 * kEpochNs});
  test.desk.setPaused(true);
  const TimeRange visible = window.visible();
  test.goOn();
  test.change("UPDATE run SET status = 'completed'");
  REQUIRE(QTest::qWaitFor([&] { return test.session.run().run.status == "completed"; }, 20'000));
  CHECK_FALSE(test.desk.paused());
  REQUIRE(test.settle());
  CHECK(test.session.run().epochs.size() == kEpochs + 1);
  CHECK(window.visible() == visible);
}

TEST_CASE("another run that is chosen ends the pause of the one before", "[window][live]") {
  const SmallRecording recording(2, kEpochs, /*runs=*/2);
  {
    Database database(recording.file(), Access::readWrite);
    database.execute("UPDATE run SET status = 'running', host = 'elsewhere' WHERE id = 1");
  }
  Session session;
  StartedRuns started;
  RecordingDesk desk(session, started);
  desk.open(recording.path(), 1);
  REQUIRE(QTest::qWaitFor([&] { return desk.settled(); }, 20'000));
  desk.setPaused(true);
  desk.choose(2);
  CHECK_FALSE(desk.paused());
  desk.choose(1);
  REQUIRE(QTest::qWaitFor([&] { return desk.settled() && session.lanes().spans() > 0; }, 20'000));
  CHECK(qint64(session.lanes().spans()) == session.run().spans);
}

TEST_CASE("a run that fails while its newest is followed leaves the view where it is", "[window][live]") {
  LiveRun test;
  TimeWindow& window = test.session.window();
  window.setVisible({kZero + 2 * kEpochNs, kZero + 4 * kEpochNs});
  window.setFollowing(true);
  const TimeRange visible = window.visible();
  const std::string status = GENERATE("failed", "interrupted");
  test.change("UPDATE run SET status = '" + status + "', error = 'rank 1 was ended by signal 9'");
  REQUIRE(QTest::qWaitFor([&] { return test.session.run().run.status == status; }, 20'000));
  REQUIRE(test.look());
  CHECK(window.visible() == visible);
  CHECK_FALSE(window.following());
}
