#pragma once

#include <QKeySequence>
#include <QObject>
#include <functional>

#include "views/view_registry.h"

class QAction;
class QActionGroup;
class QDockWidget;
class QMenu;
class QMenuBar;
class QTabWidget;

namespace halo {

/// The menus of a window. What a person chooses there is told by the signals, or by the session where views
/// ask for it too.
class WindowMenus : public QObject {
  Q_OBJECT
 public:
  /// Both outlive what the menus do. What a view can do becomes a menu of its name: of those in `centre`,
  /// then of those in `docks`.
  WindowMenus(QMenuBar& bar, Session& session, const QTabWidget& centre, const QList<QDockWidget*>& docks);

  QAction* run() const { return run_; }
  QAction* stop() const { return stop_; }
  QAction* pause() const { return pause_; }
  void check(Perspective perspective);
  void checkTheme(const QString& name);
  void checkFolded(bool folded);

 signals:
  void saveWanted(bool ask);  // of the experiment; `ask`: where
  void foldWanted(bool folded);
  void sceneSaveWanted();
  void exportWanted();
  void quitWanted();
  void startWanted();
  void stopWanted();
  void pauseWanted(bool paused);
  void whatIfWanted();
  void perspectiveWanted(halo::Perspective perspective);
  void filterWanted();
  void themeWanted(const QString& name);
  void defaultLayoutWanted();
  void keysWanted();

 private:
  QAction* add(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> work);
  void makeFileMenu();
  void makeRunMenu();
  void makeViewMenu(const QList<QDockWidget*>& docks);
  void addPerspectives(QMenu* menu);
  void addThemes(QMenu* menu);

  QMenuBar& bar_;
  Session& session_;
  QAction *run_ = nullptr, *stop_ = nullptr, *pause_ = nullptr, *fold_ = nullptr;
  QActionGroup *perspectives_, *themes_;
};

}  // namespace halo
