// The view Machine in the real window: of the shown run alone, and of compared runs.
#include <QToolButton>
#include "tests/app/window/window_fixture.h"

#include "views/figure/figure_view.h"
#include "views/scene/chip_bar.h"

using namespace halo;

namespace {

struct MachineWindow : TestWindow {
  QWidget* view() { return centreView("Machine"); }
  /// An empty one until there is one of that name.
  Figure figure(const QString& name) {
    for (auto* each : view()->findChildren<FigureView*>())
      if (each->figure().name == name) return each->figure();
    return {};
  }
};

}  // namespace

TEST_CASE("the machine of the shown run has its layers and memory, and of compared runs theirs", "[window]") {
  MachineWindow test;
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("sample.db")));
  test.window.openSample();
  REQUIRE(test.settle());
  test.bringUp("Machine");
  REQUIRE(QTest::qWaitFor([&] { return test.figure("layers").series.size() == 1; }, 20'000));
  CHECK(test.figure("memory").x.categories.size() == 1);
  test.compareRows({0, 5});
  test.bringUp("Machine");
  REQUIRE(QTest::qWaitFor([&] { return test.figure("layers").series.size() == 2; }, 20'000));
  CHECK(test.figure("memory").x.categories.size() == 2);
  auto* show = test.view()->findChild<QComboBox*>();
  show->setCurrentText("update");
  CHECK(test.figure("layers").y.title.startsWith("update"));
}

TEST_CASE("what the shown run trained is simulated by an experiment that is written and opened", "[window]") {
  MachineWindow test;
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("sample.db")));
  test.window.openSample();
  REQUIRE(test.settle());
  for (const int run : {1, 6, 11}) {  // vanilla, pipegcn, supergcn
    test.showRun(run);
    test.press("Simulate this…");
    const QString file = test.folder.filePath(QString("data/experiments/simulate-run-%1-1.toml").arg(run));
    CAPTURE(run);
    REQUIRE(QFile::exists(file));
    QProcess checked;
    checked.start(kBin + "/haloscope", {"--db", test.folder.filePath("s.db"), "simulate", "--dry-run", file});
    REQUIRE(checked.waitForFinished(30'000));
    CAPTURE(checked.readAllStandardError().toStdString());
    CHECK(checked.exitCode() == 0);
  }
}

TEST_CASE("a simulation of the shown run is recorded beside it and becomes a chip of the scene", "[window]") {
  MachineWindow test;
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("sample.db")));
  test.window.openSample();
  REQUIRE(test.settle());
  test.compareRows({0, 5});
  test.showRun(1);
  test.press("Simulate this…");
  REQUIRE(test.settle());
  test.window.startExperiment();
  const auto chips = [&test] {
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);  // chips of before
    QStringList names;
    for (auto* button : test.window.findChild<ChipBar*>()->findChildren<QToolButton*>())
      if (button->text() != "✕") names << button->text();
    return names;
  };
  const bool added = QTest::qWaitFor([&] { return chips().size() >= 3; }, 120'000);
  CAPTURE(chips().join("; ").toStdString(), test.state().toStdString());
  REQUIRE(added);
  CHECK(chips().size() == 3);  // run 1 was in a chip already
  CHECK(test.window.windowTitle().startsWith("sample.db"));
  CHECK_FALSE(QFile::exists(test.folder.filePath("data/recordings.db")));
}

TEST_CASE("without a recording the view of the machine says what to do", "[window]") {
  MachineWindow test;
  test.bringUp("Machine");
  for (auto* each : test.view()->findChildren<FigureView*>())
    CHECK(each->figure().emptyReason.contains("press C"));
  CHECK_FALSE(test.view()->findChild<QComboBox*>()->isVisible());
}
