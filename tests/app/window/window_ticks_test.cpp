// What is compared is chosen in the lists of runs: by ticks, by Enter, and by dragging.
#include <QInputDialog>
#include <memory>

#include "tests/app/window/sample_window.h"

using namespace halo;

TEST_CASE("a tick adds a run to what is compared, beside its other seeds, and takes it away", "[window]") {
  SampleWindow test;
  test.clickBox(test.tree(), test.inTree(1));
  CHECK(test.chips() == "1");
  CHECK(test.ticked(test.inTree(1)));
  test.clickBox(test.tree(), test.inTree(6));
  CHECK(test.chips() == "1 6");
  test.clickBox(test.tree(), test.inTree(2));  // another seed of the first
  CHECK(test.chips() == "1,2 6");
  CHECK(test.window.findChild<ChipBar*>()->isVisible());

  const QAbstractItemModel& rows = *test.table().model();
  const auto boxOf = [&](std::int64_t run) {
    for (int row = 0; row < rows.rowCount(); ++row)
      if (rows.index(row, 0).data(RunsModel::kRunRole).toLongLong() == run) return rows.index(row, 0);
    return QModelIndex();
  };
  CHECK(test.ticked(boxOf(2)));  // the table has the same ticks
  CHECK_FALSE(test.ticked(boxOf(3)));
  test.clickBox(test.table(), boxOf(2));
  CHECK(test.chips() == "1 6");
  CHECK_FALSE(test.ticked(test.inTree(2)));
  test.clickBox(test.table(), boxOf(6));
  CHECK(test.chips() == "1");

  const std::int64_t shown = test.shownRun();
  CHECK(shown != 1);  // a tick shows nothing else
  CHECK(shown != 6);
  for (const char* before : {"1 6", "1,2 6", "1 6", "1", ""}) {
    test.undo();
    REQUIRE(test.settle());
    CHECK(test.chips() == before);
  }
  CHECK_FALSE(test.ticked(test.inTree(1)));
}

TEST_CASE("Enter in the run table compares the chosen runs, Ctrl+Enter opens the current one", "[window]") {
  SampleWindow test;
  QTableView& table = test.table();
  table.clearSelection();
  table.setCurrentIndex(table.model()->index(0, 0));
  table.selectionModel()->select(table.model()->index(5, 0),
                                 QItemSelectionModel::Select | QItemSelectionModel::Rows);
  REQUIRE(test.settle());
  QTest::keyClick(&table, Qt::Key_Return);
  REQUIRE(test.settle());
  CHECK(test.chips() == "1 6");
  CHECK(table.isVisible());  // one looks on at the runs
  QTest::keyClick(&table, Qt::Key_Return, Qt::ControlModifier);
  REQUIRE(test.settle());
  CHECK(test.window.findChild<TimelineView*>()->isVisible());
  CHECK(test.chips() == "1 6");
}

TEST_CASE("runs are dragged to the chips or to a view, and not back to their table", "[window]") {
  SampleWindow test;
  QAbstractItemModel& rows = *test.table().model();
  const std::unique_ptr<QMimeData> first(rows.mimeData({rows.index(0, 0)})),
      sixth(test.tree().model()->mimeData({test.inTree(6)}));
  CHECK_FALSE(test.drop(*test.table().viewport(), *first));
  CHECK_FALSE(test.drop(test.tree(), *first));
  CHECK(test.chips().isEmpty());
  test.window.setPerspective(Perspective::observe);
  QApplication::processEvents();
  CHECK(test.drop(test.window.findChild<TimelineView*>()->canvas(), *first));
  CHECK(test.chips() == "1");
  CHECK(test.drop(*test.window.findChild<ChipBar*>(), *sixth));
  CHECK(test.chips() == "1 6");
  test.undo();
  REQUIRE(test.settle());
  CHECK(test.chips() == "1");
}

TEST_CASE("a note of a lane is written, kept by the scene, undone and taken away", "[window]") {
  SampleWindow test;
  test.clickBox(test.tree(), test.inTree(1));
  test.showRun(1);
  test.bringUp("Timeline");
  TimelineCanvas& canvas = test.window.findChild<TimelineView*>()->canvas();
  REQUIRE(QTest::qWaitFor([&] { return !canvas.places().blocks().front()->epochs().empty(); }, 20'000));
  const std::int64_t moment = canvas.places().blocks().front()->epochs().at(2).beginNs;
  const auto write = [&](const char* words) {
    QTimer::singleShot(0, &test.window, [&test, words] {
      auto* dialog = test.window.findChild<QInputDialog*>();
      REQUIRE(dialog != nullptr);
      dialog->setTextValue(words);
      dialog->accept();
    });
    emit canvas.noteWanted({0, 1}, moment);
  };
  write("late again");
  REQUIRE(canvas.notes().size() == 1);
  CHECK(canvas.notes()[0] == LaneNote{{0, 1}, moment, "late again"});
  write("  ");  // nothing to keep
  CHECK(canvas.notes().size() == 1);
  test.undo();
  CHECK(canvas.notes().empty());
  write("late");
  emit canvas.noteUnwanted(canvas.notes().at(0));
  CHECK(canvas.notes().empty());
  test.undo();
  CHECK(canvas.notes().size() == 1);
}
