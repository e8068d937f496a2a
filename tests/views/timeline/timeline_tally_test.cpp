#include <QLineEdit>
#include <QTableView>
#include <QtTest>
#include <catch2/catch.hpp>

#include "tests/views/timeline/timeline_window_fixture.h"
#include "views/look/units.h"

using namespace halo;

namespace {

struct Fixture : TimelineWindowFixture {
  TimelineSearch& search() { return view.search(); }
  TimelineStatistics& statistics() { return view.statistics(); }
  /// What the search says once all is read.
  QString hits() {
    REQUIRE(QTest::qWaitFor([this] { return search().settled(); }));
    return search().text();
  }
  void enter(Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&search().line(), Qt::Key_Return, modifiers);
  }
  /// The row of the table of a name and layer, once all is counted; by what stands there.
  QModelIndex rowOf(const QString& name, const QString& layer) {
    REQUIRE(QTest::qWaitFor([this] { return statistics().settled(); }));
    const QAbstractItemModel& table = *statistics().table().model();
    for (int row = 0; row < table.rowCount(); ++row)
      if (table.index(row, SpanGroupsModel::NameColumn).data() == name &&
          table.index(row, SpanGroupsModel::Layer).data() == layer)
        return table.index(row, 0);
    return {};
  }
  void clickOn(const QModelIndex& row) {
    QTableView& table = statistics().table();
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(row).center());
  }
};

}  // namespace

TEST_CASE("/ counts all spans of a name and goes from one to the next", "[views][timeline]") {
  Fixture f;
  CHECK_FALSE(f.search().isVisible());
  f.key(Qt::Key_Slash);
  REQUIRE(f.search().isVisible());
  CHECK(f.hits().isEmpty());
  QTest::keyClicks(&f.search().line(), "upd");
  CHECK(f.hits() == "100 spans");
  f.enter();
  REQUIRE(f.window.selectedSpan());
  CHECK(f.window.selectedSpan()->beginNs == 2000);
  CHECK(f.hits() == "1 of 100");
  f.enter();
  CHECK(f.window.selectedRank() == 1);
  CHECK(f.hits() == "2 of 100");
  f.enter(Qt::ShiftModifier);
  CHECK(f.hits() == "1 of 100");
  f.window.setVisible({50'000, 60'000});
  f.enter(Qt::ShiftModifier);
  CHECK(f.hits() == "100 of 100");
  CHECK(f.window.visible().contains(TimeRange{198'000, 199'000}));
  f.enter();
  CHECK(f.hits() == "1 of 100");
  f.search().line().setText("nothing like it");
  CHECK(f.hits() == "no span has this name");
  f.enter();
  CHECK(f.window.selectedSpan()->beginNs == 2000);
  QTest::keyClick(&f.search().line(), Qt::Key_Escape);
  CHECK_FALSE(f.search().isVisible());
}

TEST_CASE("a search goes into ranks that are folded and counts what comes later", "[views][timeline]") {
  Fixture f;
  f.model.setAllCollapsed(true);
  f.canvas().perform(TimelineAction::search);
  f.search().line().setText("layer");
  f.enter();  // taken once all is read
  CHECK(f.hits() == "1 of 40");
  CHECK(f.window.selectedSpan()->lane == Lane::phase);
  CHECK_FALSE(f.model.collapsed(0));
  CHECK(f.model.collapsed(1));
  Span late;
  late.lane = Lane::phase;
  late.name = Name::layer;
  late.beginNs = 300'000;
  late.durationNs = 5;
  f.model.append(0, Lane::phase, std::vector{late});
  CHECK(f.hits() == "1 of 41");
  f.model.clear();
  CHECK(f.hits() == "no span has this name");
}

TEST_CASE("I shows statistics of what is in view or selected", "[views][timeline]") {
  Fixture f;
  f.view.resize(1000, 700);
  f.key(Qt::Key_I);
  REQUIRE(f.statistics().isVisible());
  REQUIRE(f.rowOf("layer", "–").isValid());
  CHECK(f.statistics().model().rowCount() == 5);
  CHECK(f.statistics().text().contains("In view"));
  CHECK(f.statistics().text().contains("2 ranks, 240 spans"));
  f.window.setVisible({0, 20'000});
  CHECK(f.rowOf("aggregate", "0").siblingAtColumn(SpanGroupsModel::Count).data() == "6");
  f.canvas().selection().selectArea({0, 40'000}, {{1, Lane::main, 0}});
  CHECK(f.rowOf("aggregate", "0").siblingAtColumn(SpanGroupsModel::Share).data() == formatShare(0.15));
  CHECK(f.search().sizePolicy().verticalPolicy() == QSizePolicy::Fixed);
  CHECK_FALSE(f.rowOf("layer", "–").isValid());
  CHECK(f.statistics().text().contains("Selected"));
  CHECK(f.statistics().text().contains("1 rank, 20 spans"));
  f.canvas().selection().selectArea({}, {});
  Span late;
  late.beginNs = 200'000;
  late.durationNs = 5;
  f.window.setVisible({0, 300'000});
  f.model.append(1, Lane::main, std::vector{late});
  CHECK(f.rowOf("aggregate", "–").isValid());
  CHECK(f.statistics().text().contains("2 ranks, 241 spans"));
  f.key(Qt::Key_I);
  CHECK_FALSE(f.statistics().isVisible());
}

TEST_CASE("a click on a row of statistics goes to the next such span", "[views][timeline]") {
  Fixture f;
  f.view.resize(1000, 700);
  f.key(Qt::Key_I);
  QApplication::processEvents();
  f.canvas().selection().selectArea({0, 20'000}, {{0, Lane::main, 0}});
  const QModelIndex row = f.rowOf("update", "1");
  REQUIRE(row.isValid());
  std::vector<std::int64_t> begins;
  for (int i = 0; i < 4; ++i) {
    f.clickOn(row);
    begins.push_back(f.window.selectedSpan()->beginNs);
  }
  CHECK(begins == std::vector<std::int64_t>{10'000, 14'000, 18'000, 10'000});
  QTest::keyClick(&f.statistics().table(), Qt::Key_Return);
  CHECK(f.window.selectedSpan()->beginNs == 14'000);
  CHECK(f.window.selection() == TimeRange{0, 20'000});
  CHECK(f.statistics().histogram().accessibleDescription().startsWith("update L1, 3 spans"));
  QTest::keyClick(&f.statistics().table(), Qt::Key_Escape);
  CHECK_FALSE(f.statistics().isVisible());
}

TEST_CASE("folding epochs puts search and statistics away", "[views][timeline]") {
  Fixture f;
  f.key(Qt::Key_I);
  f.key(Qt::Key_Slash);
  CHECK(f.search().isVisible());
  CHECK(f.statistics().isVisible());
  f.canvas().perform(TimelineAction::foldEpochs);
  CHECK_FALSE(f.search().isVisible());
  CHECK_FALSE(f.statistics().isVisible());
  f.canvas().perform(TimelineAction::search);
  CHECK_FALSE(f.view.isFolded());
  CHECK(f.search().isVisible());
}
