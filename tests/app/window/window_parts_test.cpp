// The view Parts in the real window: of the shown run alone, and of compared runs; its parts and the lanes of
// the timeline choose each other.
#include <QTabWidget>
#include <QTableView>

#include "tests/app/window/window_fixture.h"
#include "views/figure/figure_view.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/runs_view.h"
#include "views/widgets/timeline_stage.h"

using namespace halo;

namespace {

QWidget* partsOf(MainWindow& window) {
  auto* tabs = window.centralWidget()->findChild<QTabWidget*>();
  for (int i = 0; i < tabs->count(); ++i)
    if (tabs->tabText(i).remove('&') == "Parts") return tabs->widget(i);
  FAIL("no view of parts");
  return nullptr;
}

void bringUp(TestWindow& test) {
  auto* tabs = test.window.centralWidget()->findChild<QTabWidget*>();
  tabs->setCurrentWidget(partsOf(test.window));
  QApplication::processEvents();
}

struct PartsWindow : TestWindow {
  PartsWindow() {
    REQUIRE(QFile::copy(kResources + "/samples/sample.db", folder.filePath("sample.db")));
    window.openSample();
    REQUIRE(settle());
    bringUp(*this);
  }
  QWidget* view() { return partsOf(window); }
  QTableView* table() { return view()->findChild<QTableView*>(); }
  TimelineSelection& selection() { return window.findChild<TimelineView*>()->canvas().selection(); }
  const Figure& figure(const QString& name) {
    for (auto* view : view()->findChildren<FigureView*>())
      if (view->figure().name == name) return view->figure();
    FAIL("no figure " << name.toStdString());
    return view()->findChild<FigureView*>()->figure();
  }
  bool waitForRows(int count) {
    return QTest::qWaitFor([&] { return table()->model()->rowCount() == count; }, 20'000);
  }
  QString cell(int row, int column) { return table()->model()->index(row, column).data().toString(); }
  void compare(const std::vector<int>& rows) {
    window.setPerspective(Perspective::decide);
    auto* runs = window.findChild<RunsView*>()->table();
    runs->clearSelection();
    for (const int row : rows)
      runs->selectionModel()->select(runs->model()->index(row, 0),
                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
    press("Compare the chosen runs");
    REQUIRE(settle());
    bringUp(*this);
  }
};

}  // namespace

TEST_CASE("parts of the shown run stand beside its lanes, and both choose each other", "[window]") {
  PartsWindow test;
  REQUIRE(test.waitForRows(4));
  CHECK(test.figure("part-bars").series.size() == 1);
  CHECK(test.figure("part-fit").series.front().x.size() == 4);
  test.table()->selectRow(2);
  REQUIRE(test.selection().currentRow());
  CHECK(test.selection().currentRow()->rank == 2);
  CHECK(test.selection().currentRow()->block == 0);
  REQUIRE_FALSE(test.figure("part-fit").notes.empty());
  CHECK(test.figure("part-fit").notes.front().text == "rank 2");
  test.selection().setCurrentRow(RowId{3, Lane::main, 0});
  CHECK(test.table()->currentIndex().row() == 3);
  CHECK(test.figure("part-fit").notes.front().text == "rank 3");
}

TEST_CASE("parts of compared runs stand by chip and rank, and lead to the lanes of their run", "[window]") {
  PartsWindow test;
  test.compare({0, 5});
  REQUIRE(test.waitForRows(8));
  CHECK(test.cell(0, 0) == "A");
  CHECK(test.cell(7, 0) == "B");
  CHECK(test.cell(7, 1) == "3");
  CHECK(test.figure("part-bars").series.size() == 2);
  test.showRun(1);
  const auto first = QString("rank 1");
  test.table()->selectRow(5);  // rank 1 of B
  REQUIRE(test.selection().currentRow());
  CHECK(test.selection().currentRow()->rank == 1);
  CHECK(test.figure("part-fit").notes.front().text == first);
  const std::int32_t block = test.selection().currentRow()->block;
  test.selection().setCurrentRow(RowId{2, Lane::main, 0, 1 - block});
  CHECK(test.cell(test.table()->currentIndex().row(), 0) == "A");
  CHECK(test.cell(test.table()->currentIndex().row(), 1) == "2");
  auto* bars = test.view()->findChild<QComboBox*>();
  bars->setCurrentText("computing");
  CHECK(test.figure("part-bars").y.title == "computing");
}

TEST_CASE("without a recording the view of parts says what to do", "[window]") {
  TestWindow test;
  auto* parts = partsOf(test.window);
  bringUp(test);
  CHECK_FALSE(parts->findChild<QTableView*>()->isVisible());
  CHECK(parts->findChild<FigureView*>()->figure().emptyReason.contains("press C"));
}
