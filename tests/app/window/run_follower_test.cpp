// A run followed into a session, without a window.
#include "app/window/run_follower.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/support/small_recording.h"

using namespace halo;

namespace {

struct Followed {
  Session session;
  StartedRuns started;
  RunFollower follower{session, started};

  bool settle() {
    return QTest::qWaitFor([this] { return follower.settled(); }, 20'000);
  }
};

void change(const SmallRecording& recording, const std::string& sql) {
  Database database(recording.file(), Access::readWrite);
  database.execute(sql);
}

}  // namespace

TEST_CASE("the last run of a recording is followed, and each choice is another generation", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/2);
  Followed test;
  CHECK(test.follower.settled());
  const auto before = test.follower.generation();
  test.follower.open(recording.path());
  CHECK_FALSE(test.follower.settled());
  CHECK(test.session.state().opening);
  REQUIRE(test.settle());
  CHECK(test.session.run().run.id == 2);
  const auto opened = test.follower.generation();
  CHECK(opened > before);
  test.follower.choose(1);
  CHECK(test.session.state().reading);
  REQUIRE(test.settle());
  CHECK(test.follower.generation() == opened + 1);
  CHECK(test.session.run().epochs.size() == 4);
  CHECK(test.session.run().breakdown.measured);
  CHECK(qint64(test.session.lanes().spans()) == test.session.run().spans);
  test.follower.choose(1);
  test.follower.choose(99);  // there is none
  CHECK(test.follower.generation() == opened + 1);
}

TEST_CASE("a run that goes on and one that ended are read by the same questions", "[window]") {
  const SmallRecording recording(2, 4);
  change(recording, "UPDATE run SET status = 'running', host = 'elsewhere'");
  Followed test;
  test.follower.open(recording.path());
  REQUIRE(test.settle());
  CHECK(test.session.run().run.status == "running");
  const auto generation = test.follower.generation();
  QSignalSpy reads(&test.session, &Session::runRead);
  change(recording, "UPDATE run SET status = 'completed'");
  REQUIRE(QTest::qWaitFor([&] { return test.session.run().run.status == "completed"; }, 20'000));
  CHECK(reads.count() > 0);
  CHECK(test.follower.generation() == generation);  // it is still the same run
  REQUIRE(test.settle());
}

TEST_CASE("a recording that is not there is told of in the state until another is opened", "[window]") {
  const SmallRecording recording(1, 2);
  Followed test;
  QSignalSpy problems(&test.follower, &RunFollower::problemFound);
  test.follower.open("/no/such/recording.db");
  REQUIRE(test.settle());
  CHECK(test.session.state().failure.contains("there is no such recording"));
  CHECK(problems.count() == 1);
  test.follower.open(recording.path());
  CHECK(test.session.state().failure.isEmpty());
  REQUIRE(test.settle());
  test.follower.refuse("sample.db", ": is not there");
  CHECK(test.follower.failure().isEmpty());  // what is shown stays
  CHECK(problems.last().first().toString() == "sample.db: is not there");
}

TEST_CASE("a process that ends before it records anything is told of by its last words", "[window]") {
  const QTemporaryDir folder;
  const QString log = folder.filePath("r.db.log");
  noteInLog(log, "no room on this disk");
  Followed test;
  test.follower.await(folder.filePath("r.db"), log);
  CHECK(test.session.state().starting);
  CHECK(test.session.state().log == log);
  REQUIRE(QTest::qWaitFor([&] { return !test.session.state().failure.isEmpty(); }, 20'000));
  CHECK(test.session.state().failure.contains("no room on this disk"));
  CHECK_FALSE(test.session.state().starting);
}

TEST_CASE("what was started is shown as it comes, until a person chooses another run", "[window]") {
  const SmallRecording recording(1, 2, /*runs=*/3);
  change(recording, "UPDATE run SET status = 'running', host = 'elsewhere' WHERE id = 2");
  Followed test;
  test.follower.open(recording.path());
  REQUIRE(test.settle());
  CHECK(test.session.run().run.id == 3);
  test.follower.await(recording.path(), "r.db.log");
  change(recording, "UPDATE run SET tags = 'seen' WHERE id = 1");  // read again
  REQUIRE(QTest::qWaitFor([&] { return test.session.run().run.id == 2; }, 20'000));
  test.follower.choose(1);
  CHECK_FALSE(test.session.state().starting);
  QSignalSpy runs(&test.session, &Session::runsRead);
  change(recording, "UPDATE run SET tags = 'twice' WHERE id = 1");
  REQUIRE(runs.wait(20'000));
  CHECK(test.session.run().run.id == 1);
}
