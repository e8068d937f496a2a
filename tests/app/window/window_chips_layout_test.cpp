// How much of the window lanes have beside two and three chips, and that nothing stands out of it.
#include <QAbstractScrollArea>
#include <QDockWidget>
#include <QFrame>
#include <QImage>
#include <QPushButton>

#include "tests/app/window/window_fixture.h"
#include "views/scene/chip_bar.h"
#include "views/scene/scene_file.h"
#include "views/scene/scope_bar.h"
#include "views/timeline/timeline_view.h"

using namespace halo;

namespace {

constexpr double kLanesShare = 0.6;  // of the window's height

void compareInSample(TestWindow& test, const std::vector<int>& rows) {
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("sample.db")));
  test.window.openSample();
  REQUIRE(test.settle());
  test.compareRows(rows);
  test.window.setPerspective(Perspective::observe);
  test.showRun(1);
  test.bringUp("Timeline");
}

void resizeTo(TestWindow& test, QSize size) {
  test.window.resize(size);
  for (int turn = 0; turn < 4; ++turn) QApplication::processEvents();
}

/// What scrolls may be larger than what shows of it.
bool scrolls(const QWidget* widget) {
  for (const QWidget* each = widget->parentWidget(); each != nullptr; each = each->parentWidget())
    if (qobject_cast<const QAbstractScrollArea*>(each) != nullptr) return true;
  return false;
}

/// Names of what the window shows beyond its edges.
QStringList outside(const MainWindow& window) {
  QStringList names;
  for (const auto* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || widget->window() != &window || scrolls(widget)) continue;
    if (widget->visibleRegion().isEmpty()) continue;  // a dock behind another
    const QRect place(widget->mapTo(&window, QPoint(0, 0)), widget->size());
    if (!window.rect().contains(place))
      names << QString("%1 %2 at %3,%4 of %5x%6")
                   .arg(widget->metaObject()->className(), widget->objectName())
                   .arg(place.x())
                   .arg(place.y())
                   .arg(place.width())
                   .arg(place.height());
  }
  return names;
}

}  // namespace

TEST_CASE("lanes have 60 % of a window of 1280 x 800 beside two chips and three", "[window]") {
  const std::vector<int> rows = GENERATE(std::vector{0, 5}, std::vector{0, 5, 10});
  TestWindow test;
  compareInSample(test, rows);
  resizeTo(test, {1280, 800});
  const auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  const auto* chips = test.window.findChild<ChipBar*>();
  REQUIRE(canvas.isVisible());
  REQUIRE(chips->isVisible());
  CAPTURE(rows.size(), chips->height());
  CHECK(canvas.height() >= kLanesShare * test.window.height());
  for (const auto* frame : chips->findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly))
    CHECK(frame->width() >= frame->sizeHint().width());
}

TEST_CASE("with chips nothing stands out of the window, at 200 % neither", "[window]") {
  const std::vector<int> rows = GENERATE(std::vector{0, 5}, std::vector{0, 5, 10});
  TestWindow test;
  compareInSample(test, rows);
  // 1280 x 800, 2560 x 1440 pixels at 200 %, and as they are
  for (const QSize size : {QSize(1280, 800), QSize(1280, 720), QSize(2560, 1440)})
    for (const Perspective perspective : {Perspective::setUp, Perspective::observe, Perspective::decide}) {
      test.window.setPerspective(perspective);
      resizeTo(test, size);
      CAPTURE(rows.size(), size.width(), size.height(), static_cast<int>(perspective));
      CHECK(test.window.size() == size);
      CHECK(outside(test.window).join("; ").toStdString() == "");
    }
}

TEST_CASE("the window of two chips at 200 % is as large as its screen", "[window]") {
  const QTemporaryDir folder;
  const QString recording = folder.filePath("runs.db");
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", recording));
  SceneState state;
  state.chips = {{recording, {1, 2, 3, 4, 5}, 0}, {recording, {6}, 1}, {recording, {11}, 2}};
  const QString scene = folder.filePath("three.scene.toml"), picture = folder.filePath("w.png");
  writeScene(state, scene.toStdString());
  const Outcome outcome = desktop(
      {"--perspective", "observe", "--screenshot", picture, "--size", "1280x720", scene},
      {{"QT_QPA_PLATFORM", "offscreen"}, {"QT_SCALE_FACTOR", "2"}, {"XDG_CONFIG_HOME", folder.path()}});
  CAPTURE(outcome.words.toStdString());
  REQUIRE(outcome.status == 0);
  CHECK(QImage(picture).size() == QSize(2560, 1440));
}

TEST_CASE("a window of 640 x 400 hides docks beside the centre, folds those below, and is no larger",
          "[window]") {
  TestWindow test;
  compareInSample(test, {0, 5});
  const auto dock = [&](const char* name) { return test.window.findChild<QDockWidget*>(name); };
  REQUIRE(dock("Inspector")->isVisible());
  for (const Perspective perspective : {Perspective::setUp, Perspective::observe, Perspective::decide}) {
    test.window.setPerspective(perspective);
    resizeTo(test, {640, 400});
    resizeTo(test, {640, 400});  // as a hand goes on drawing once the docks are folded
    CAPTURE(static_cast<int>(perspective), test.window.width(), test.window.height());
    CHECK(test.window.size() == QSize(640, 400));
    CHECK_FALSE(dock("Inspector")->isVisible());
    CHECK_FALSE(dock("Experiments")->isVisible());
    CHECK(outside(test.window).join("; ").toStdString() == "");
  }
  test.window.setPerspective(Perspective::observe);
  test.press("Restore default layout");
  resizeTo(test, {1280, 800});
  CHECK(dock("Inspector")->isVisible());
}
