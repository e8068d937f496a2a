// What stands where in the window, and that no hand changes anything by the way.
#include <QDockWidget>
#include <QScreen>
#include <QTabBar>
#include <algorithm>

#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "tests/support/wheel.h"
#include "views/timeline/timeline_canvas.h"
#include "views/timeline/timeline_view.h"

using namespace halo;

TEST_CASE("the wheel over a box of the tool bar changes nothing unless it has the focus", "[window]") {
  const SmallRecording recording(/*workers=*/2, /*epochs=*/4, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto* epoch = test.epochChoice();
  const int run = test.runChoice()->currentIndex();
  test.window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&test.window));
  test::turnWheel(*epoch, 1);
  test::turnWheel(*test.runChoice(), 1);
  CHECK(epoch->value() == -1);
  CHECK(test.runChoice()->currentIndex() == run);
  CHECK_FALSE(test.runChoice()->hasFocus());
  test.window.chooseRun(1);
  REQUIRE(test.settle());
  epoch->setFocus();
  test::turnWheel(*epoch, 1);
  CHECK(epoch->value() == 0);
}

TEST_CASE("restoring the default layout gives the very picture of the first", "[window]") {
  TestWindow test;  // without a recording nothing moves by itself
  REQUIRE(test.settle());
  const auto picture = [&] {
    test.window.statusBar()->clearMessage();
    test.window.setFocus();
    QApplication::processEvents();
    QApplication::processEvents();
    return test.window.grab().toImage();
  };
  const QImage first = picture();
  const auto dock = [&](const char* name) { return test.window.findChild<QDockWidget*>(name); };
  SECTION("nothing was moved") {}
  SECTION("docks float and are hidden") {
    dock("Ledger")->setFloating(true);
    dock("Inspector")->hide();
    dock("Breakdown")->setFloating(true);
  }
  SECTION("docks stand elsewhere") {
    test.window.addDockWidget(Qt::TopDockWidgetArea, dock("Ledger"));
    test.window.splitDockWidget(dock("Experiments"), dock("Breakdown"), Qt::Vertical);
    test.window.addDockWidget(Qt::LeftDockWidgetArea, dock("Inspector"));
    test.window.addDockWidget(Qt::RightDockWidgetArea, dock("Log"));
  }
  picture();
  test.press("Restore default layout");
  const QImage again = picture();
  const bool same = again == first;
  CHECK(same);
}

TEST_CASE("the window is no larger than the screen, at 200 % neither", "[window]") {
  const SmallRecording recording(/*workers=*/2, /*epochs=*/4, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  constexpr QSize kScreen(640, 400);  // 1280 x 800 pixels at 200 %
  using P = MainWindow::Perspective;
  for (const P perspective : {P::setUp, P::observe, P::decide}) {
    test.window.setPerspective(perspective);
    test.window.resize(kScreen);
    QApplication::processEvents();
    CAPTURE(static_cast<int>(perspective), test.window.width(), test.window.height());
    CHECK(test.window.size() == kScreen);
  }
}

TEST_CASE("a new window fits the screen that it opens on", "[window]") {
  const QTemporaryDir folder;
  QSettings settings(folder.filePath("settings.ini"), QSettings::IniFormat);
  const MainWindow window({kBin + "/haloscope", "", "", folder.path(), kResources}, settings);
  const QSize screen = window.screen()->availableSize();
  CHECK(window.width() <= screen.width());
  CHECK(window.height() <= screen.height());
}

TEST_CASE("lanes have 60 % of a window of 1280 x 800, and what stands below opens by its tab", "[window]") {
  const SmallRecording recording(/*workers=*/2, /*epochs=*/4);
  TestWindow test;
  test.window.resize(1280, 800);
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  const auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  CHECK(canvas.isVisible());
  CHECK(canvas.height() >= 480);
  auto* dock = test.window.findChild<QDockWidget*>("Breakdown");
  CHECK(dock->widget()->height() == 0);
  const QSize tab = dock->size();
  const auto bars = test.window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
  const auto lower = std::ranges::find_if(bars, [](const QTabBar* bar) { return bar->count() > 2; });
  REQUIRE(lower != bars.end());
  QTest::mouseClick(*lower, Qt::LeftButton, {}, (*lower)->tabRect((*lower)->currentIndex()).center());
  QApplication::processEvents();
  CHECK(dock->widget()->height() > 100);
  CHECK(dock->height() >= 200);
  test.press("Fold lower views");
  QApplication::processEvents();
  CHECK(dock->size() == tab);
}
