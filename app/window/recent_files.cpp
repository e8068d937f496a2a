#include "app/window/recent_files.h"

#include <QFileInfo>

#include "views/look/file_dialog.h"

namespace halo {

void RecentFiles::remember(const QString& file) {
  constexpr qsizetype kMost = 8;
  const QString path = QFileInfo(file).absoluteFilePath();
  QStringList files = all();
  files.removeAll(path);
  files.prepend(path);
  settings_.setValue("recent", files.mid(0, kMost));
  tell();
}

void RecentFiles::tell() { emit session_.recentChanged(all()); }

QStringList RecentFiles::present() const {
  QStringList files = all();
  files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
  return files;
}

QString RecentFiles::ask(QWidget& window) {
  const QString file =
      askForFile(&window, {"Open", settings_.value("folder").toString(),
                           "Recordings, experiments, scenes (*.db *.halo *.toml);;Everything (*)", false});
  if (!file.isEmpty()) settings_.setValue("folder", QFileInfo(file).path());
  return file;
}

}  // namespace halo
