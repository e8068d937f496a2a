#include "app/window/recent_files.h"

#include <QFileInfo>

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

}  // namespace halo
