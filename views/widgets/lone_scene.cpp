#include "views/widgets/lone_scene.h"

#include <QWidget>

#include "views/session/background.h"

namespace halo {

LoneScene::LoneScene(Session& session, const QWidget& view) : session_(session), view_(view) {
  connect(&session_, &Session::sceneRead, this, &LoneScene::ask);
  connect(&session_, &Session::runChosen, this, &LoneScene::ask);
  connect(&session_, &Session::runRead, this, &LoneScene::ask);
  connect(&reading_, &QFutureWatcher<SceneData>::finished, this, [this] {
    lone_ = reading_.result();
    emit changed();
  });
}

LoneScene::~LoneScene() { reading_.waitForFinished(); }

const SceneData* LoneScene::scene() const {
  if (compares()) return &session_.sceneData();
  return lone_.compared.empty() ? nullptr : &lone_;
}

void LoneScene::ask() {
  if (!view_.isVisible()) return;
  const RunRow& run = session_.run().run;
  const QString recording = session_.sceneLanes().recording();
  const QString state =
      QString("%1 %2 %3").arg(recording).arg(run.id).arg(QString::fromStdString(run.status));
  if (compares() || run.id == 0) {
    lone_ = {};
    state_.clear();
  } else if (state != state_ && !recording.isEmpty()) {
    state_ = state;
    lone_ = {};
    SceneState alone;
    alone.chips.push_back({recording, {run.id}, 0});
    reading_.setFuture(runInBackground([alone] {
      try {
        return readSceneData(alone);
      } catch (const std::exception&) {
        return SceneData{};  // what is wrong with the recording stands among the problems
      }
    }));
  }
  emit changed();
}

}  // namespace halo
