#include "app/window/recent_files.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("eight files are remembered, the newest first, each once", "[window]") {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  Session session;
  RecentFiles recent(settings, session);
  QStringList fileNames;
  QObject::connect(&session, &Session::recentChanged, [&](const QStringList& files) { fileNames = files; });
  for (int i = 0; i < 10; ++i) recent.remember(folder.filePath(QString("%1.db").arg(i)));
  recent.remember(folder.filePath("5.db"));
  REQUIRE(fileNames.size() == 8);
  CHECK(fileNames[0] == folder.filePath("5.db"));
  CHECK(fileNames[1] == folder.filePath("9.db"));
  CHECK(fileNames.count(folder.filePath("5.db")) == 1);
  CHECK(recent.present().isEmpty());
  QFile file(folder.filePath("7.db"));
  REQUIRE(file.open(QIODevice::WriteOnly));
  CHECK(recent.present() == QStringList{folder.filePath("7.db")});
}
