#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "app/window/messages.h"
#include "app/window/runs/started_runs.h"
#include "app/window/scene_desk.h"
#include "app/window/what_if.h"
#include "app/window/window_places.h"
#include "views/session/session.h"

class QWidget;

namespace halo {

/// Asks what the shown run would take on another link or with another worker. The desk has that simulated
/// into the run's own recording, and puts what comes of it beside the run as chips.
class WhatIfDesk : public QObject {
  Q_OBJECT
 public:
  /// All outlive what the desk does; dialogs stand before `window`.
  WhatIfDesk(Session& session, StartedRuns& started, SceneDesk& scenes, Messages& messages,
             const WindowPlaces& places, QWidget& window);

  /// Of the shown run of `recording`.
  void ask(const QString& recording);
  /// Looks whether what was asked is answered in `recording`, whose runs the session has now.
  void look(const QString& recording);

 private:
  struct Request {
    qint64 supervisor = 0;
    QString recording;
    WhatIf question;
    int looks = 0;  // at the recording, since it ended
  };

  /// Why it cannot be asked; empty: it can.
  QString refusal() const;
  void start(const WhatIf& question, const QString& recording);
  /// The simulations that completed.
  std::vector<std::int64_t> completedSimulations(const Request& request) const;
  void answer(const Request& request);

  Session& session_;
  StartedRuns& started_;
  SceneDesk& scenes_;
  Messages& messages_;
  const WindowPlaces& places_;
  QWidget& window_;
  std::vector<Request> requests_;  // not answered yet
};

}  // namespace halo
