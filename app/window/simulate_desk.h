#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "app/window/messages.h"
#include "app/window/scene_desk.h"
#include "app/window/window_places.h"
#include "views/session/session.h"

namespace halo {

/// Experiments that simulate what a shown run trained. They are written here and run into the recording of
/// that run. What comes of them is put beside the run as chips.
class SimulateDesk : public QObject {
  Q_OBJECT
 public:
  /// All outlive what the desk does.
  SimulateDesk(const Session& session, SceneDesk& scenes, Messages& messages, const WindowPlaces& places);

  /// The file of a new experiment, of the shown run of `recording`. Empty, and said why: there is none to be
  /// written.
  QString write(const QString& recording);
  /// Where runs of an experiment are recorded that was written here; empty: anywhere else will do as well.
  QString recordingOf(const QString& experiment) const;
  /// Runs of an experiment were started; passed over where it was not written here.
  void noteStart(const QString& experiment, qint64 supervisor);
  /// Looks whether what was started has ended in `recording`, whose runs the session has now.
  void look(const QString& recording);

 private:
  struct Written {
    QString experiment, recording;
    std::int64_t run = 0;  // that is simulated
  };
  struct Started {
    Written what;
    qint64 supervisor = 0;
    int looks = 0;  // at the recording, since it ended
  };

  const Written* writtenAs(const QString& experiment) const;

  const Session& session_;
  SceneDesk& scenes_;
  Messages& messages_;
  const WindowPlaces& places_;
  std::vector<Written> written_;
  std::vector<Started> started_;  // and not put beside their runs yet
};

}  // namespace halo
