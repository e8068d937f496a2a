#include "app/window/dock_keeper.h"

#include <QAction>
#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QMainWindow>
#include <QSettings>
#include <QTabBar>
#include <algorithm>

namespace halo {

namespace {

constexpr int kLayoutVersion = 1;  // of what is kept in the settings
/// A window below it leaves the timeline too little beside open docks.
constexpr int kHeightForAll = 1000;
/// In a window below these neither views below the centre nor beside it leave the centre enough to read.
constexpr int kLeastHeight = 520, kLeastWidth = 800;

QString layoutKey(Perspective perspective, bool small) {
  static constexpr const char* kNames[] = {"setUp", "observe", "decide"};
  return QString("layout/") + kNames[static_cast<int>(perspective)] + (small ? "Small" : "");
}

Qt::DockWidgetArea dockArea(ViewArea area) {
  return area == ViewArea::left    ? Qt::LeftDockWidgetArea
         : area == ViewArea::right ? Qt::RightDockWidgetArea
                                   : Qt::BottomDockWidgetArea;
}

QString nameOf(const ViewEntry& view) { return QString::fromStdString(std::string(view.declaration.name)); }

}  // namespace

DockKeeper::DockKeeper(QMainWindow& window, QSettings& settings) : window_(window), settings_(settings) {
  window.setDockNestingEnabled(true);
  window.setTabPosition(Qt::BottomDockWidgetArea, QTabWidget::North);
  window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  window.installEventFilter(this);
}

/// A window that becomes small, or large again, folds or shows its docks; its own turn of the event loop is
/// not over.
bool DockKeeper::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && (isLow() != low_ || isNarrow() != narrow_))
    QMetaObject::invokeMethod(this, &DockKeeper::fit, Qt::QueuedConnection);
  return QObject::eventFilter(watched, event);
}

bool DockKeeper::isLow() const { return window_.height() < kLeastHeight; }
bool DockKeeper::isNarrow() const { return window_.width() < kLeastWidth; }

/// Small windows and large ones are kept apart, so that either comes back as it was left.
void DockKeeper::fit() {
  if (isLow() == low_ && isNarrow() == narrow_) return;
  const bool was = isSmall(), is = isLow() || isNarrow();
  if (was != is) keep();
  low_ = isLow();
  narrow_ = isNarrow();
  if (was != is) asLeft_ = restore();
  if (asLeft_) return;
  fold(foldsByDefault());
  arrange();
  shareSpace();
}

void DockKeeper::add(const ViewEntry& view, QWidget* widget) {
  auto* dock = new QDockWidget(view.title, &window_);
  dock->setObjectName(nameOf(view));
  dock->setWidget(widget);
  dock->toggleViewAction()->setStatusTip(QString::fromStdString(std::string(view.declaration.help)));
  connect(widget, &QWidget::windowTitleChanged, dock, &QDockWidget::setWindowTitle);
  connect(dock, &QDockWidget::topLevelChanged, this, &DockKeeper::showContents);
  connect(dock, &QDockWidget::dockLocationChanged, this, &DockKeeper::showContents);
  views_.push_back(&view);
  docks_.insert(nameOf(view), dock);
}

QList<QDockWidget*> DockKeeper::docksOf(ViewArea area) const {
  QList<QDockWidget*> docks;
  for (const ViewEntry* view : views_)
    if (view->area == area) docks << docks_[nameOf(*view)];
  return docks;
}

void DockKeeper::begin() {
  low_ = isLow();
  narrow_ = isNarrow();
  placeByDefault();
  asLeft_ = restore();
}

/// The first beside the centre, the others as tabs behind it.
void DockKeeper::place(ViewArea area) {
  const QList<QDockWidget*> docks = docksOf(area);
  for (QDockWidget* dock : docks) {
    dock->setFloating(false);
    dock->show();
    if (dock == docks.first())
      window_.addDockWidget(dockArea(area), dock);
    else
      window_.tabifyDockWidget(docks.first(), dock);
  }
  if (!docks.isEmpty()) docks.first()->raise();
}

void DockKeeper::placeByDefault() {
  asLeft_ = false;
  openHeight_ = 0;
  for (const ViewArea area : {ViewArea::left, ViewArea::right, ViewArea::bottom}) place(area);
  fold(foldsByDefault());
  shareSpace();
  arrange();
  hideEmptyTabBars();
}

bool DockKeeper::foldsByDefault() const {
  return isLow() || (perspective_ == Perspective::observe && window_.height() < kHeightForAll);
}

void DockKeeper::fold(bool folded) {
  const bool changes = folded != folded_;
  const QList<QDockWidget*> lower = docksOf(ViewArea::bottom);
  for (const QDockWidget* dock : lower)
    if (changes && folded && dock->isVisible() && !dock->isFloating()) openHeight_ = dock->height();
  folded_ = folded;
  showContents();
  watchTabs();
  if (!changes) return;
  window_.resizeDocks(lower.mid(0, 1), {lowerHeight()}, Qt::Vertical);
  emit foldedChanged(folded);
}

/// What the docks below the centre are to have.
int DockKeeper::lowerHeight() const {
  if (folded_) return 1;  // Qt makes it as much as titles need
  if (openHeight_ > 0) return openHeight_;
  // pictures of several runs stand below the run table, and need more room than its rows
  const int eighths = perspective_ == Perspective::decide && !centreFavoured_ ? 5 : 3;
  return window_.height() * eighths / 8;
}

