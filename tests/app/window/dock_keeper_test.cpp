#include "app/window/dock_keeper.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

using namespace halo;

namespace {

constexpr Perspectives kObserved{Perspective::observe}, kDecided{Perspective::decide};
const ViewEntry kEntries[] = {
    {{"Tree", "all runs", ""}, "Runs", ViewArea::left, 10, kEveryPerspective, {}, nullptr},
    {{"Facts", "what is selected", ""}, "Facts", ViewArea::right, 10, kObserved, {}, nullptr},
    {{"Bars", "times", ""}, "Bars", ViewArea::bottom, 10, kEveryPerspective, kObserved, nullptr},
    {{"Curves", "losses", ""}, "Curves", ViewArea::bottom, 20, kDecided, kDecided, nullptr},
};

/// A window with labels for views.
struct Docked {
  QMainWindow window;
  DockKeeper keeper;

  explicit Docked(QSettings& settings) : keeper(window, settings) {
    window.setCentralWidget(new QLabel("centre"));
    for (const ViewEntry& entry : kEntries) keeper.add(entry, new QLabel(entry.title));
    window.resize(1200, 800);
    keeper.begin();
    window.show();
    keeper.windowShown();
  }
  QDockWidget* dock(const char* name) { return window.findChild<QDockWidget*>(name); }
};

struct Kept {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
};

}  // namespace

TEST_CASE("docks stand in their areas, and a perspective shows those that belong to it", "[window]") {
  Kept store;
  Docked test(store.settings);
  CHECK(test.window.dockWidgetArea(test.dock("Tree")) == Qt::LeftDockWidgetArea);
  CHECK(test.window.dockWidgetArea(test.dock("Facts")) == Qt::RightDockWidgetArea);
  CHECK(test.window.tabifiedDockWidgets(test.dock("Bars")).contains(test.dock("Curves")));
  CHECK(test.dock("Curves")->isHidden());
  test.keeper.change(Perspective::decide);
  CHECK(test.keeper.perspective() == Perspective::decide);
  CHECK_FALSE(test.dock("Curves")->isHidden());
  CHECK(test.dock("Facts")->isHidden());
}

TEST_CASE("a perspective comes back as it was left, in another window too", "[window]") {
  Kept store;
  {
    Docked test(store.settings);
    test.dock("Bars")->hide();
    test.keeper.change(Perspective::decide);
    CHECK_FALSE(test.dock("Bars")->isHidden());
    test.keeper.change(Perspective::observe);
    CHECK(test.dock("Bars")->isHidden());
    test.keeper.keep();
  }
  Docked test(store.settings);
  CHECK(test.dock("Bars")->isHidden());
  test.keeper.placeByDefault();
  CHECK_FALSE(test.dock("Bars")->isHidden());
}

TEST_CASE("a widget is brought to the front by its dock, however it is hidden", "[window]") {
  Kept store;
  Docked test(store.settings);
  CHECK(test.keeper.bringToFront(test.dock("Curves")->widget()));
  CHECK_FALSE(test.dock("Curves")->isHidden());
  CHECK_FALSE(test.keeper.bringToFront(test.window.centralWidget()));
  test.dock("Tree")->widget()->setWindowTitle("Runs (2)");
  CHECK(test.dock("Tree")->windowTitle() == "Runs (2)");
}

TEST_CASE("a small window hides what is beside the centre, and a large one is as it was left", "[window]") {
  Kept store;
  Docked test(store.settings);
  test.dock("Facts")->hide();
  const auto resize = [&](int width, int height) {
    test.window.resize(width, height);
    QApplication::processEvents();
    QApplication::processEvents();
  };
  resize(640, 400);
  CHECK(test.dock("Tree")->isHidden());
  CHECK(test.keeper.folded());
  test.keeper.change(Perspective::decide);
  CHECK(test.dock("Tree")->isHidden());
  CHECK(test.keeper.folded());
  test.dock("Tree")->show();  // by the menu, and it stays
  test.keeper.change(Perspective::observe);
  test.keeper.change(Perspective::decide);
  CHECK_FALSE(test.dock("Tree")->isHidden());
  test.keeper.change(Perspective::observe);
  resize(1200, 800);
  CHECK_FALSE(test.dock("Tree")->isHidden());
  CHECK(test.dock("Facts")->isHidden());
}
