// What is selected, without a widget; timeline_selection_test.cpp has its statistics and its menu.
#include <catch2/catch.hpp>

#include "tests/views/timeline/layout_fixture.h"

using namespace halo;

namespace {

struct Told : LayoutFixture {
  int spans = 0, areas = 0, measures = 0, changes = 0;
  Told() {
    QObject::connect(&selection, &TimelineSelection::spanSelected, [this] { ++spans; });
    QObject::connect(&selection, &TimelineSelection::areaSelected, [this] { ++areas; });
    QObject::connect(&selection, &TimelineSelection::measuredChanged, [this] { ++measures; });
    QObject::connect(&selection, &TimelineSelection::changed, [this] { ++changes; });
  }
};

}  // namespace

TEST_CASE("a selected span is the window's and the current one, and is told once", "[views][timeline]") {
  Told f;
  f.selection.selectSpan(SpanId{kFirstMain, 3});
  CHECK(f.spans == 1);
  CHECK(f.changes > 0);
  CHECK(f.window.selectedRank() == 0);
  CHECK(f.window.selectedSpan()->beginNs == 6000);
  CHECK(f.selection.current() == SpanId{kFirstMain, 3});
  CHECK(f.selection.currentRow() == kFirstMain);
  f.selection.selectSpan(SpanId{kSecondMain, 1}, true);
  f.selection.selectSpan(SpanId{kFirstMain, 3}, true);  // again: it becomes the current one
  CHECK(f.selection.spans() == std::vector{SpanId{kSecondMain, 1}, SpanId{kFirstMain, 3}});
  CHECK(f.selection.range() == TimeRange{2000, 7000});
  f.selection.selectSpans({{kFirstMain, 0}, {kFirstMain, 2}, {kFirstMain, 4}});
  CHECK(f.spans == 4);
  CHECK(f.selection.spans().size() == 3);
  CHECK(f.window.selectedSpan()->beginNs == 8000);
  f.window.selectSpan(-1, std::nullopt);  // by another view
  CHECK(f.selection.spans().empty());
  f.selection.selectSpan(SpanId{{9, Lane::main, 0}, 0});  // there is no such row
  CHECK_FALSE(f.window.selectedSpan());
}

TEST_CASE("spans whose row goes are not selected any more", "[views][timeline]") {
  Told f;
  f.selection.selectSpans({{kFirstPhase, 0}, {kSecondMain, 0}});
  f.model.setCollapsed(0, true);
  CHECK(f.selection.spans() == std::vector{SpanId{kSecondMain, 0}});
}

TEST_CASE("an area has rows until its time is cleared", "[views][timeline]") {
  Told f;
  f.selection.selectArea({1000, 5000}, {kFirstMain});
  CHECK(f.areas == 1);
  CHECK(f.window.selection() == TimeRange{1000, 5000});
  CHECK(f.selection.areaRows() == std::set<RowId>{kFirstMain});
  CHECK(f.selection.range() == TimeRange{1000, 5000});
  f.window.select({});  // by another view
  CHECK(f.selection.areaRows().empty());
  CHECK_FALSE(f.selection.range());
}

TEST_CASE("clearing goes from what is measured to the current span", "[views][timeline]") {
  Told f;
  f.selection.selectSpans({{kFirstMain, 0}, {kFirstMain, 1}});
  f.selection.selectArea({1000, 5000}, {kFirstMain});
  f.selection.setMeasured(TimeRange{0, 10});
  f.selection.clearStep();
  CHECK_FALSE(f.selection.measured());
  CHECK(f.measures == 2);
  CHECK_FALSE(f.window.selection().empty());
  f.selection.clearStep();
  CHECK(f.window.selection().empty());
  CHECK(f.selection.spans().size() == 2);
  f.selection.clearStep();
  CHECK(f.selection.spans() == std::vector{SpanId{kFirstMain, 1}});
  f.selection.clearStep();
  CHECK(f.selection.spans().empty());
}
