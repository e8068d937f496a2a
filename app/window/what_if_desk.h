#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/window/messages.h"
#include "app/window/runs/started_runs.h"
#include "app/window/scene_desk.h"
#include "app/window/what_if.h"
#include "app/window/window_places.h"
#include "views/session/session.h"

class QWidget;

namespace halo {

/// Asks what a run would take on another link or with another worker. The desk has that simulated
/// into the run's own recording, and puts what comes of it beside the run as chips.
class WhatIfDesk : public QObject {
  Q_OBJECT
 public:
  /// All outlive what the desk does; dialogs stand before `window`.
  WhatIfDesk(Session& session, StartedRuns& started, SceneDesk& scenes, Messages& messages,
             const WindowPlaces& places, QWidget& window);

  /// Of the shown run of `recording`.
  void ask(const QString& recording);
  /// Of a run of another recording, which is read in the background; begins with a span of `rank` where there
  /// is one.
  void askOther(const QString& recording, std::int64_t run, const std::optional<Span>& span,
                std::int64_t rank);
  /// Looks whether what was asked is answered, while the session has the runs of `recording`.
  void look(const QString& recording);

 private:
  struct Request {
    qint64 supervisor = 0;
    QString recording;
    WhatIf question;
    int looks = 0;        // at the recording, since it ended
    bool isRead = false;  // its recording, in the background
  };

  struct SpanOfRank {
    Span span;
    std::int64_t rank = -1;
  };

  void askOf(const RunData& data, const std::optional<SpanOfRank>& begin, const QString& recording);
  void start(const WhatIf& question, const QString& recording);
  /// Reads the runs of its recording, which is not shown, and looks then.
  void readAndLook(Request& request);
  /// Answers what these simulations were asked for, if all are among the runs of their recording.
  void lookAmong(const RunsData& runs, qint64 supervisor);
  void answer(const Request& request, const RunsData& runs);

  Session& session_;
  StartedRuns& started_;
  SceneDesk& scenes_;
  Messages& messages_;
  const WindowPlaces& places_;
  QWidget& window_;
  std::vector<Request> requests_;  // not answered yet
};

}  // namespace halo
