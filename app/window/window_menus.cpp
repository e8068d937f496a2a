#include "app/window/window_menus.h"

#include <QActionGroup>
#include <QDockWidget>
#include <QMenuBar>
#include <QTabWidget>
#include <utility>

namespace halo {

WindowMenus::WindowMenus(QMenuBar& bar, Session& session, const QTabWidget& centre,
                         const QList<QDockWidget*>& docks)
    : bar_(bar), session_(session), perspectives_(new QActionGroup(this)), themes_(new QActionGroup(this)) {
  makeFileMenu();
  makeRunMenu();
  const auto addView = [this](const QString& title, const QWidget* view) {
    if (!view->actions().isEmpty()) bar_.addMenu("&" + title)->addActions(view->actions());
  };
  for (int i = 0; i < centre.count(); ++i) addView(centre.tabText(i), centre.widget(i));
  for (const QDockWidget* dock : docks) addView(dock->windowTitle(), dock->widget());
  makeViewMenu(docks);
  add(bar_.addMenu("&Help"), "&Keys", QKeySequence("?"), [this] { emit keysWanted(); });
}

QAction* WindowMenus::add(QMenu* menu, const QString& text, const QKeySequence& key,
                          std::function<void()> work) {
  QAction* action = menu->addAction(text);
  action->setShortcut(key);
  connect(action, &QAction::triggered, this, std::move(work));
  return action;
}

void WindowMenus::makeFileMenu() {
  QMenu* file = bar_.addMenu("&File");
  add(file, "&New experiment", QKeySequence::New, [this] { emit session_.experimentWanted(); });
  add(file, "&Open…", QKeySequence::Open, [this] { emit session_.fileWanted({}); });
  add(file, "Open &sample recording", {}, [this] { emit session_.sampleWanted(); });
  add(file, "&Save experiment", QKeySequence::Save, [this] { emit saveWanted(false); });
  add(file, "Save experiment &as…", QKeySequence::SaveAs, [this] { emit saveWanted(true); });
  add(file, "Save s&cene…", {}, [this] { emit sceneSaveWanted(); });
  file->addSeparator();
  add(file, "&Export a figure…", Qt::CTRL | Qt::Key_E, [this] { emit exportWanted(); });
  file->addSeparator();
  add(file, "&Quit", QKeySequence::Quit, [this] { emit quitWanted(); });
}

void WindowMenus::makeRunMenu() {
  QMenu* run = bar_.addMenu("&Run");
  run_ = add(run, "▶ &Run experiment", Qt::Key_F5, [this] { emit startWanted(); });
  stop_ = add(run, "■ S&top", Qt::SHIFT | Qt::Key_F5, [this] { emit stopWanted(); });
  stop_->setToolTip("Once: stop after this epoch and keep the data. Twice: now.");
  pause_ = run->addAction("❚❚ &Pause drawing");
  pause_->setShortcut(Qt::CTRL | Qt::Key_Space);
  pause_->setCheckable(true);
  pause_->setToolTip("What is drawn of runs that go on stands still; they go on");
  connect(pause_, &QAction::triggered, this, &WindowMenus::pauseWanted);
  run->addSeparator();
  add(run, "&What if…", Qt::CTRL | Qt::Key_I, [this] { emit whatIfWanted(); });
  add(run, "Si&mulate this…", {}, [this] { emit session_.simulationWanted(); });
}

void WindowMenus::makeViewMenu(const QList<QDockWidget*>& docks) {
  QMenu* view = bar_.addMenu("&View");
  QUndoStack& history = session_.scene().undoStack();
  QAction* undo = history.createUndoAction(bar_.window(), "&Undo");
  undo->setShortcut(QKeySequence::Undo);
  QAction* redo = history.createRedoAction(bar_.window(), "R&edo");
  redo->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z));
  view->addActions({undo, redo});
  view->addSeparator();
  addPerspectives(view);
  view->addSeparator();
  fold_ = view->addAction("F&old lower views");
  fold_->setShortcut(Qt::CTRL | Qt::Key_J);
  fold_->setCheckable(true);
  connect(fold_, &QAction::triggered, this, &WindowMenus::foldWanted);
  for (const QDockWidget* dock : docks) view->addAction(dock->toggleViewAction());
  add(view, "&Filter runs", QKeySequence::Find, [this] { emit filterWanted(); });
  view->addSeparator();
  addThemes(view);
  view->addSeparator();
  add(view, "Restore default &layout", {}, [this] { emit defaultLayoutWanted(); });
}

void WindowMenus::addPerspectives(QMenu* menu) {
  const char* const names[] = {"Set &up", "&Observe", "&Decide"};
  for (int i = 0; i < 3; ++i) {
    QAction* action = add(menu, names[i], QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)),
                          [this, i] { emit perspectiveWanted(static_cast<Perspective>(i)); });
    action->setCheckable(true);
    perspectives_->addAction(action);
  }
  check(Perspective::observe);
}

void WindowMenus::addThemes(QMenu* menu) {
  for (const char* name : {"light", "dark", "system"}) {
    QAction* action =
        add(menu, QString("%1 colours").arg(name), {}, [this, name] { emit themeWanted(name); });
    action->setData(name);
    action->setCheckable(true);
    themes_->addAction(action);
  }
}

void WindowMenus::check(Perspective perspective) {
  perspectives_->actions()[static_cast<int>(perspective)]->setChecked(true);
}

void WindowMenus::checkFolded(bool folded) { fold_->setChecked(folded); }

void WindowMenus::checkTheme(const QString& name) {
  for (QAction* action : themes_->actions()) action->setChecked(action->data() == name);
}

}  // namespace halo
