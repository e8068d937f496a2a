#pragma once

#include <QWidget>

#include "views/session/session.h"

class QAction;
class QLabel;

namespace halo {

class RecordingDesk;

/// How far the shown run is while it goes on, with buttons that stop it and that pause what is drawn of it.
class LiveBar : public QWidget {
  Q_OBJECT
 public:
  /// All outlive what it does. Following also switches `pause`.
  LiveBar(const Session& session, const RecordingDesk& recordings, QAction* stop, QAction* pause);

  /// The run is further, another, or over.
  void follow();

 private:
  const Session& session_;
  const RecordingDesk& recordings_;
  QLabel* progress_;
  QAction* pause_;
};

}  // namespace halo
