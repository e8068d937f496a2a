// Runs from the window: a new experiment, a refused one, two at once, stopping, and what stays where a person
// put it while a run goes on.
#include <signal.h>

#include <QDockWidget>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <algorithm>

#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "views/experiment/experiment_form.h"
#include "views/experiment/problems_view.h"
#include "views/look/notice.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/log_view.h"

using namespace halo;

namespace {

constexpr int kPatienceMs = 60'000;

QDockWidget* dock(TestWindow& test, const char* name) { return test.window.findChild<QDockWidget*>(name); }

std::vector<RunRow> runsOf(const QString& recording) {
  Database database(recording.toStdString(), Access::readOnly);
  return Runs(database).all();
}

}  // namespace

TEST_CASE("a new experiment has no problem and runs at the first key", "[window]") {
  TestWindow test;
  test.press("New experiment");
  auto* form = test.window.findChild<ExperimentForm*>();
  REQUIRE(form->hasKnown());
  CHECK(form->problems().empty());
  test.press("▶ Run experiment");
  CHECK(form->file() == test.folder.filePath("data/experiments/experiment.toml"));
  REQUIRE(QTest::qWaitFor([&] { return test.state() == "completed" && test.window.settled(); }, kPatienceMs));
  const QString recording = test.folder.filePath("data/recordings.db");
  CHECK(runsOf(recording).size() == 1);
  QFile log(recording + ".log");
  REQUIRE(log.open(QIODevice::ReadOnly));
  CHECK(log.readAll().startsWith("Recording into " + recording.toUtf8() + "\n"));
}

