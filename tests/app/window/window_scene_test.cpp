// Runs side by side in the real window: chosen in the run table, compared, undone, saved and opened again.
#include <QDockWidget>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <map>

#include "engine/record/database/database.h"
#include "tests/app/window/window_fixture.h"
#include "views/figure/figure_view.h"
#include "views/recording/run_data.h"
#include "views/scene/chip_bar.h"
#include "views/scene/scene_file.h"
#include "views/scene/scope_bar.h"
#include "views/timeline/timeline_overview.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/runs_view.h"
#include "views/widgets/scene_figure_view.h"

using namespace halo;

namespace {

void openSample(TestWindow& test) {
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("sample.db")));
  test.window.openSample();
  REQUIRE(test.settle());
}

void choose(TestWindow& test, const std::vector<int>& rows) {
  test.window.setPerspective(Perspective::decide);
  auto* table = test.window.findChild<RunsView*>()->table();
  table->clearSelection();
  for (const int row : rows)
    table->selectionModel()->select(table->model()->index(row, 0),
                                    QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

void compareInSample(TestWindow& test, const std::vector<int>& rows) {
  openSample(test);
  choose(test, rows);
  test.press("Compare the chosen runs");
  REQUIRE(test.settle());
}

QStringList chipsOf(const MainWindow& window) {
  QStringList names;
  for (auto* button : window.findChild<ChipBar*>()->findChildren<QToolButton*>())
    if (button->text() != "✕") names << button->text();
  return names;
}

void undoIn(TestWindow& test) {
  for (auto* action : test.window.findChildren<QAction*>())
    if (action->text().startsWith("&Undo")) return action->trigger();
  FAIL("there is nothing to undo by");
}

/// What the view shows once this figure is chosen.
const Figure& figureOf(TestWindow& test, const QString& name) {
  auto* view = test.window.findChild<SceneFigureView*>();
  auto* tabs = test.window.findChild<QTabWidget*>();
  tabs->setCurrentWidget(view);
  view->findChild<QComboBox*>()->setCurrentText(name);
  return view->findChild<FigureView*>()->figure();
}

}  // namespace

TEST_CASE("chosen runs are compared, undone, saved as a scene and opened again", "[window]") {
  TestWindow test;
  openSample(test);
  auto* bar = test.window.findChild<ChipBar*>();
  CHECK_FALSE(bar->isVisible());
  choose(test, {0, 1, 2, 3, 4, 5});
  test.press("Compare the chosen runs");
  REQUIRE(test.settle());
  CHECK(bar->isVisible());
  REQUIRE(chipsOf(test.window).size() == 2);
  CHECK(chipsOf(test.window)[0] == "A  #1–5 vanilla");
  CHECK(chipsOf(test.window)[1] == "B  #6 pipegcn");
  CHECK(figureOf(test, "summary").table.columns.size() == 3);
  CHECK_FALSE(figureOf(test, "waterfall").empty());
  CHECK_FALSE(figureOf(test, "differences").empty());
  CHECK_FALSE(figureOf(test, "where").empty());
  CHECK_FALSE(figureOf(test, "learning").empty());
  CHECK_FALSE(figureOf(test, "to-score").empty());
  CHECK_FALSE(figureOf(test, "traffic").empty());

  // the second becomes the baseline by a click
  for (auto* button : bar->findChildren<QToolButton*>())
    if (button->text().startsWith("B")) {
      button->click();
      break;
    }
  REQUIRE(test.settle());
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  CHECK(chipsOf(test.window)[0] == "A  #6 pipegcn");

  const auto undo = [&] { undoIn(test); };
  undo();
  REQUIRE(test.settle());
  QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  CHECK(chipsOf(test.window)[0] == "A  #1–5 vanilla");
  undo();
  undo();
  REQUIRE(test.settle());
  CHECK_FALSE(bar->isVisible());
}

TEST_CASE("the scope beside the chips goes into every figure and its title, and is undone", "[window]") {
  TestWindow test;
  compareInSample(test, {0, 5});
  auto* scope = test.window.findChild<ScopeBar*>();
  REQUIRE(scope->isVisible());
  const double before = figureOf(test, "summary").table.values.at(0).at(1).toDouble();
  const auto boxes = scope->findChildren<QSpinBox*>();
  boxes.at(boxes.size() - 2)->setValue(5);  // the ends stand after what is aligned
  boxes.back()->setValue(8);
  REQUIRE(test.settle());
  for (const char* name : {"summary", "where", "waterfall", "differences", "learning", "traffic"})
    CHECK(figureOf(test, name).title.endsWith(" · epochs 5–8"));
  CHECK(figureOf(test, "summary").table.values.at(0).at(1).toDouble() != before);
  undoIn(test);
  undoIn(test);
  REQUIRE(test.settle());
  CHECK(figureOf(test, "summary").table.values.at(0).at(1).toDouble() == before);
}

TEST_CASE("figures are of the epochs that the timeline shows, where that is the scope", "[window]") {
  TestWindow test;
  compareInSample(test, {0, 5});
  test.window.setPerspective(Perspective::observe);
  QApplication::processEvents();
  auto* scope = test.window.findChild<ScopeBar*>();
  for (auto* box : scope->findChildren<QComboBox*>())
    if (box->accessibleName() == "What figures are of") box->setCurrentText("visible");
  REQUIRE(test.settle());
  const std::string title = figureOf(test, "summary").title.toStdString();
  CHECK(QString::fromStdString(title).contains(" · epochs 0–"));

  test.showRun(1);
  Database recording(test.folder.filePath("sample.db").toStdString(), Access::readOnly);
  const std::vector<EpochRow> epochs = readRun(recording, 1).epochs;
  test.bringUp("Timeline");
  auto* overview = test.window.findChild<TimelineOverview*>();
  const int y = overview->height() / 2;
  const int from = static_cast<int>(overview->xOf(epochs.at(3).beginNs)) - 2;
  const int to = static_cast<int>(overview->xOf(epochs.at(6).beginNs + epochs.at(6).wallNs)) + 3;
  QTest::mousePress(overview, Qt::LeftButton, {}, {from, y});
  QTest::mouseMove(overview, {(from + to) / 2, y});
  QTest::mouseMove(overview, {to, y});
  QTest::mouseRelease(overview, Qt::LeftButton, {}, {to, y});
  REQUIRE(test.settle());
  for (const char* name : {"summary", "where", "differences"})
    CHECK(figureOf(test, name).title.endsWith(" · epochs 3–6"));
}

TEST_CASE("a figure of the chips is chosen with its parameter", "[window]") {
  TestWindow test;
  compareInSample(test, {0, 5});
  CHECK(figureOf(test, "learning").x.title == "epoch");
  auto* parameter = test.window.findChild<SceneFigureView*>()->findChild<QComboBox*>("parameter");
  REQUIRE(parameter->isVisible());
  parameter->setCurrentText("bytes");
  CHECK(test.window.findChild<SceneFigureView*>()->findChild<FigureView*>()->figure().x.title ==
        "sent by all workers");
  CHECK_FALSE(figureOf(test, "summary").empty());
  CHECK_FALSE(parameter->isVisible());
}

TEST_CASE("chips make no dock narrower, however long their names are", "[window]") {
  TestWindow test;
  openSample(test);
  test.window.setPerspective(Perspective::decide);
  QApplication::processEvents();
  const int before = test.window.centralWidget()->width();
  choose(test, {0, 5, 10});
  test.press("Compare the chosen runs");
  REQUIRE(test.settle());
  QApplication::processEvents();
  CHECK(chipsOf(test.window).size() == 3);
  CHECK(test.window.centralWidget()->width() == before);
  test.window.resize(900, 700);
  QApplication::processEvents();
  CHECK(test.window.width() == 900);
}

TEST_CASE("the inspector tells of the chip whose span is selected, and of no other", "[window]") {
  TestWindow test;
  compareInSample(test, {0, 5});
  test.showRun(1);
  test.bringUp("Timeline");
  auto* inspector = test.window.findChild<InspectorView*>();
  const auto heading = [&](int section) { return inspector->topLevelItem(section)->text(0); };
  CHECK(heading(1).startsWith("Run · A  #1"));
  TimelineCanvas& canvas = test.window.findChild<TimelineView*>()->canvas();
  const auto select = [&](std::int32_t block) {
    for (const RowPlace& place : canvas.places().places())
      if (const RowEntry& row = canvas.places().entryOf(place); row.id.block == block && row.row != nullptr)
        return canvas.selection().selectSpan(SpanId{row.id, 0});
  };
  select(1);
  CHECK(heading(0) == "Span · B");
  CHECK(heading(1).startsWith("Run · B  #6"));
  CHECK(inspector->topLevelItem(3)->isHidden());  // metrics of the shown run
  select(0);
  CHECK(heading(0) == "Span · A");
  CHECK(heading(1).startsWith("Run · A  #1"));
  CHECK_FALSE(inspector->topLevelItem(3)->isHidden());
}

TEST_CASE("the timeline has runs in the order of their chips, whichever is shown", "[window]") {
  TestWindow test;
  compareInSample(test, {0, 5});
  test.showRun(6);
  test.bringUp("Timeline");
  REQUIRE(test.settle());
  const TimelineLayout& layout = test.window.findChild<TimelineView*>()->canvas().places();
  REQUIRE(layout.blocks().size() == 2);
  CHECK(layout.topmost() == 1);
  CHECK(layout.blockBox(1).top < layout.blockBox(0).top);
}

TEST_CASE("scaling has the colours and letters of the chips", "[window]") {
  TestWindow test;
  compareInSample(test, {0, 5});
  for (auto* button : test.window.findChild<ChipBar*>()->findChildren<QToolButton*>())
    if (button->text().startsWith("B")) {
      button->click();
      break;
    }
  REQUIRE(test.settle());
  for (auto* dock : test.window.findChildren<QDockWidget*>())
    if (dock->windowTitle() == "Scaling") dock->raise();
  const auto lines = [&test] {
    std::map<QString, std::optional<int>> colors;
    for (auto* view : test.window.findChildren<FigureView*>())
      if (view->figure().name == "scaling")
        for (const FigureSeries& series : view->figure().series) colors[series.name] = series.color;
    return colors;
  };
  const bool drawn = QTest::qWaitFor([&] { return lines().contains("A  pipegcn"); }, 20'000);
  REQUIRE(drawn);
  CHECK(lines().at("A  pipegcn") == 1);  // which it had before it became the baseline
  CHECK(lines().at("B  vanilla") == 0);
}

TEST_CASE("a scene is opened from its file, with its recording", "[window]") {
  TestWindow test;
  REQUIRE(QFile::copy(kResources + "/samples/sample.db", test.folder.filePath("runs.db")));
  SceneState state;
  state.chips = {{test.folder.filePath("runs.db"), {1, 2, 3, 4, 5}, 1},
                 {test.folder.filePath("runs.db"), {6}, 0}};
  const QString file = test.folder.filePath("two.scene.toml");
  writeScene(state, file.toStdString());
  test.window.openFile(file);
  REQUIRE(test.settle());
  CHECK(test.window.windowTitle().startsWith("runs.db"));
  CHECK(test.window.findChild<QTabWidget*>()->currentWidget() == test.window.findChild<SceneFigureView*>());
  CHECK(2 * test.window.centralWidget()->height() > test.window.height());
  CHECK(chipsOf(test.window).size() == 2);
  CHECK(figureOf(test, "summary").title == "Summary · all epochs but the first, without pipeline refills");
  test.window.openFile(test.folder.filePath("absent.scene.toml"));
  REQUIRE(test.settle());
  CHECK(chipsOf(test.window).size() == 2);  // what was there stays
  MainWindow next({kBin + "/haloscope", "", "", test.folder.path(), kResources}, test.settings);
  next.openLast();
  REQUIRE(QTest::qWaitFor([&] { return next.settled(); }, 20'000));
  CHECK(next.windowTitle().startsWith("runs.db"));
  CHECK(chipsOf(next) == chipsOf(test.window));
}
