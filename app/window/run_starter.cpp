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

QString recordingForRuns(const WindowPlaces& places, const QString& visibleRecording,
                         const QString& experiment) {
  const QFileInfo recording(visibleRecording);
  const bool bundled = recording.fileName() == "sample.db" || liesIn(recording.filePath(), places.sample);
  if (recording.isFile() && recording.isWritable() && canRecordBeside(recording.absolutePath()) && !bundled)
    return recording.absoluteFilePath();
  const QString folder = QFileInfo(experiment).absolutePath();
  const bool beside =
      canRecordBeside(folder) && !liesIn(folder, places.experiments) && !liesIn(folder, places.data);
  return QDir(beside ? folder : places.data).filePath("recordings.db");
}

RunStarter::RunStarter(ExperimentDesk& experiments, SimulateDesk& simulations, const Session& session,
                       StartedRuns& runs, Messages& messages, const WindowPlaces& places, QWidget& window)
    : experiments_(experiments),
      simulations_(simulations),
      session_(session),
      runs_(runs),
      messages_(messages),
      places_(places),
      window_(window) {}

/// Two runs on the same cores slow each other: nobody's times would be worth comparing, so a person decides.
bool RunStarter::mayStartBeside() {
  const RunRow* live = runningRun(session_.runs().runs());
  const bool lives = live && supervisorLives(live->supervisorPid);
  if (!lives && !runs_.anyLives()) return true;
  const QString sentence = lives ? QString("Run %1 is training with %2 worker%3")
                                       .arg(live->id)
                                       .arg(live->workers)
                                       .arg(live->workers == 1 ? "" : "s")
                                 : QString("A run started here is still under way");
  QMessageBox box(
      QMessageBox::Question, "Run",
      QString("%1 on this machine of %2 cores. Another beside it shares them: both become slower, "
              "and their times say little.")
          .arg(sentence)
          .arg(QThread::idealThreadCount()),
      QMessageBox::Cancel, &window_);
  const auto* beside = box.addButton("Start beside it", QMessageBox::AcceptRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.exec();
  return box.clickedButton() == beside;
}

QString RunStarter::recording(const QString& visibleRecording) const {
  const QString experiment = experiments_.form().file(), own = simulations_.recordingOf(experiment);
  return own.isEmpty() ? recordingForRuns(places_, visibleRecording, experiment) : own;
}

void RunStarter::start(const QString& record, const QString& visibleRecording) {
  ExperimentForm& form = experiments_.form();
  if (form.text().isEmpty()) return emit experimentLacks();
  if (const auto wrong = form.problems(); !wrong.empty()) return emit refused(wrong);
  if (!mayStartBeside() || !experiments_.saveForRun()) return;
  const QString recorded = recording(visibleRecording);
  QDir().mkpath(QFileInfo(recorded).absolutePath());
  const QString log = runs_.freeLog(recorded);
  try {
    const qint64 supervisor = runs_.start({places_.program, form.file(), recorded, log, record});
    simulations_.noteStart(form.file(), supervisor);
  } catch (const std::exception& error) {
    return tellFailure(QString::fromUtf8(error.what()), log);
  }
  emit started(recorded, log);
}

void RunStarter::tellFailure(const QString& why, const QString& log) {
  try {
    noteInLog(log, "Not started: " + why);
  } catch (const std::exception&) {  // the log may be what is wrong
  }
  emit failed(why, log);
  QMessageBox::warning(&window_, "Run", plainRich(why));
}

const RunRow* RunStarter::toStop() const { return runToStop(session_.runs().runs(), session_.run().run.id); }

bool RunStarter::canStop() const { return toStop() != nullptr; }

void RunStarter::stop() {
  const RunRow* run = toStop();
  if (!run || !runs_.stop(*run))
    messages_.addProblem("There is no run of this machine to stop.");
  else
    emit stopAsked();
}

}  // namespace halo