TEST_CASE("an experiment with problems is refused in front of everybody", "[window]") {
  TestWindow test;
  QFile file(test.experiment("wrong.toml", 3));
  REQUIRE(file.open(QIODevice::Append));
  file.write("smothing = 1\n[trainning]\n");
  file.close();
  test.window.openFile(file.fileName());
  REQUIRE(test.settle());
  const auto wrong = test.window.findChild<ExperimentForm*>()->problems().size();
  REQUIRE(wrong > 0);
  test.press("▶ Run experiment");
  auto* list = dock(test, "Problems")->findChild<ProblemsView*>();
  CHECK(QTest::qWaitFor([&] { return list->isVisible(); }, 20'000));
  CHECK(list->problemCount() == static_cast<int>(wrong));
  CHECK(test.window.statusBar()->currentMessage().startsWith("Not started"));
  CHECK_FALSE(QFile::exists(test.folder.filePath("recordings.db")));
}

TEST_CASE("a run key right after typing goes by the text as it is", "[window]") {
  TestWindow test;
  test.press("New experiment");
  REQUIRE(test.settle());
  auto* form = test.window.findChild<ExperimentForm*>();
  auto* text = form->findChild<QPlainTextEdit*>();
  const QString sound = text->toPlainText();
  QSignalSpy checks(form, &ExperimentForm::checked);
  text->moveCursor(QTextCursor::End);
  text->insertPlainText("[trainning]\n");
  REQUIRE(checks.isEmpty());  // no pause since
  test.press("▶ Run experiment");
  CHECK(test.window.statusBar()->currentMessage().startsWith("Not started"));
  CHECK_FALSE(QFile::exists(test.folder.filePath("data/recordings.db")));
  text->setPlainText(sound);  // mended, and again no pause
  CHECK(form->problems().empty());
}

TEST_CASE("set-up without an open experiment shows that of the shown run, else a new one", "[window]") {
  const SmallRecording recording(1, 2);
  const QString ofRun = "schema = 1\nname = \"synthetic\"\n";
  TestWindow test;
  auto* form = test.window.findChild<ExperimentForm*>();
  test.window.setPerspective(MainWindow::Perspective::setUp);
  REQUIRE(test.settle());
  CHECK(form->text().contains("method = \"vanilla\""));
  CHECK(form->problems().empty());
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  CHECK(form->text() == ofRun);
  CHECK(form->file().isEmpty());
  CHECK_FALSE(form->changed());
  CHECK(test.window.statusBar()->currentMessage().contains("experiment of run 1, not saved"));

  auto* text = form->findChild<QPlainTextEdit*>();
  text->appendPlainText("# mine");
  const QString changed = form->text();
  const SmallRecording other(1, 2);
  test.window.openFile(other.path());
  REQUIRE(test.settle());
  CHECK(form->text() == changed);  // what a person changed stays
  form->loadText("");
  test.press("New experiment");
  test.window.setPerspective(MainWindow::Perspective::observe);
  test.window.setPerspective(MainWindow::Perspective::setUp);
  CHECK(form->text().contains("method = \"vanilla\""));  // asked for, so it is kept
}

TEST_CASE("a second run starts beside the first where a person says so", "[window]") {
  TestWindow test;
  test.window.openFile(test.experiment("long.toml", 1'000'000));
  REQUIRE(test.settle());
  test.window.startExperiment();
  REQUIRE(QTest::qWaitFor([&] { return test.state() == "running"; }, kPatienceMs));
  test.pressAndAnswer<QMessageBox>(
      "▶ Run experiment", [](QMessageBox&) { return true; },
      [](QMessageBox& box) {
        for (QAbstractButton* button : box.buttons())
          if (button->text() == "Start beside it") return button->click();
        box.reject();
      });
  const QString recording = test.folder.filePath("recordings.db");
  const auto both = [&] {
    const auto runs = runsOf(recording);
    return std::ranges::count(runs, std::string("running"), &RunRow::status) == 2;
  };
  CHECK(QTest::qWaitFor(both, kPatienceMs));
  CHECK(QFile::exists(recording + ".2.log"));  // they do not write into one log
  const auto over = [&] {
    const auto runs = runsOf(recording);
    return std::ranges::none_of(runs, [](const RunRow& run) { return run.status == "running"; });
  };
  for (const RunRow& run : runsOf(recording))
    CHECK(::kill(static_cast<pid_t>(run.supervisorPid), SIGINT) == 0);
  CHECK(QTest::qWaitFor(over, kPatienceMs));
}

TEST_CASE("runs of a bundled experiment are recorded in the person's own folder", "[window]") {
  TestWindow test;
  REQUIRE(QDir(test.folder.path()).mkpath("bundled"));
  test.window.openFile(test.experiment("bundled/small.toml", 2));
  REQUIRE(test.settle());
  test.window.startExperiment();
  REQUIRE(QTest::qWaitFor([&] { return test.state() == "completed" && test.window.settled(); }, kPatienceMs));
  CHECK(QDir(test.folder.filePath("bundled")).entryList(QDir::Files) == QStringList{"small.toml"});
  CHECK(runsOf(test.folder.filePath("data/recordings.db")).size() == 1);
}

TEST_CASE("a run that ends before it records anything says its last words", "[window]") {
  TestWindow test;
  QFile file(test.experiment("unknown.toml", 3));
  REQUIRE(file.open(QIODevice::ReadWrite));
  const QByteArray text = file.readAll().replace("name = \"karate\"", "path = \"no-such-data\"");
  file.resize(0);
  file.write(text);
  file.close();
  test.window.openFile(file.fileName());
  test.window.startExperiment();  // only the program looks for the file
  const auto isNoticed = [&] {
    return test.shown<Notice>() && test.shown<Notice>()->sentence().contains("no-such-data");
  };
  const bool noticed = QTest::qWaitFor(isNoticed, kPatienceMs);
  CHECK(noticed);
}

TEST_CASE("while a run goes on another stays chosen, a second one asks, and Stop ends it", "[window]") {
  const SmallRecording recording(/*workers=*/2, /*epochs=*/4);
  TestWindow test;
  test.window.openFile(recording.path());
  test.window.openFile(test.experiment("long.toml", 1'000'000));
  REQUIRE(test.settle());
  test.window.startExperiment();
  auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  canvas.setAnimated(false);
  const bool live = QTest::qWaitFor(
      [&] {
        return test.state() == "running" && test.runChoice()->currentIndex() == 1 &&
               test.shown<TimelineView>();
      },
      kPatienceMs);
  CAPTURE(test.window.findChild<LogView*>()->tail(5).toStdString());
  REQUIRE(live);

  test.window.chooseRun(1);
  waitForPolls(test);
  CHECK(test.runChoice()->currentIndex() == 0);
  CHECK(test.state() == "completed");

  test.pressAndAnswer<QMessageBox>(
      "▶ Run experiment", [](QMessageBox&) { return true; },
      [](QMessageBox& box) {
        CHECK(box.text().contains("cores"));
        box.button(QMessageBox::Cancel)->click();
      });
  CHECK(runsOf(recording.path()).size() == 2);

  test.window.chooseRun(2);
  REQUIRE(QTest::qWaitFor([&] { return test.shown<TimelineView>() && canvas.xOf(canvas.nsAt(500)) > 0; },
                          kPatienceMs));
  waitForPolls(test);
  for (int i = 0; i < 6; ++i) canvas.perform(TimelineAction::zoomIn);
  const auto left = canvas.nsAt(canvas.lanes().left()), right = canvas.nsAt(canvas.lanes().right());
  test.press("■ Stop");
  CHECK(test.state().endsWith("stopping after this epoch"));
  REQUIRE(QTest::qWaitFor([&] { return test.state() == "cancelled" && test.window.settled(); }, kPatienceMs));
  waitForPolls(test);
  CHECK(canvas.nsAt(canvas.lanes().left()) == left);
  CHECK(canvas.nsAt(canvas.lanes().right()) == right);
  test.window.chooseRun(1);
  CHECK(test.state() == "completed");  // the question was of the other run
  CHECK(runsOf(recording.path()).back().status == "cancelled");
}
