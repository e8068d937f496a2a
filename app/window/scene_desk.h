#pragma once

#include <QObject>
#include <QTimer>

#include "app/window/messages.h"
#include "app/window/recent_files.h"
#include "views/scene/scene_reader.h"
#include "views/session/session.h"

class QWidget;

namespace halo {

/// The runs that are compared, of one recording or of several. Scenes are opened and saved here, and runs
/// added. What they come to is read again as their recording grows.
class SceneDesk : public QObject {
  Q_OBJECT
 public:
  /// All outlive what the desk does; dialogs stand before `window`.
  SceneDesk(Session& session, RecentFiles& recent, Messages& messages, QWidget& window);

  /// False, and said why: it cannot be read, and what was there stays.
  bool open(const QString& file);
  /// A person says where.
  void save();
  /// Adds runs of a recording.
  void compare(const QString& recording, const std::vector<std::int64_t>& runs);
  /// Adds a run to what is compared, or takes it away.
  void tick(const QString& recording, std::int64_t run, bool on);
  /// Adds `further` beside a run, and that too where it is in no chip.
  void compareBeside(const QString& recording, std::int64_t run, std::vector<std::int64_t> further);
  /// Adds the last run of a recording, with those that differ from it in their seeds alone.
  void compareLast(const QString& recording) { reader_.addLast(recording); }
  /// Reads again where the runs of `recording`, which the session has now, are not those that are compared.
  void refresh(const QString& recording);
  /// Nothing asked for is still being read.
  bool settled() const { return reader_.settled() && !stillness_.isActive(); }

 signals:
  /// The first of a scene that is being opened, and which of its runs.
  void recordingWanted(const QString& file, std::int64_t run);

 private:
  void takeStretch();

  Session& session_;
  RecentFiles& recent_;
  Messages& messages_;
  QWidget& window_;
  SceneReader reader_;
  QTimer stillness_;  // until the timeline stands still
};

}  // namespace halo
