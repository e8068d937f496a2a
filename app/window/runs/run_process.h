#pragma once

#include <QString>
#include <QStringList>

#include "engine/record/rows/rows.h"

namespace halo {

/// What the window asks of the program `haloscope`.
struct RunRequest {
  QString program;     // haloscope, beside this program
  QString experiment;  // the file to run
  QString recording;
  QString log;     // where its words go
  QString record;  // "all", "10", "none"; empty: as the experiment says
};

/// The argument vector; never a shell line.
QStringList runArguments(const RunRequest& request);

/// Starts the run as a process of its own, in a session of its own: it outlives the window. Returns its
/// number; throws EnvironmentError with what is missing.
qint64 startRun(const RunRequest& request);

/// Adds a line to a log. Throws EnvironmentError with the system's words.
void noteInLog(const QString& log, const QString& line);

inline constexpr const char* kStartNote = "Recording into ";  // how a log begins what a start writes

/// The last `lines` that the last start wrote into a log; empty where there is none.
QString lastWords(const QString& log, int lines);

/// Whether process `supervisor` of this machine is a `haloscope`: numbers of processes are used again.
bool supervisorLives(qint64 supervisor);

/// Asks the supervisor of a running run on this machine to stop: after the epoch, or `now`. Only a process
/// that is `haloscope` is asked. False: there is none to ask.
bool askToStop(qint64 supervisor, bool now);

/// What is known of a run that was asked to stop `times` times, the last `ms` ago, and still runs. After some
/// seconds that is no more than that it was asked.
QString stopText(int times, qint64 ms);

}  // namespace halo
