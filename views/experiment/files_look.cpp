#include "views/experiment/files_look.h"

#include <QProcess>

namespace halo {

FilesLook::~FilesLook() {
  for (auto* process : findChildren<QProcess*>()) {  // one that was forgotten may still be ending
    process->disconnect();
    process->kill();
    process->waitForFinished();
  }
}

void FilesLook::ask(const Question& question) {
  forget();
  auto* process = new QProcess(this);
  process_ = process;
  process->setWorkingDirectory(question.folder);
  process->setStandardOutputFile(QProcess::nullDevice());  // the plan
  connect(process, &QProcess::finished, this, [this, process](int status, QProcess::ExitStatus how) {
    const QString words = QString::fromUtf8(process->readAllStandardError());
    const bool ended = how == QProcess::NormalExit;
    tell(!ended        ? Verdict::unknown
         : status == 0 ? Verdict::sound
                       : Verdict::wrong,
         ended ? words : process->program() + ": " + process->errorString());
  });
  connect(process, &QProcess::errorOccurred, this, [this, process](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart)
      tell(Verdict::unknown, process->program() + ": " + process->errorString());
  });
  process->start(question.program, {"--db", question.recording, "run", "--dry-run", "-"});
  process->write(question.text.toUtf8());
  process->closeWriteChannel();
}

void FilesLook::forget() {
  if (process_ == nullptr) return;
  process_->disconnect(this);
  connect(process_, &QProcess::finished, process_, &QObject::deleteLater);
  process_->kill();  // nobody waits for its end
  process_ = nullptr;
}

void FilesLook::tell(Verdict verdict, const QString& words) {
  process_->deleteLater();
  process_ = nullptr;
  emit answered({verdict, words.split('\n', Qt::SkipEmptyParts)});
}

}  // namespace halo
