#pragma once

#include <QTimer>
#include <QWidget>

class QProgressBar;

namespace halo {

class RecordingDesk;
class Session;

/// How far a recording of many runs is opened, with a button that gives it up. Seen once it takes longer than
/// a moment.
class OpeningBar : public QWidget {
  Q_OBJECT
 public:
  /// Both outlive what it does.
  OpeningBar(Session& session, RecordingDesk& recordings);

 private:
  void follow();

  Session& session_;
  QProgressBar* reached_;
  QTimer soon_;
};

}  // namespace halo
