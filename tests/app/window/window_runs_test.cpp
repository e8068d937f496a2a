// Which run the window shows, and what it says of it: after another start, while it is being read, filtered
// out, deleted, or where the recording is gone for a moment.
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTabBar>
#include <QTableView>
#include <QTreeView>

#include "app/window/runs/run_process.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/small_recording.h"
#include "views/experiment/experiment_form.h"
#include "views/experiment/problems_view.h"
#include "views/look/notice.h"
#include "views/look/units.h"
#include "views/look/widget_style.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/breakdown_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/runs_view.h"

using namespace halo;

namespace {

void change(const SmallRecording& recording, const std::string& sql) {
  Database database(recording.file(), Access::readWrite);
  database.execute(sql);
}

template <class Condition>
bool becomes(const Condition& condition) {
  return QTest::qWaitFor(condition, 20'000);
}

QString firstFact(TestWindow& test) {
  const auto* run = test.window.findChild<InspectorView*>()->topLevelItem(1);
  return run->child(0)->text(0) + " " + run->child(0)->text(1);
}

QString caption(TestWindow& test) {
  return test.window.findChild<BreakdownView*>()->findChild<QLabel*>()->text();
}

void pressKey(QWidget& widget, int key, const QString& letter) {
  QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier, letter);
  QApplication::sendEvent(&widget, &press);
}

}  // namespace

TEST_CASE("the recording of a run started in the window is open at the next start", "[window]") {
  TestWindow test;
  test.press("New experiment");
  REQUIRE(test.settle());
  test.press("▶ Run experiment");
  REQUIRE(QTest::qWaitFor([&] { return test.state() == "completed" && test.window.settled(); }, 60'000));
  const QString experiment = test.window.findChild<ExperimentForm*>()->file();
  const auto startAgain = [&] {
    auto window =
        std::make_unique<MainWindow>(WindowPlaces{kBin + "/haloscope", "no-sample.db", "no-experiments",
                                                  test.folder.filePath("data"), kResources},
                                     test.settings);
    window->openLast();
    CHECK(becomes([&] { return window->settled(); }));
    CHECK(window->windowTitle().startsWith("recordings.db"));
    return window;
  };
  startAgain();
  test.window.openFile(experiment);
  CHECK(startAgain()->findChild<ExperimentForm*>()->file() == experiment);
}

TEST_CASE("no number of the run before stands under the one just chosen", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.chooseRun(1);
  REQUIRE(test.settle());
  CHECK(caption(test).startsWith("The whole run"));
  test.window.chooseRun(2);  // and before a turn of the event loop
  CHECK(firstFact(test) == "Run 2 is not read yet ");
  CHECK(caption(test).isEmpty());
  REQUIRE(test.settle());
  CHECK(firstFact(test) == "number 2");
}

TEST_CASE("a recording that was gone for a moment is read again", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/2);
  change(recording, "PRAGMA journal_mode = DELETE");
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  const QString away = recording.path() + ".away";
  REQUIRE(QFile::rename(recording.path(), away));
  auto* problems = test.window.findChild<ProblemsView*>();
  REQUIRE(becomes([&] { return problems->problemCount() > 0; }));
  test.window.chooseRun(1);
  REQUIRE(becomes([&] { return test.shown<Notice>() && test.window.settled(); }));
  CHECK(test.shown<Notice>()->sentence().contains("synthetic.db: there is no such recording"));
  CHECK(firstFact(test) == "Run 1 is not read yet ");
  REQUIRE(QFile::rename(away, recording.path()));
  CHECK(becomes([&] { return test.shown<TimelineView>() && firstFact(test) == "number 1"; }));
  CHECK(becomes([&] { return caption(test).startsWith("The whole run"); }));
}

TEST_CASE("filtering the run table chooses no run", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/3);
  change(recording, "UPDATE run SET method = 'adaqp' WHERE id = 2");
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.setPerspective(MainWindow::Perspective::decide);
  auto* view = test.window.findChild<RunsView*>();
  auto* filter = view->findChild<QLineEdit*>();
  REQUIRE(view->table()->currentIndex().row() == 2);
  filter->setText("adaqp");
  CHECK(view->table()->model()->rowCount() == 1);
  CHECK(test.runChoice()->currentIndex() == 2);
  CHECK(view->chosen().empty());
  filter->clear();
  CHECK(test.runChoice()->currentIndex() == 2);
  CHECK(view->table()->currentIndex().row() == 2);
  CHECK(view->chosen() == std::vector<std::int64_t>{3});
}

