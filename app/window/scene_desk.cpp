#include "app/window/scene_desk.h"

#include <QMessageBox>

#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"
#include "views/recording/epochs_of_time.h"
#include "views/scene/scene_file.h"

namespace halo {

SceneDesk::SceneDesk(Session& session, RecentFiles& recent, Messages& messages, QWidget& window)
    : session_(session), recent_(recent), messages_(messages), window_(window), reader_(session.scene()) {
  connect(&reader_, &SceneReader::sceneRead, this,
          [this](const SceneData& scene) { session_.setSceneData(scene); });
  connect(&reader_, &SceneReader::failed, this,
          [this](const QString& problem) { messages_.sayProblem(problem); });
  constexpr int kRestMs = 150;
  stillness_.setSingleShot(true);
  stillness_.setInterval(kRestMs);
  connect(&stillness_, &QTimer::timeout, this, &SceneDesk::takeStretch);
  const auto wait = [this] { stillness_.start(); };
  connect(&session_.window(), &TimeWindow::visibleChanged, this, wait);
  connect(&session_.window(), &TimeWindow::selectionChanged, this, wait);
  connect(&session_, &Session::runRead, this, wait);
  connect(&session_.scene(), &Scene::changed, this, &SceneDesk::takeStretch);
}

void SceneDesk::takeStretch() {
  TimeWindow& window = session_.window();
  const bool selection = session_.scene().state().scope == FigureScope::selection;
  reader_.setStretch(epochsOfTime(session_.run().epochs, selection ? window.selection() : window.visible()));
}

bool SceneDesk::open(const QString& file) {
  try {
    const SceneState state = readScene(file.toStdString());
    if (!state.chips.empty() && !state.chips.front().runs.empty())
      emit recordingWanted(state.chips.front().recording, state.chips.front().runs.front());
    session_.scene().load(state);
    recent_.remember(file);
    return true;
  } catch (const std::exception& error) {
    messages_.addProblem(QString::fromUtf8(error.what()));
    messages_.say("This scene cannot be opened: the problems are listed below.");
    return false;
  }
}

void SceneDesk::save() {
  const SceneState& state = session_.scene().state();
  if (state.chips.empty()) return messages_.say("Nothing is compared yet, so there is no scene to save.");
  QString file = askForFile(
      &window_, {"Save scene", QString("comparison") + kSceneEnding, "Scenes (*.scene.toml)", true});
  if (file.isEmpty()) return;
  if (!file.endsWith(kSceneEnding)) file += kSceneEnding;
  try {
    writeScene(state, file.toStdString());
    recent_.remember(file);
    messages_.say("Scene in " + file);
  } catch (const std::exception& error) {
    QMessageBox::warning(&window_, "Save scene", plainRich(QString::fromUtf8(error.what())));
  }
}

void SceneDesk::compare(const QString& recording, const std::vector<std::int64_t>& runs) {
  if (runs.empty()) return messages_.say("Choose runs in the run table first.");
  reader_.add(recording, runs);
  messages_.say("Compared: the tab Side by side shows how they differ.");
}

void SceneDesk::tick(const QString& recording, std::int64_t run, bool on) {
  if (on)
    reader_.addRun(recording, run);
  else
    reader_.removeRun(recording, run);
}

void SceneDesk::compareBeside(const QString& recording, std::int64_t run, std::vector<std::int64_t> further) {
  if (!chipsOfRuns(session_.scene().state(), recording).contains(run)) further.insert(further.begin(), run);
  compare(recording, further);
}

void SceneDesk::refresh(const QString& recording) {
  if (isStale(session_.sceneData(), recording, session_.runs().runs().runs)) reader_.readAgain();
}

}  // namespace halo
