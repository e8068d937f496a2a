#include "app/window/run_starter.h"

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QThread>

#include "views/experiment/experiment_form.h"
#include "views/look/figure_text.h"

namespace halo {

namespace {

bool liesIn(const QString& path, const QString& folder) {
  const QString inner = QFileInfo(path).canonicalFilePath(), outer = QFileInfo(folder).canonicalFilePath();
  return !outer.isEmpty() && (inner == outer || inner.startsWith(outer + '/'));
}

bool canRecordBeside(const QString& folder) {
  return QFileInfo(folder).isDir() && QFileInfo(folder).isWritable();
}

}  // namespace

QString recordingForRuns(const WindowPlaces& places, const QString& shown, const QString& experiment) {
  const QFileInfo recording(shown);
  const bool bundled = recording.fileName() == "sample.db" || liesIn(recording.filePath(), places.sample);
  if (recording.isFile() && recording.isWritable() && canRecordBeside(recording.absolutePath()) && !bundled)
    return recording.absoluteFilePath();
  const QString folder = QFileInfo(experiment).absolutePath();
  const bool beside =
      canRecordBeside(folder) && !liesIn(folder, places.experiments) && !liesIn(folder, places.data);
  return QDir(beside ? folder : places.data).filePath("recordings.db");
}

RunStarter::RunStarter(ExperimentDesk& desk, const Session& session, ProblemList& problems,
                       const WindowPlaces& places)
    : desk_(desk), session_(session), problems_(problems), places_(places) {}

/// Two runs on the same cores slow each other: nobody's times would be worth comparing, so a person decides.
bool RunStarter::mayStartBeside() {
  const RunRow* live = runningRun(session_.runs().runs());
  const bool lives = live && supervisorLives(live->supervisorPid);
  if (!lives && !runs_.anyLives()) return true;
  const QString which = lives ? QString("Run %1 is training with %2 worker%3")
                                    .arg(live->id)
                                    .arg(live->workers)
                                    .arg(live->workers == 1 ? "" : "s")
                              : QString("A run started here is still under way");
  QMessageBox box(
      QMessageBox::Question, "Run",
      QString("%1 on this machine of %2 cores. Another beside it shares them: both become slower, "
              "and their times say little.")
          .arg(which)
          .arg(QThread::idealThreadCount()),
      QMessageBox::Cancel, desk_.form().window());
  const auto* beside = box.addButton("Start beside it", QMessageBox::AcceptRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.exec();
  return box.clickedButton() == beside;
}

void RunStarter::start(const QString& record, const QString& shown) {
  ExperimentForm& form = desk_.form();
  if (form.text().isEmpty()) return emit experimentLacks();
  if (const auto wrong = form.problems(); !wrong.empty()) return emit refused(wrong);
  if (!mayStartBeside() || !desk_.saveForRun()) return;
  const QString recording = recordingForRuns(places_, shown, form.file());
  QDir().mkpath(QFileInfo(recording).absolutePath());
  QString log;
  try {
    log = runs_.start({places_.program, form.file(), recording, {}, record});
  } catch (const std::exception& error) {
    problems_.add(QString::fromUtf8(error.what()));
    QMessageBox::warning(form.window(), "Run", plainRich(QString::fromUtf8(error.what())));
    return;
  }
  emit started(recording, log);
}

const RunRow* RunStarter::toStop() const { return runToStop(session_.runs().runs(), session_.run().run.id); }

bool RunStarter::canStop() const { return toStop() != nullptr; }

void RunStarter::stop() {
  const RunRow* run = toStop();
  if (!run || !runs_.stop(*run))
    problems_.add("There is no run of this machine to stop.");
  else
    emit stopAsked();
}

}  // namespace halo