TEST_CASE("the run table shows what runs are compared by before their marks", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.setPerspective(MainWindow::Perspective::decide);
  const auto* view = test.window.findChild<RunsView*>();
  const QHeaderView& header = *view->table()->horizontalHeader();
  const QAbstractItemModel& model = *view->table()->model();
  const auto place = [&](const QString& title) {
    for (int column = 0; column < model.columnCount(); ++column)
      if (model.headerData(column, Qt::Horizontal) == title) return header.visualIndex(column);
    return -1;
  };
  REQUIRE(place("epoch") > 0);
  CHECK(place("Workers") < place("epoch"));
  CHECK(place("epoch") < place("Marks"));
  CHECK(place("Marks") < place("Started"));
}

TEST_CASE("columns stay where somebody put, hid and showed them when runs with other figures come",
          "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.setPerspective(MainWindow::Perspective::decide);
  QTableView& table = *test.window.findChild<RunsView*>()->table();
  QHeaderView& header = *table.horizontalHeader();
  const auto column = [&](const QString& title) {
    for (int i = 0; i < header.count(); ++i)
      if (table.model()->headerData(i, Qt::Horizontal) == title) return i;
    FAIL("no column " << title.toStdString());
    return -1;
  };
  header.moveSection(header.visualIndex(column("Workers")), 0);
  header.moveSection(header.visualIndex(column("loss")), 1);
  table.setColumnHidden(column("Method"), true);
  REQUIRE(table.isColumnHidden(column("Seed")));
  table.setColumnHidden(column("Seed"), false);
  table.setColumnWidth(column("Workers"), 177);
  const int columns = header.count();
  change(recording, "INSERT INTO latest(run_id, metric, value) VALUES(1, 'wait_share', 0.5)");
  REQUIRE(becomes([&] { return header.count() > columns; }));
  CHECK(header.visualIndex(column("Workers")) == 0);
  CHECK(header.visualIndex(column("loss")) == 1);  // which has another number now
  CHECK(table.isColumnHidden(column("Method")));
  CHECK_FALSE(table.isColumnHidden(column("Seed")));
  CHECK(table.isColumnHidden(column("Tags")));
  CHECK(table.columnWidth(column("Workers")) == 177);
}

TEST_CASE("the current run stays in sight where the run table gets smaller", "[window]") {
  const SmallRecording recording(2, 2, /*runs=*/40);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.setPerspective(MainWindow::Perspective::decide);
  QTableView& table = *test.window.findChild<RunsView*>()->table();
  REQUIRE(table.currentIndex().row() == 39);
  table.scrollTo(table.currentIndex());
  for (const int height : {700, 640, 580}) {
    test.window.resize(1280, height);
    QApplication::processEvents();
    CAPTURE(height);
    CHECK(table.viewport()->rect().contains(table.visualRect(table.currentIndex()).center()));
    CHECK(table.visualRect(table.currentIndex()).bottom() <= table.viewport()->rect().bottom());
  }
}

TEST_CASE("views of a perspective have their whole names in a window 1280 wide", "[window]") {
  TestWindow test;
  test.window.setPerspective(MainWindow::Perspective::decide);
  WidgetStyle style;
  int bars = 0;
  for (auto* bar : test.window.findChildren<QTabBar*>()) {
    if (!bar->isVisible() || bar->count() < 6) continue;
    ++bars;
    bar->setStyle(&style);
    test.settle();
    QApplication::processEvents();
    for (int tab = 0; tab < bar->count(); ++tab) {
      CAPTURE(bar->tabText(tab).toStdString());
      const int text = bar->fontMetrics().horizontalAdvance(bar->tabText(tab));  // less room cuts it
      CHECK(bar->tabRect(tab).width() >= text + bar->style()->pixelMetric(QStyle::PM_TabBarTabHSpace));
    }
  }
  CHECK(bars == 2);  // the centre, and the docks below it
}

TEST_CASE("the run table says what keeps the chosen runs, or all it shows, from being compared", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/3);
  change(
      recording,
      "INSERT OR REPLACE INTO parameter SELECT id, 'training.epochs', CASE id WHEN 2 THEN '6' ELSE '5' END "
      "FROM run");
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.setPerspective(MainWindow::Perspective::decide);
  auto* view = test.window.findChild<RunsView*>();
  const auto* unlike = view->findChild<QLabel*>("unlike");
  REQUIRE(unlike != nullptr);
  CHECK(becomes([&] { return unlike->text() == "runs differ in training.epochs"; }));
  CHECK(unlike->isVisibleTo(view));
  const auto choose = [&](std::initializer_list<int> rows) {
    QItemSelection selection;
    for (const int row : rows)
      selection.select(view->table()->model()->index(row, 0), view->table()->model()->index(row, 0));
    view->table()->selectionModel()->select(selection,
                                            QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  };
  choose({0, 2});
  CHECK(becomes([&] { return !unlike->isVisibleTo(view); }));
  choose({0, 1});
  CHECK(becomes([&] { return unlike->isVisibleTo(view); }));
}

