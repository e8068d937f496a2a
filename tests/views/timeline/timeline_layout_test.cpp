#include "views/timeline/timeline_layout.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline/layout_fixture.h"

using namespace halo;

TEST_CASE("a place of the layout is a time and a row, and back", "[views][timeline]") {
  LayoutFixture f;
  CHECK(f.layout.lanes() == QRect(100, 40, 1000, 100));
  CHECK(f.layout.contentHeight() == 20 + 12 + 4 + 20 + 12);
  CHECK(f.layout.xOf(0) == 100);
  CHECK(f.layout.xOf(100'000) == 600);
  CHECK(f.layout.nsAt(600) == 100'000);
  CHECK_FALSE(f.layout.rowAt(39));
  CHECK(f.layout.rowAt(40) == kFirstMain);
  CHECK(f.layout.rowAt(60) == kFirstPhase);
  CHECK_FALSE(f.layout.rowAt(73));  // between two ranks
  CHECK(f.layout.rowAt(76) == kSecondMain);
  CHECK_FALSE(f.layout.rowAt(120));
  REQUIRE(f.layout.boxOf(kSecondMain));
  CHECK(f.layout.boxOf(kSecondMain)->top == 76);
  CHECK(f.layout.boxOf(kSecondMain)->height == 20);
  CHECK_FALSE(f.layout.boxOf({7, Lane::main, 0}));
  CHECK(f.layout.rowsBetween(90, 50) == std::set<RowId>{kFirstMain, kFirstPhase, kSecondMain});
}

TEST_CASE("the span at a place is the one there, else one two pixels away", "[views][timeline]") {
  LayoutFixture f;
  f.layout.setShown({0, 20'000});                              // 20 ns a pixel
  CHECK(f.layout.spanAt({325, 45}) == SpanId{kFirstMain, 2});  // 4.5 µs
  CHECK(f.layout.spanAt({325, 80}) == SpanId{kSecondMain, 2});
  CHECK(f.layout.spanAt({351, 45}) == SpanId{kFirstMain, 2});  // it ends at 350
  CHECK_FALSE(f.layout.spanAt({375, 45}));
  CHECK_FALSE(f.layout.spanAt({325, 73}));
  CHECK_FALSE(f.layout.spanAt({50, 45}));
  CHECK_FALSE(f.layout.spanAt({325, 20}));
}

TEST_CASE("the layout scrolls within its rows and brings a row into view", "[views][timeline]") {
  LayoutFixture f;
  int changes = 0;
  QObject::connect(&f.layout, &TimelineLayout::changed, [&] { ++changes; });
  f.layout.setScroll(50);
  CHECK(f.layout.scroll() == 0);  // all rows are in view
  CHECK(changes == 0);
  f.layout.setFrame({{1100, 80}, 100, 40, 1});
  f.layout.placeAgain();
  f.layout.setScroll(1000);
  CHECK(f.layout.scroll() == 68 - 40);
  CHECK(f.layout.rowAt(79) == kSecondPhase);
  f.layout.reveal(kFirstMain);
  CHECK(f.layout.scroll() == 0);
  f.layout.reveal(kSecondPhase);
  CHECK(f.layout.scroll() == 28);
  f.model.setCollapsed(1, true);  // now 56 high
  CHECK(f.layout.scroll() == 16);
  f.layout.setRowHeight(1);
  CHECK(f.layout.rowHeight() == TimelineLayout::kLowestRow);
  CHECK(f.layout.scroll() == 0);
}

TEST_CASE("on a finer screen the same pixels are the same places", "[views][timeline]") {
  LayoutFixture f;
  const double ratio = GENERATE(1.0, 1.5, 2.0);
  f.layout.setFrame({{1100, 140}, 100, 40, ratio});
  f.layout.placeAgain();
  CHECK(f.layout.grid().width == 1000 * ratio);
  CHECK(f.layout.xOf(100'000) == Approx(600).margin(1));
  for (int y = 30; y < 140; ++y) {
    CAPTURE(ratio, y);
    const auto row = f.layout.rowAt(y);
    if (row) CHECK(f.layout.boxOf(*row)->top <= y);
  }
  CHECK(f.layout.rowAt(80) == kSecondMain);
}

TEST_CASE("the rows of several blocks stand below each other on one axis", "[views][timeline]") {
  LayoutFixture f;
  TimelineModel other;
  fillTwoRanks(other);
  other.setCollapsed(0, true);
  f.layout.setBlocks({&f.model, &other});
  const std::vector<RowPlace>& places = f.layout.places();
  REQUIRE(places.size() == 4 + 3);
  CHECK(places[3].block == 0);
  CHECK(places[4].block == 1);
  CHECK(places[4].top == 68 + TimelineLayout::kRankGap);
  CHECK(f.layout.contentHeight() == 68 + 4 + 20 + 4 + 20 + 12);
  CHECK(&f.layout.modelOf(places[4]) == &other);
  const RowPlace* place = f.layout.placeAt(40 + 72);
  REQUIRE(place != nullptr);
  CHECK(place->block == 1);
  CHECK(f.layout.entryOf(*place).id == kFirstMain);
  f.layout.setFrame({{1100, 80}, 100, 40, 1});
  f.layout.setScroll(80);
  REQUIRE_FALSE(f.layout.visible().empty());
  CHECK(f.layout.visible().front().block == 1);
  CHECK(f.layout.visible().front().top == 72 - 80);
}

TEST_CASE("few rows fill the view, many keep their height, and a height that is set stays",
          "[views][timeline]") {
  LayoutFixture f;
  f.layout.setFrame({{1100, 40 + 400}, 100, 40, 1});
  f.layout.setFilling(true);
  CHECK(f.layout.rowHeight() == TimelineLayout::kTallestFilling);
  f.layout.setFrame({{1100, 40 + 104}, 100, 40, 1});
  f.layout.placeAgain();
  CHECK(f.layout.rowHeight() == 31);  // 31 + 18 of either rank, and the gap: 102; with 32 it were 106
  CHECK(f.layout.contentHeight() == 102);
  f.layout.setFrame({{1100, 40 + 30}, 100, 40, 1});
  f.layout.placeAgain();
  CHECK(f.layout.rowHeight() == TimelineLayout::kUsualRow);
  f.layout.setRowHeight(12);
  f.layout.setFrame({{1100, 40 + 400}, 100, 40, 1});
  f.layout.placeAgain();
  CHECK(f.layout.rowHeight() == 12);
}
