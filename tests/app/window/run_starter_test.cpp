#include "app/window/run_starter.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

QString write(const QString& file) {
  QFile target(file);
  REQUIRE(target.open(QIODevice::WriteOnly));
  return file;
}

}  // namespace

TEST_CASE(
    "runs are recorded beside what is shown, else beside their experiment, else in a folder of one's own",
    "[window]") {
  const QTemporaryDir folder;
  for (const char* name : {"bundled", "data", "mine"}) REQUIRE(QDir(folder.path()).mkpath(name));
  const WindowPlaces places{"", folder.filePath("bundled/sample.db"), folder.filePath("bundled"),
                            folder.filePath("data"), ""};
  const QString personal = folder.filePath("mine/e.toml"), bundled = folder.filePath("bundled/e.toml");
  const QString recording = write(folder.filePath("mine/shown.db"));
  CHECK(recordingForRuns(places, recording, bundled) == recording);
  CHECK(recordingForRuns(places, {}, personal) == folder.filePath("mine/recordings.db"));
  CHECK(recordingForRuns(places, {}, bundled) == folder.filePath("data/recordings.db"));
  CHECK(recordingForRuns(places, folder.filePath("mine/gone.db"), personal) ==
        folder.filePath("mine/recordings.db"));
  // neither in the sample nor beside a copy of it
  CHECK(recordingForRuns(places, write(places.sample), personal) == folder.filePath("mine/recordings.db"));
  CHECK(recordingForRuns(places, write(folder.filePath("data/sample.db")), bundled) ==
        folder.filePath("data/recordings.db"));
}
