#include "views/look/file_dialog.h"

#include <QApplication>
#include <QFileIconProvider>
#include <QFileInfo>
#include <QStyle>
#include <QTemporaryDir>

namespace halo {

namespace {

/// Asked on the thread that lists folders, so the icons are made beforehand.
class IconsByName : public QFileIconProvider {
 public:
  IconsByName()
      : folder_(QApplication::style()->standardIcon(QStyle::SP_DirIcon)),
        file_(QApplication::style()->standardIcon(QStyle::SP_FileIcon)) {}

  QIcon icon(IconType type) const override { return type == File ? file_ : folder_; }
  QIcon icon(const QFileInfo& info) const override { return info.isDir() ? folder_ : file_; }
  QString type(const QFileInfo& info) const override {
    if (info.isDir()) return "Folder";
    const QString ending = info.suffix();
    if (ending == "db" || ending == "halo") return "Recording";
    if (ending == "toml") return "Experiment";
    return ending.isEmpty() ? "File" : ending + " file";
  }

 private:
  QIcon folder_, file_;
};

/// Made before the dialog and gone after it: its thread asks until it ends.
struct Icons {
  IconsByName icons;
};

class Dialog : private Icons, public QFileDialog {
 public:
  Dialog(QWidget* parent, const QString& title, const QString& nowhere)
      : QFileDialog(parent, title, nowhere) {
    setOption(DontUseNativeDialog);
    setIconProvider(&icons);
  }
};

}  // namespace

std::unique_ptr<QFileDialog> makeFileDialog(QWidget* parent, const FileQuestion& question) {
  // a dialog lists its first folder before it can be given icons: one with nothing in it
  const QTemporaryDir nowhere;
  auto dialog = std::make_unique<Dialog>(parent, question.title, nowhere.path());
  dialog->setAcceptMode(question.save ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
  dialog->setFileMode(question.save ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
  dialog->setNameFilters(question.filter.split(";;"));
  const QFileInfo start(question.start);
  const bool folder = question.start.isEmpty() || start.isDir();
  dialog->setDirectory(folder ? (question.start.isEmpty() ? QDir::currentPath() : start.absoluteFilePath())
                              : start.absolutePath());
  if (!folder) {
    dialog->selectFile(start.fileName());
    dialog->setDefaultSuffix(start.suffix());
  }
  return dialog;
}

QString askForFile(QWidget* parent, const FileQuestion& question) {
  const auto dialog = makeFileDialog(parent, question);
  return dialog->exec() == QDialog::Accepted ? dialog->selectedFiles().value(0) : QString();
}

}  // namespace halo
