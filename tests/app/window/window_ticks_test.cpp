// What is compared is chosen in the lists of runs: by ticks, by Enter, and by dragging.
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

#include "tests/app/window/window_fixture.h"
#include "views/look/ticked_view.h"
#include "views/recording/experiments_model.h"
#include "views/scene/chip_bar.h"
#include "views/timeline/timeline_view.h"

using namespace halo;

namespace {

struct Sample : TestWindow {
  Sample() {
    REQUIRE(QFile::copy(kResources + "/samples/sample.db", folder.filePath("sample.db")));
    window.openSample();
    REQUIRE(settle());
    window.setPerspective(Perspective::decide);
    QApplication::processEvents();
  }
  QTreeView& tree() {
    for (auto* each : window.findChildren<QTreeView*>())
      if (qobject_cast<ExperimentsModel*>(each->model()) != nullptr) return *each;
    throw std::logic_error("there is no tree of experiments");
  }
  QTableView& table() { return *window.findChild<RunsView*>()->table(); }
  QModelIndex inTree(std::int64_t run) {
    return qobject_cast<ExperimentsModel*>(tree().model())->indexOf(run);
  }
  bool ticked(const QModelIndex& index) { return index.data(Qt::CheckStateRole).toInt() == Qt::Checked; }
  /// Of every chip its runs: "1,2 6".
  QString chips() {
    QApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QStringList all;
    for (const auto* button : window.findChild<ChipBar*>()->findChildren<QToolButton*>())
      if (const QString name = button->text().section('#', 1).section(' ', 0, 0); !name.isEmpty())
        all << name;
    return all.join(' ');
  }
  void undo() {
    for (auto* action : window.findChildren<QAction*>())
      if (action->text().startsWith("&Undo")) return action->trigger();
    FAIL("there is nothing to undo by");
  }
  template <class View>
  void clickBox(View& view, const QModelIndex& index) {
    view.scrollTo(index);
    QApplication::processEvents();
    const QRect box = dynamic_cast<TickedView<View>&>(view).boxOf(index);
    REQUIRE_FALSE(box.isEmpty());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, box.center());
    REQUIRE(settle());
  }
  std::int64_t shownRun() {
    return runChoice()->model()->index(runChoice()->currentIndex(), 0).data(RunsModel::kRunRole).toLongLong();
  }
  /// Whether the window takes what is dropped on a widget.
  bool drop(QWidget& onto, const QMimeData& data) {
    const QPoint place = onto.mapTo(&window, onto.rect().center());
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QDragMoveEvent move(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &move);
    QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &dropped);
    REQUIRE(settle());
    return enter.isAccepted() && move.isAccepted();
  }
};

}  // namespace

TEST_CASE("a tick adds a run to what is compared, beside its other seeds, and takes it away", "[window]") {
  Sample test;
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
  Sample test;
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
  Sample test;
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
