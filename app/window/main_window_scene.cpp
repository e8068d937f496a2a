// The runs that are compared: scenes opened and saved, runs added.
#include <QMessageBox>
#include <QStatusBar>
#include <QTabWidget>

#include "app/window/main_window.h"
#include "views/look/figure_text.h"
#include "views/look/file_dialog.h"
#include "views/panes/scene_figure_view.h"
#include "views/scene/scene_file.h"

namespace halo {

void MainWindow::openScene(const QString& file) {
  try {
    const SceneState state = readScene(file.toStdString());
    if (!state.chips.empty()) openRecording(state.chips.front().recording);
    session_.scene().load(state);
    remember(file);
    setPerspective(Perspective::decide);
    tabs_->setCurrentWidget(findChild<SceneFigureView*>());
  } catch (const std::exception& error) {
    addProblem(QString::fromUtf8(error.what()));
    statusBar()->showMessage("This scene cannot be opened: the problems are listed below.", kMessageMs);
    raiseDock("Problems");
  }
}

void MainWindow::saveScene() {
  const SceneState& state = session_.scene().state();
  if (state.chips.empty()) {
    statusBar()->showMessage("Nothing is compared yet, so there is no scene to save.", kMessageMs);
    return;
  }
  QString file =
      askForFile(this, {"Save scene", QString("comparison") + kSceneEnding, "Scenes (*.scene.toml)", true});
  if (file.isEmpty()) return;
  if (!file.endsWith(kSceneEnding)) file += kSceneEnding;
  try {
    writeScene(state, file.toStdString());
    remember(file);
    statusBar()->showMessage("Scene in " + file, kMessageMs);
  } catch (const std::exception& error) {
    QMessageBox::warning(this, "Save scene", plainRich(QString::fromUtf8(error.what())));
  }
}

void MainWindow::compare(const std::vector<std::int64_t>& runs) {
  if (runs.empty()) {
    statusBar()->showMessage("Choose runs in the run table first.", kMessageMs);
    return;
  }
  sceneReader_.add(reader_.file(), runs);
  statusBar()->showMessage("Compared: the tab Side by side shows how they differ.", kMessageMs);
}

}  // namespace halo
