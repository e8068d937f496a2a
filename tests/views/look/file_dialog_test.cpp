// That a file dialog leaves the locks of an open recording alone. SQLite's locks belong to the process: any
// close of the file in it drops them all.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDirIterator>
#include <QFileDialog>
#include <QFileSystemModel>

#include "tests/app/window/window_fixture.h"
#include "tests/support/places.h"
#include "tests/support/small_recording.h"
#include "views/look/file_dialog.h"

using namespace halo;

namespace {

/// Whether this process holds a lock on the file, seen from another process.
bool holdsLock(const SmallRecording& recording) {
  const std::string file = recording.file().string();
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const int handle = open(file.c_str(), O_RDWR);
    const bool valid = handle >= 0 && fcntl(handle, F_GETLK, &lock) == 0;
    _exit(valid && lock.l_type != F_UNLCK && lock.l_pid == getppid() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status == 0;
}

/// The dialog has told the kind of the recording.
bool listed(const QFileDialog& dialog) {
  const auto* model = dialog.findChild<QFileSystemModel*>();
  if (!model) return false;
  const QModelIndex at = model->index(dialog.directory().filePath("synthetic.db"));
  return at.isValid() && !at.siblingAtColumn(2).data().toString().isEmpty() &&
         model->rowCount(at.parent()) > 0;
}

}  // namespace

TEST_CASE("listing the folder of an open recording keeps its locks", "[window]") {
  const SmallRecording recording(2, 3);
  TestWindow test;
  test.settings.setValue("folder", QFileInfo(recording.path()).path());
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  REQUIRE(holdsLock(recording));
  test.pressAndAnswer<QFileDialog>("Open…", listed, [](QFileDialog& dialog) { dialog.reject(); });
  CHECK(holdsLock(recording));
}

TEST_CASE("a dialog tells recordings and experiments by their names", "[window]") {
  const SmallRecording recording(1, 1);
  const auto dialog =
      makeFileDialog(nullptr, {"Open", QFileInfo(recording.path()).path(), "Everything (*)", false});
  dialog->show();
  REQUIRE(QTest::qWaitFor([&] { return listed(*dialog); }, 20'000));
  const auto* model = dialog->findChild<QFileSystemModel*>();
  CHECK(model->index(recording.path()).siblingAtColumn(2).data().toString() == "Recording");
  CHECK(dialog->directory() == QFileInfo(recording.path()).dir());
  const auto save = makeFileDialog(nullptr, {"Save", recording.path(), "Recordings (*.db)", true});
  CHECK(save->selectedFiles() == QStringList{recording.path()});
}

TEST_CASE("no other file of the desktop asks for a file by itself", "[window]") {
  for (const char* folder : {"/app", "/views"})
    for (QDirIterator each(QString(kSourceDir) + folder, {"*.cpp", "*.h"}, QDir::Files,
                           QDirIterator::Subdirectories);
         each.hasNext();) {
      QFile file(each.next());
      REQUIRE(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      CAPTURE(file.fileName().toStdString());
      CHECK((file.fileName().contains("/file_dialog.") || !text.contains("QFileDialog")));
      CHECK_FALSE(text.contains("QMimeDatabase"));
    }
}
