#include "views/session/recording_reader.h"

#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "engine/base/host_name.h"
#include "tests/support/small_recording.h"

using namespace halo;

namespace {

bool comes(QSignalSpy& answers) { return !answers.isEmpty() || answers.wait(20'000); }

}  // namespace

TEST_CASE("a recording opened for another question while it failed is still told anew", "[views]") {
  const SmallRecording recording(2, 4);
  const QString away = recording.path() + ".away";
  RecordingReader reader;
  QSignalSpy runs(&reader, &RecordingReader::runsRead), failures(&reader, &RecordingReader::failed),
      breakdowns(&reader, &RecordingReader::breakdownRead);
  reader.open(recording.path());
  REQUIRE(comes(runs));
  REQUIRE(QFile::rename(recording.path(), away));
  reader.refresh();
  REQUIRE(comes(failures));
  REQUIRE(QFile::rename(away, recording.path()));
  reader.askBreakdown(1, 2, {});
  REQUIRE(comes(breakdowns));
  runs.clear();
  reader.refresh();
  CHECK(comes(runs));
}

TEST_CASE("what did not change is not read again", "[views]") {
  const SmallRecording recording(2, 4);
  RecordingReader reader;
  QSignalSpy runs(&reader, &RecordingReader::runsRead), breakdowns(&reader, &RecordingReader::breakdownRead);
  const auto readAgain = [&] {
    runs.clear();
    breakdowns.clear();
    reader.refresh();
    reader.askBreakdown(1, 2, {});  // answered after the refresh, on the one thread
    CHECK(comes(breakdowns));
    return !runs.isEmpty();
  };
  reader.open(recording.path());
  REQUIRE(comes(runs));
  readAgain();  // reading made a write-ahead log where there was none
  CHECK_FALSE(readAgain());
}

TEST_CASE("a run whose supervisor dies while it is looked at becomes interrupted", "[views]") {
  const SmallRecording recording(2, 4);
  QProcess supervisor;
  supervisor.start("cat", {});  // ends with its input
  REQUIRE(supervisor.waitForStarted());
  {
    Database database(recording.file(), Access::readWrite);
    RunRow run = Runs(database).all().front();
    run.status = "running";
    run.host = hostName();
    run.startedAt = "";  // a process younger than the run would not be its supervisor
    run.supervisorPid = supervisor.processId();
    Runs(database).update(run);
  }
  RecordingReader reader;
  QSignalSpy runs(&reader, &RecordingReader::runsRead);
  const auto status = [&] { return runs.last().at(0).value<SharedRuns>()->runs.front().status; };
  reader.open(recording.path());
  REQUIRE(comes(runs));
  CHECK(status() == "running");
  supervisor.closeWriteChannel();
  REQUIRE(supervisor.waitForFinished());
  runs.clear();
  reader.refresh();
  REQUIRE(comes(runs));
  CHECK(status() == "interrupted");
}

TEST_CASE("a reader is settled once nothing asked for is still to come, be it by a failure", "[views]") {
  const SmallRecording recording(2, 4);
  RecordingReader reader;
  QSignalSpy runs(&reader, &RecordingReader::runsRead), details(&reader, &RecordingReader::runRead),
      failures(&reader, &RecordingReader::failed);
  CHECK(reader.settled());
  reader.open(recording.path());
  const quint64 generation = reader.generation();
  CHECK(reader.isOpening());
  reader.askRun(1);
  reader.askBreakdown(1, 2, {});
  CHECK(reader.isReading());
  REQUIRE(comes(details));
  CHECK_FALSE(reader.isOpening());
  CHECK_FALSE(reader.isReading());
  CHECK(QTest::qWaitFor([&] { return reader.settled(); }, 20'000));
  reader.askRun(1);
  reader.open("/no/such/recording.db");
  CHECK(reader.generation() == generation + 1);
  CHECK_FALSE(reader.isReading());  // that was of the one before
  CHECK_FALSE(reader.settled());
  REQUIRE(comes(failures));
  CHECK(failures.first().at(2).toBool());  // there is nothing to show
  CHECK(reader.settled());
  CHECK(details.count() == 1);
}

TEST_CASE("while a recording is opened it is told how many of its runs are read", "[views]") {
  const SmallRecording recording(1, 1, 250, /*varied=*/true);
  RecordingReader reader;
  QSignalSpy runs(&reader, &RecordingReader::runsRead), reached(&reader, &RecordingReader::openingReached);
  reader.open(recording.path());
  REQUIRE(comes(runs));
  REQUIRE(reached.count() >= 3);
  qint64 before = -1;
  for (const QList<QVariant>& each : reached) {
    CHECK(each.at(0).toLongLong() > before);
    before = each.at(0).toLongLong();
    CHECK(each.at(1).toLongLong() == 250);
  }
  CHECK(before == 250);
}

TEST_CASE("of a recording whose opening is given up nothing is heard any more", "[views]") {
  const SmallRecording previous(1, 1, 250, /*varied=*/true), next(1, 2);
  RecordingReader reader;
  QSignalSpy runs(&reader, &RecordingReader::runsRead), failures(&reader, &RecordingReader::failed),
      reached(&reader, &RecordingReader::openingReached);
  reader.open(previous.path());
  reader.leave();
  CHECK(reader.settled());
  CHECK(reader.file().isEmpty());
  reader.open(next.path());  // answered after the other, on the one thread
  REQUIRE(comes(runs));
  CHECK(runs.count() == 1);
  CHECK(runs.last().at(0).value<SharedRuns>()->runs.size() == 1);
  CHECK(failures.isEmpty());
  for (const QList<QVariant>& each : reached) CHECK(each.at(1).toLongLong() == 1);
}