TEST_CASE("where the shown run is deleted the newest is shown, and said so", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/3);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.chooseRun(2);
  REQUIRE(test.settle());
  change(recording, "DELETE FROM run WHERE id = 2");
  REQUIRE(becomes([&] { return test.window.statusBar()->currentMessage().contains("Run 2 was deleted"); }));
  REQUIRE(test.settle());
  CHECK(firstFact(test) == "number 3");
  CHECK(test.runChoice()->currentIndex() == 1);
  CHECK(test.shown<QLabel>());
  bool stateIsShown = false;  // the message hides no state
  for (const auto* label : test.window.statusBar()->findChildren<QLabel*>())
    stateIsShown = stateIsShown || (label->text() == "completed" && label->isVisible());
  CHECK(stateIsShown);
}

TEST_CASE("keys belong to the timeline once it is there, and letters choose no run", "[window]") {
  const SmallRecording recording(2, 4, /*runs=*/2);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  test.window.chooseRun(1);
  REQUIRE(becomes([&] { return test.shown<TimelineView>() != nullptr; }));
  auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  CHECK(test.window.focusWidget() == &canvas);
  auto* tree = test.window.findChild<QTreeView*>();
  for (auto* each : test.window.findChildren<QTreeView*>())
    if (each->accessibleName() == "Experiments") tree = each;
  tree->setFocus();
  test.window.chooseRun(2);
  pressKey(*tree, Qt::Key_S, "s");  // "synthetic…"
  CHECK(test.runChoice()->currentIndex() == 1);
  QEnterEvent enter({5, 5}, {5, 5}, {5, 5});
  QApplication::sendEvent(&canvas, &enter);
  CHECK(test.window.focusWidget() == &canvas);
  auto* epoch = test.epochChoice();
  epoch->setFocus();
  QApplication::sendEvent(&canvas, &enter);  // somebody is typing there
  CHECK(test.window.focusWidget() != &canvas);
}

TEST_CASE("undoing a step of an epoch brings back the epoch before", "[window]") {
  const SmallRecording recording(2, 6);
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  auto& canvas = test.window.findChild<TimelineView*>()->canvas();
  canvas.setAnimated(false);
  auto* epoch = test.epochChoice();
  epoch->setValue(3);
  epoch->setValue(4);
  canvas.perform(TimelineAction::back);
  CHECK(epoch->value() == 3);
  REQUIRE(becomes([&] { return caption(test).startsWith("Epoch 3"); }));
  canvas.perform(TimelineAction::forward);
  CHECK(epoch->value() == 4);
  canvas.perform(TimelineAction::back);
  canvas.perform(TimelineAction::back);
  CHECK(epoch->value() == -1);
}

TEST_CASE("a run whose spans end before its epochs says so, and why it ended once", "[window]") {
  const SmallRecording recording(1, 4);
  const std::string error =
      "its supervisor is gone, and did not record how the run ended; the epochs it had recorded are kept";
  change(recording, "UPDATE run SET status = 'interrupted', error = '" + error + "'");
  change(recording,
         "INSERT INTO epoch SELECT run_id, 9, begin_ns + 60000000, wall_ns, loss, train, valid, "
         "test, filling FROM epoch WHERE epoch = 3");
  TestWindow test;
  test.window.openFile(recording.path());
  REQUIRE(test.settle());
  CAPTURE(caption(test).toStdString());
  CHECK(caption(test).startsWith("The part of the run that has spans, up to " + formatNs(39'900'000) +
                                 " of " + formatNs(100'000'000) + ": "));
  CHECK(caption(test).contains(" on 1 worker;"));
  QString banner;
  for (const auto* label : test.window.findChildren<QLabel*>())
    if (label->text().startsWith("✗")) banner = label->text();
  CHECK(banner.startsWith("✗ Run 1 interrupted: " + QString::fromStdString(error) + ". <a"));
  CHECK(banner.count("kept") == 1);
}

TEST_CASE("a run that goes on after it was asked to stop is not said to be stopping", "[window]") {
  CHECK(stopText(0, 0).isEmpty());
  CHECK(stopText(1, 100).endsWith("stopping after this epoch"));
  CHECK(stopText(2, 100).endsWith("stopping now"));
  CHECK(stopText(1, 12'300).endsWith("asked to stop 12 s ago, still running; Stop again ends it now"));
  CHECK(stopText(2, 12'300).endsWith("asked to stop 12 s ago, still running"));
}
