#pragma once

#include <QFileDialog>
#include <memory>

namespace halo {

struct FileQuestion {
  QString title;
  QString start;   // folder, or file, to begin with
  QString filter;  // "Experiments (*.toml);;Everything (*)"
  bool save = false;
};

/// The one way to a file dialog. Nothing of what it lists is opened, so the dialog is Qt's own, and its icons
/// and kinds come from names only. A dialog that told a recording's kind would open the file and close it
/// again. POSIX locks belong to the process, so this would drop every lock that SQLite holds on that file
/// here. The next program to close the recording would then delete its log under us.
std::unique_ptr<QFileDialog> makeFileDialog(QWidget* parent, const FileQuestion& question);

/// Asks and waits. Empty: given up.
QString askForFile(QWidget* parent, const FileQuestion& question);

}  // namespace halo
