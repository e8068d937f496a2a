#include "app/window/runs/run_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/problem.h"

namespace halo {

QStringList runArguments(const RunRequest& request) {
  QStringList arguments{"--db", request.recording, "run", request.experiment};
  if (!request.record.isEmpty())
    arguments << "--set"
              << "record.spans=" + (request.record.toInt() > 0 ? "\"every " + request.record + " epochs\""
                                                               : '"' + request.record + '"');
  return arguments;
}

namespace {

/// The log beside a recording, to append to: neither a link is followed nor a pipe's reader waited for.
class OpenLog {
 public:
  explicit OpenLog(const QString& log)
      : descriptor_(::open(log.toLocal8Bit().constData(),
                           O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666)) {
    struct stat info {};
    const int error = descriptor_ < 0 ? errno : 0;
    if (error == 0 && ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode)) return;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw EnvironmentError(log.toStdString() + ": cannot be written: " +
                           (error == ELOOP                 ? "is a link"
                            : error == 0 || error == ENXIO ? "is no file"
                                                           : std::strerror(error)) +
                           "; the log of what is started here goes there");
  }
  ~OpenLog() { ::close(descriptor_); }
  OpenLog(const OpenLog&) = delete;
  OpenLog& operator=(const OpenLog&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

qint64 startRun(const RunRequest& request) {
  if (!QFileInfo(request.program).isExecutable())
    throw EnvironmentError(
        request.program.toStdString() +
        ": is not there or cannot be run; install the package haloscope, or build the target haloscope");
  QProcess process;
  process.setProgram(request.program);
  process.setArguments(runArguments(request));
  process.setStandardInputFile(QProcess::nullDevice());
  const OpenLog log(request.log);
  const QString opened = QString("/proc/self/fd/%1").arg(log.descriptor());  // whatever has its name by now
  process.setStandardOutputFile(opened, QIODevice::Append);
  process.setStandardErrorFile(opened, QIODevice::Append);
  qint64 number = 0;
  if (!process.startDetached(&number))
    throw EnvironmentError(request.program.toStdString() +
                           ": cannot be started: " + process.errorString().toStdString());
  return number;
}

void noteInLog(const QString& log, const QString& line) {
  const OpenLog opened(log);
  QFile file;
  if (!file.open(opened.descriptor(), QIODevice::WriteOnly | QIODevice::Append) ||
      file.write(line.toUtf8() + '\n') < 0 || !file.flush())
    throw EnvironmentError(log.toStdString() + ": cannot be written: " + file.errorString().toStdString());
}

QString lastWords(const QString& log, int lines) {
  QFile file(log);
  if (!file.open(QIODevice::ReadOnly)) return {};
  constexpr qint64 kEnough = 8192;
  file.seek(std::max<qint64>(0, file.size() - kEnough));
  QStringList all = QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts);
  const auto begin = std::find_if(all.crbegin(), all.crend(),
                                  [](const QString& line) { return line.startsWith(kStartNote); });
  all.remove(0, std::distance(begin, all.crend()));
  return all.mid(std::max<qsizetype>(0, all.size() - lines)).join('\n');
}

bool supervisorLives(qint64 supervisor) {
  if (supervisor <= 1) return false;
  QFile command(QString("/proc/%1/cmdline").arg(supervisor));
  if (!command.open(QIODevice::ReadOnly)) return false;
  const QString program = QString::fromUtf8(command.readAll().split('\0').value(0));
  return QFileInfo(program).fileName() == "haloscope";
}

bool askToStop(qint64 supervisor, bool now) {
  return supervisorLives(supervisor) && ::kill(static_cast<pid_t>(supervisor), now ? SIGTERM : SIGINT) == 0;
}

QString stopText(int times, qint64 ms) {
  constexpr qint64 kSureMs = 10'000;
  if (times <= 0) return {};
  if (ms < kSureMs) return times == 1 ? " · stopping after this epoch" : " · stopping now";
  const QString message = QString(" · asked to stop %1 s ago, still running").arg(ms / 1000);
  return times == 1 ? message + "; Stop again ends it now" : message;
}

}  // namespace halo
