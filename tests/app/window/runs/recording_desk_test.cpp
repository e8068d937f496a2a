// A recording shown in a session, without a window.
#include "app/window/runs/recording_desk.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/support/small_recording.h"

using namespace halo;

namespace {

struct Shown {
  Session session;
  StartedRuns started;
  RecordingDesk desk{session, started};

  bool settle() {
    return QTest::qWaitFor([this] { return desk.settled(); }, 20'000);
  }
};

void change(const SmallRecording& recording, const std::string& sql) {
  Database database(recording.file(), Access::readWrite);
  database.execute(sql);
}

}  // namespace

TEST_CASE("the last run of a recording is shown until another is chosen", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/2);
  Shown test;
  CHECK(test.settle());
  test.desk.open(recording.path());
  CHECK_FALSE(test.desk.settled());
  CHECK(test.session.state().opening);
  REQUIRE(test.settle());
  CHECK(test.session.run().run.id == 2);
  QSignalSpy chosen(&test.session, &Session::runChosen);
  test.desk.choose(1);
  CHECK(test.session.state().reading);
  REQUIRE(test.settle());
  CHECK(test.session.run().epochs.size() == 4);
  CHECK(test.session.run().breakdown.measured);
  CHECK(qint64(test.session.lanes().spans()) == test.session.run().spans);
  test.desk.choose(1);
  test.desk.choose(99);  // there is none
  CHECK(chosen.count() == 1);
}

TEST_CASE("a run that goes on and one that ended are read by the same questions", "[window]") {
  const SmallRecording recording(2, 4);
  change(recording, "UPDATE run SET status = 'running', host = 'elsewhere'");
  Shown test;
  test.desk.open(recording.path());
  REQUIRE(test.settle());
  CHECK(test.session.run().run.status == "running");
  QSignalSpy chosen(&test.session, &Session::runChosen);
  QSignalSpy reads(&test.session, &Session::runRead);
  change(recording, "UPDATE run SET status = 'completed'");
  REQUIRE(QTest::qWaitFor([&] { return test.session.run().run.status == "completed"; }, 20'000));
  CHECK(reads.count() > 0);
  CHECK(chosen.isEmpty());  // it is still the same run
  REQUIRE(test.settle());
}

TEST_CASE("a recording that is not there is told of in the state until another is opened", "[window]") {
  const SmallRecording recording(1, 2);
  Shown test;
  QSignalSpy problems(&test.desk, &RecordingDesk::problemFound);
  test.desk.open("/no/such/recording.db");
  REQUIRE(test.settle());
  CHECK(test.session.state().failure.contains("there is no such recording"));
  CHECK(problems.count() == 1);
  test.desk.open(recording.path());
  CHECK(test.session.state().failure.isEmpty());
  REQUIRE(test.settle());
  test.desk.refuse("sample.db: is not there");
  CHECK(test.desk.failure().isEmpty());  // what is shown stays
  CHECK(problems.last().first().toString() == "sample.db: is not there");
}

TEST_CASE("a process that ends before it records anything is told of by its last words", "[window]") {
  const QTemporaryDir folder;
  const QString log = folder.filePath("r.db.log");
  noteInLog(log, "no room on this disk");
  Shown test;
  QSignalSpy failures(&test.desk, &RecordingDesk::startFailed);
  test.desk.await(folder.filePath("r.db"), log);
  CHECK(test.session.state().starting);
  CHECK(test.session.state().log == log);
  REQUIRE(QTest::qWaitFor([&] { return !test.session.state().failure.isEmpty(); }, 20'000));
  CHECK(test.session.state().failure.contains("no room on this disk"));
  CHECK_FALSE(test.session.state().starting);
  REQUIRE(failures.count() == 1);
  CHECK(failures.first().first().toString().endsWith("recorded anything: no room on this disk"));
}

TEST_CASE("the log of a failed start stands in place of others until another run is shown", "[window]") {
  const SmallRecording recording(1, 2, /*runs=*/2);
  Shown test;
  test.desk.open(recording.path());
  REQUIRE(test.settle());
  CHECK(test.session.state().log.isEmpty());
  test.desk.failStart("there is no haloscope", "r.db.log");
  CHECK(test.session.state().log == "r.db.log");
  CHECK(test.session.run().run.id == 2);  // what is shown stays
  CHECK(test.desk.failure().isEmpty());
  test.desk.choose(1);
  CHECK(test.session.state().log.isEmpty());
}

TEST_CASE("what was started is shown as it comes, until a person chooses another run", "[window]") {
  const SmallRecording recording(1, 2, /*runs=*/3);
  change(recording, "UPDATE run SET status = 'running', host = 'elsewhere' WHERE id = 2");
  Shown test;
  test.desk.open(recording.path());
  REQUIRE(test.settle());
  CHECK(test.session.run().run.id == 3);
  test.desk.await(recording.path(), "r.db.log");
  change(recording, "UPDATE run SET tags = 'seen' WHERE id = 1");  // read again
  REQUIRE(QTest::qWaitFor([&] { return test.session.run().run.id == 2; }, 20'000));
  test.desk.choose(1);
  CHECK_FALSE(test.session.state().starting);
  QSignalSpy runs(&test.session, &Session::runsRead);
  change(recording, "UPDATE run SET tags = 'twice' WHERE id = 1");
  REQUIRE(runs.wait(20'000));
  CHECK(test.session.run().run.id == 1);
}
