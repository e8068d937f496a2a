#include "views/recording_reader.h"

#include <QFile>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

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
