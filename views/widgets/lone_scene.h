#pragma once

#include <QFutureWatcher>
#include <QObject>
#include <QString>

#include "views/session/session.h"

namespace halo {

/// The chips that are compared, or else the shown run as the only chip: what a view of chips draws before
/// anything is compared. Reads the shown run beside the window's thread, once in each of its states.
class LoneScene : public QObject {
  Q_OBJECT
 public:
  /// `view`: nothing is read while it is out of sight; its showEvent calls ask(). Both outlive this.
  LoneScene(Session& session, const QWidget& view);
  ~LoneScene() override;

  bool compares() const { return !session_.sceneData().compared.empty(); }
  /// Null: nothing is compared, and the shown run is not read yet.
  const SceneData* scene() const;
  /// Reads what is missing.
  void ask();

 signals:
  void changed();

 private:
  Session& session_;
  const QWidget& view_;
  QFutureWatcher<SceneData> reading_;
  SceneData lone_;  // the shown run alone
  QString state_;   // of what it was read
};

}  // namespace halo
