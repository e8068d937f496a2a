// The view Parts in the real window: of the shown run alone, and of compared runs; its parts and the lanes of
// the timeline choose each other.
#include <QTableView>

#include "tests/app/window/window_fixture.h"
#include "views/figure/figure_view.h"
#include "views/timeline/timeline_view.h"
#include "views/widgets/timeline_stage.h"

using namespace halo;

namespace {

struct PartsWindow : TestWindow {
  PartsWindow() {
    REQUIRE(QFile::copy(kResources + "/samples/sample.db", folder.filePath("sample.db")));
    window.openSample();
    REQUIRE(settle());
    bringUp("Parts");
  }
  QWidget* view() { return centreView("Parts"); }
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
  test.compareRows({0, 5});
  test.bringUp("Parts");
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
  test.bringUp("Parts");
  auto* parts = test.centreView("Parts");
  CHECK_FALSE(parts->findChild<QTableView*>()->isVisible());
  CHECK(parts->findChild<FigureView*>()->figure().emptyReason.contains("press C"));
}
