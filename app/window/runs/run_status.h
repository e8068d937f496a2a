#pragma once

#include <QObject>

#include "app/window/runs/started_runs.h"
#include "views/session/session.h"

class QLabel;
class QStatusBar;

namespace halo {

/// How the shown run is, permanently in a status bar, so that no message hides it.
class RunStatus : public QObject {
  Q_OBJECT
 public:
  /// All outlive what it does.
  RunStatus(Session& session, const StartedRuns& started, QStatusBar& bar);

  /// Whose runs are shown.
  void setRecording(const QString& file);
  void show();

 private:
  void showRun(const RunRow& run);
  void showTime();

  Session& session_;
  const StartedRuns& started_;
  QLabel *state_, *ranks_, *spans_, *dropped_, *recorder_, *selection_;
};

}  // namespace halo
