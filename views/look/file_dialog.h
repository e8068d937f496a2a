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

/// The one way to a file dialog. Nothing of what it lists is opened: a look into a recording to tell its kind
/// would, on closing it, drop every lock that SQLite holds on that file in this process (POSIX locks belong
/// to the process), and the next program to close the recording would delete its log under us. So the dialog
/// is Qt's own, and its icons and kinds come from names only.
std::unique_ptr<QFileDialog> makeFileDialog(QWidget* parent, const FileQuestion& question);

/// Asks and waits. Empty: given up.
QString askForFile(QWidget* parent, const FileQuestion& question);

}  // namespace halo