/// A dock that floats, or stands beside the centre, is never folded.
void DockKeeper::showContents() {
  for (QDockWidget* dock : docks_) {
    const bool open =
        !folded_ || dock->isFloating() || window_.dockWidgetArea(dock) != Qt::BottomDockWidgetArea;
    dock->widget()->setMaximumHeight(open ? QWIDGETSIZE_MAX : 0);
    dock->layout()->activate();  // else the window knows it a turn of the event loop later
  }
}

/// The window makes its bars of tabs when docks are laid out.
void DockKeeper::watchTabs() {
  window_.layout()->activate();
  for (auto* bar : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    connect(bar, &QTabBar::tabBarClicked, this, &DockKeeper::unfold, Qt::UniqueConnection);
}

/// A bar of tabs that docks have left may stay, with a line below its no tabs: across the title of a dock.
void DockKeeper::hideEmptyTabBars() {
  window_.layout()->activate();
  for (auto* bar : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    if (bar->count() == 0) bar->hide();
}

void DockKeeper::shareSpace() {
  const int unit = window_.fontMetrics().averageCharWidth(), width = window_.width();
  const auto share = [unit, width](int letters, int percent) {
    return std::min(std::max(letters * unit, width * percent / 100), width * 22 / 100);
  };
  const auto first = [this](ViewArea area) { return docksOf(area).mid(0, 1); };
  // before the widths: Qt forgets the second of two requests made at once where it is of a height
  if (const auto bottom = first(ViewArea::bottom); !bottom.isEmpty())
    window_.resizeDocks(bottom, {lowerHeight()}, Qt::Vertical);
  QList<QDockWidget*> sides = first(ViewArea::left);
  QList<int> widths;
  if (!sides.isEmpty()) widths << share(35, 12);
  if (const auto right = first(ViewArea::right); !right.isEmpty()) {
    sides << right;
    widths << share(40, 16);
  }
  if (!sides.isEmpty()) window_.resizeDocks(sides, widths, Qt::Horizontal);
}

void DockKeeper::favourCentre() {
  centreFavoured_ = true;
  if (!asLeft_) shareSpace();
}

void DockKeeper::windowShown() {
  window_.layout()->activate();
  const bool was = isSmall();
  low_ = isLow();
  narrow_ = isNarrow();
  if (was != isSmall()) asLeft_ = restore();
  if (asLeft_) return;
  if (narrow_) arrange();
  fold(foldsByDefault());
  shareSpace();  // at once: a perspective may be kept and left before the next turn of the event loop
}

/// What the perspective shows, and what of it in front.
void DockKeeper::arrange() {
  for (const ViewEntry* view : views_) {
    QDockWidget* dock = docks_[nameOf(*view)];
    const bool beside = view->area == ViewArea::left || view->area == ViewArea::right;
    dock->setVisible(view->shownIn.has(perspective_) && !(beside && isNarrow()));
    if (view->frontIn.has(perspective_)) dock->raise();
  }
}

void DockKeeper::keep() {
  const QString key = layoutKey(perspective_, isSmall());
  settings_.setValue(key, window_.saveState(kLayoutVersion));
  settings_.setValue(key + "Views", QStringList(docks_.keys()));
  settings_.setValue(key + "Folded", folded_);
}

/// As it was left; false: it never was. A view that was not there then stands where it does by default.
bool DockKeeper::restore() {
  const QString key = layoutKey(perspective_, isSmall());
  const QByteArray layout = settings_.value(key).toByteArray();
  if (layout.isEmpty() || !window_.restoreState(layout, kLayoutVersion)) return false;
  const QStringList views = settings_.value(key + "Views", QStringList(docks_.keys())).toStringList();
  for (const ViewEntry* view : views_)
    if (!views.contains(nameOf(*view))) placeNew(*view);
  fold(settings_.value(key + "Folded", false).toBool());
  return true;
}

void DockKeeper::placeNew(const ViewEntry& view) {
  QDockWidget* dock = docks_[nameOf(view)];
  window_.addDockWidget(dockArea(view.area), dock);
  for (QDockWidget* other : docksOf(view.area))
    if (other != dock && window_.dockWidgetArea(other) == dockArea(view.area) && !other->isFloating()) {
      window_.tabifyDockWidget(other, dock);
      break;
    }
  dock->setVisible(view.shownIn.has(perspective_));
}

void DockKeeper::change(Perspective perspective) {
  if (perspective == perspective_) return;
  keep();
  perspective_ = perspective;
  centreFavoured_ = false;
  openHeight_ = 0;
  asLeft_ = restore();
  if (!asLeft_) {
    fold(foldsByDefault());
    arrange();
    shareSpace();
  }
  hideEmptyTabBars();
}

void DockKeeper::putInFront(const QString& name) {
  docks_[name]->show();
  docks_[name]->raise();
}

void DockKeeper::raise(const QString& name) {
  putInFront(name);
  if (window_.dockWidgetArea(docks_[name]) == Qt::BottomDockWidgetArea) unfold();
}

bool DockKeeper::bringToFront(const QWidget* widget) {
  for (auto dock = docks_.begin(); dock != docks_.end(); ++dock)
    if ((*dock)->widget() == widget) {
      raise(dock.key());
      return true;
    }
  return false;
}

}  // namespace halo
