// Where the docks stand: by default as their entries say, else as a person left them in each perspective.
#include <QAction>
#include <QActionGroup>
#include <QDockWidget>
#include <QLayout>
#include <QSettings>
#include <QShowEvent>
#include <QTabWidget>
#include <algorithm>

#include "app/window/main_window.h"
#include "views/experiment/experiment_form.h"

namespace halo {

namespace {

constexpr int kLayoutVersion = 1;  // of what is kept in the settings

QString layoutKey(Perspective perspective) {
  static constexpr const char* kNames[] = {"setUp", "observe", "decide"};
  return QString("layout/") + kNames[static_cast<int>(perspective)];
}

Qt::DockWidgetArea dockArea(ViewArea area) {
  return area == ViewArea::left    ? Qt::LeftDockWidgetArea
         : area == ViewArea::right ? Qt::RightDockWidgetArea
                                   : Qt::BottomDockWidgetArea;
}

QString nameOf(const ViewEntry& view) { return QString::fromStdString(std::string(view.declaration.name)); }

}  // namespace

QList<QDockWidget*> MainWindow::docksOf(ViewArea area) const {
  QList<QDockWidget*> docks;
  for (const ViewEntry* view : viewsInOrder())
    if (view->area == area) docks << docks_[nameOf(*view)];
  return docks;
}

/// The first beside the centre, the others as tabs behind it.
void MainWindow::placeDocks(ViewArea area) {
  const QList<QDockWidget*> docks = docksOf(area);
  for (QDockWidget* dock : docks) {
    dock->setFloating(false);
    dock->show();
    if (dock == docks.first())
      addDockWidget(dockArea(area), dock);
    else
      tabifyDockWidget(docks.first(), dock);
  }
  if (!docks.isEmpty()) docks.first()->raise();
}

void MainWindow::restoreDefaultLayout() {
  asLeft_ = false;
  for (const ViewArea area : {ViewArea::left, ViewArea::right, ViewArea::bottom}) placeDocks(area);
  shareSpace();
  arrange(perspective_);
  hideEmptyTabBars();
}

/// A bar of tabs that docks have left may stay, with a line below its no tabs: across the title of a dock.
void MainWindow::hideEmptyTabBars() {
  layout()->activate();
  for (auto* bar : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (bar->count() == 0) bar->hide();
}

/// What a name and a value need, and more where there is more; the timeline keeps over half of both ways.
void MainWindow::shareSpace() {
  const int unit = fontMetrics().averageCharWidth();
  const auto share = [this, unit](int letters, int percent) {
    return std::min(std::max(letters * unit, width() * percent / 100), width() * 22 / 100);
  };
  // before the widths: Qt forgets the second of two requests made at once where it is of a height
  // pictures of several runs stand below the run table, and need more room than its rows
  const int eighths = perspective_ == Perspective::decide ? 5 : 3;
  resizeDocks({docksOf(ViewArea::bottom).first()}, {height() * eighths / 8}, Qt::Vertical);
  resizeDocks({docksOf(ViewArea::left).first(), docksOf(ViewArea::right).first()},
              {share(35, 12), share(40, 16)}, Qt::Horizontal);
}

/// Docks keep their size when a window grows, so space is shared out once the window has its own, but for
/// docks that stand as they were left.
void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (event->spontaneous()) return;
  layout()->activate();
  if (!asLeft_)
    shareSpace();  // at once: a perspective may be kept and left before the next turn of the event loop
}

/// What a perspective shows, and what of it in front.
void MainWindow::arrange(Perspective perspective) {
  for (const ViewEntry* view : viewsInOrder())
    if (QDockWidget* dock = docks_.value(nameOf(*view))) {
      dock->setVisible(view->shownIn.has(perspective));
      if (view->frontIn.has(perspective)) dock->raise();
    }
}

void MainWindow::keepLayout() {
  settings_.setValue(layoutKey(perspective_), saveState(kLayoutVersion));
  settings_.setValue(layoutKey(perspective_) + "Views", QStringList(docks_.keys()));
}

/// As it was left. A view that was not there then stands where it does by default.
bool MainWindow::restoreLayout(Perspective perspective) {
  const QByteArray kept = settings_.value(layoutKey(perspective)).toByteArray();
  if (kept.isEmpty() || !restoreState(kept, kLayoutVersion)) return false;
  const QStringList known =
      settings_.value(layoutKey(perspective) + "Views", QStringList(docks_.keys())).toStringList();
  for (const ViewEntry* view : viewsInOrder()) {
    QDockWidget* dock = docks_.value(nameOf(*view));
    if (!dock || known.contains(nameOf(*view))) continue;
    addDockWidget(dockArea(view->area), dock);
    for (QDockWidget* other : docksOf(view->area))
      if (other != dock && dockWidgetArea(other) == dockArea(view->area) && !other->isFloating()) {
        tabifyDockWidget(other, dock);
        break;
      }
    dock->setVisible(view->shownIn.has(perspective));
  }
  return true;
}

void MainWindow::setPerspective(Perspective perspective) {
  if (perspective != perspective_) {
    keepLayout();
    perspective_ = perspective;
    asLeft_ = restoreLayout(perspective);
    if (!asLeft_) {
      arrange(perspective);
      shareSpace();
    }
    hideEmptyTabBars();
  }
  int tab = 0;
  for (const ViewEntry* view : viewsInOrder()) {
    if (view->area != ViewArea::centre) continue;
    if (view->frontIn.has(perspective)) tabs_->setCurrentIndex(tab);
    ++tab;
  }
  perspectives_->actions()[static_cast<int>(perspective)]->setChecked(true);
  if (perspective == Perspective::setUp) teachForm();
}

}  // namespace halo
