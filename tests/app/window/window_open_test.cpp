// What the window opens of several files, and what it says where a start comes to nothing.
#include <QDockWidget>
#include <QMessageBox>
#include <QToolButton>

#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "views/experiment/experiment_form.h"
#include "views/experiment/problems_view.h"
#include "views/look/notice.h"
#include "views/scene/chip_bar.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/log_view.h"

using namespace halo;

namespace {

ProblemsView& problems(TestWindow& test) {
  return *test.window.findChild<QDockWidget*>("Problems")->findChild<ProblemsView*>();
}

QString banner(TestWindow& test) {
  for (const auto* label : test.window.findChildren<QLabel*>())
    if (label->isVisible() && label->text().startsWith("✗ Not started")) return label->text();
  return {};
}

/// An experiment whose data set cannot be read, which only the started program finds out.
QString unreadable(TestWindow& test) {
  const QString path = test.experiment("unreadable.toml", 3);
  QFile file(path);
  REQUIRE(file.open(QIODevice::ReadWrite));
  const QByteArray text = file.readAll().replace("name = \"karate\"", "path = \"absent.el\"");
  file.resize(0);
  file.write(text);
  return path;
}

}  // namespace

TEST_CASE("of several files a recording and an experiment open, and another recording is compared",
          "[window]") {
  const SmallRecording first(1, 2), second(1, 2);
  const QString other = second.path();
  TestWindow test;
  const QString experiment = test.experiment("small.toml", 2);
  test.window.openFiles({first.path(), experiment, other, first.path()});
  REQUIRE(test.settle());
  CHECK(test.state() == "completed");
  CHECK(test.window.findChild<ExperimentForm*>()->file() == experiment);
  CHECK(problems(test).problemCount() == 0);
  auto& lanes = *test.window.findChild<TimelineView*>();
  REQUIRE(QTest::qWaitFor([&] { return lanes.canvas().places().blocks().size() == 2; }, 60'000));
  CHECK(QTest::qWaitFor([&] { return !lanes.canvas().places().blocks()[1]->rows().empty(); }, 60'000));
  CHECK(test.window.findChild<ChipBar*>()->isVisibleTo(&test.window));
}

TEST_CASE("the opening of a recording can be given up, and another opened", "[window]") {
  const SmallRecording first(1, 2), second(1, 2);
  TestWindow test;
  test.window.openFile(first.path());
  auto* cancel = test.window.findChild<QToolButton*>("cancelOpening");
  REQUIRE(cancel != nullptr);
  cancel->click();  // before anything is answered
  REQUIRE(test.settle());
  CHECK(test.state() == "No recording");
  CHECK(test.window.windowTitle() == "Haloscope");
  CHECK_FALSE(cancel->isVisible());
  test.window.openFile(second.path());
  REQUIRE(test.settle());
  CHECK(test.state() == "completed");
  cancel->click();  // what is open stays
  CHECK(test.state() == "completed");
}

TEST_CASE("a second experiment is named too", "[window]") {
  TestWindow test;
  const QString first = test.experiment("a.toml", 2), second = test.experiment("b.toml", 2);
  test.window.openFiles({first, second});
  REQUIRE(test.settle());
  CHECK(test.window.findChild<ExperimentForm*>()->file() == first);
  REQUIRE(problems(test).problemCount() == 1);
  CHECK(problems(test).item(0)->text().startsWith(second + ": not opened"));
}

TEST_CASE("a run that comes to nothing beside others is told of wherever one looks", "[window]") {
  const SmallRecording recording(1, 2);
  TestWindow test;
  test.window.openFiles({recording.path(), unreadable(test)});
  REQUIRE(test.settle());
  REQUIRE(test.window.findChild<ExperimentForm*>()->problems().empty());
  test.window.startExperiment();
  REQUIRE(QTest::qWaitFor([&] { return banner(test).contains("absent.el"); }, 60'000));
  CHECK(
      test.window.statusBar()->currentMessage().startsWith("Not started: the run ended before it recorded"));
  CHECK(test.window.statusBar()->currentMessage().contains("absent.el"));
  CHECK(problems(test).item(0)->text().contains("absent.el"));
  auto* log = test.window.findChild<LogView*>();
  CHECK(log->isVisible());
  CHECK(QTest::qWaitFor([&] { return log->tail(3).contains("absent.el"); }, 20'000));
  waitForPolls(test);
  CHECK_FALSE(banner(test).isEmpty());  // it stays
  CHECK(test.shown<TimelineView>());    // beside what was shown
  CHECK(log->tail(3).contains("absent.el"));
}

TEST_CASE("a run that comes to nothing in a new recording is told of in the timeline's place", "[window]") {
  TestWindow test;
  test.window.openFile(unreadable(test));
  REQUIRE(test.settle());
  test.window.startExperiment();
  const auto noticed = [&] {
    return test.shown<Notice>() && test.shown<Notice>()->sentence().contains("absent.el");
  };
  REQUIRE(QTest::qWaitFor(noticed, 60'000));
  CHECK_FALSE(test.shown<Notice>()->sentence().contains("Recording into"));
  CHECK(
      test.window.statusBar()->currentMessage().startsWith("Not started: the run ended before it recorded"));
  CHECK(problems(test).item(0)->text().startsWith("Not started"));
  auto* log = test.window.findChild<LogView*>();
  CHECK(QTest::qWaitFor([&] { return log->tail(3).contains("absent.el"); }, 20'000));
}

TEST_CASE("a program that is not there is told of in the window, too", "[window]") {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  MainWindow window({"/no/such/haloscope", folder.filePath("sample.db"), folder.filePath("bundled"),
                     folder.filePath("data"), kResources},
                    settings);
  window.show();
  auto* form = window.findChild<ExperimentForm*>();
  form->loadText("schema = 1\nname = \"a\"\n[[run]]\nmethod = \"vanilla\"\n");
  QTimer answer;
  QObject::connect(&answer, &QTimer::timeout, [] {
    if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget())) box->accept();
  });
  answer.start(10);
  window.startExperiment();
  CHECK(window.statusBar()->currentMessage().startsWith("Not started: /no/such/haloscope"));
  auto* log = window.findChild<LogView*>();
  CHECK(QTest::qWaitFor([&] { return log->tail(1).startsWith("Not started: /no/such/haloscope"); }, 20'000));
}
