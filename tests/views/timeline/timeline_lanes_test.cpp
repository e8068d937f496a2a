#include "views/timeline/timeline_lanes.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline/layout_fixture.h"

using namespace halo;

namespace {

/// The lanes of `layout` as they are painted, a pixel a pixel.
QImage drawn(const TimelineLayout& layout) {
  QImage picture(layout.lanes().size(), QImage::Format_RGB32);
  TimelineLanes lanes;
  lanes.draw(picture, layout, {&palette(Theme::light), 1, QFont()});
  return picture;
}

}  // namespace

TEST_CASE("lanes of several blocks look as each block's alone", "[views][timeline]") {
  LayoutFixture f;
  TimelineModel other;
  fillTwoRanks(other);
  other.setCollapsed(0, true);
  f.layout.setFrame({{1100, 240}, 100, 40, 1});
  const QImage first = drawn(f.layout);
  f.layout.setBlocks({&other});
  const QImage second = drawn(f.layout);
  CHECK(first != second);
  f.layout.setBlocks({&f.model, &other});
  const QImage both = drawn(f.layout);
  constexpr int kFirst = 68, kGap = TimelineLayout::kRankGap;  // as high as the first block is
  CHECK(both.copy(0, 0, 1000, kFirst + kGap) == first.copy(0, 0, 1000, kFirst + kGap));
  CHECK(both.copy(0, kFirst + kGap, 1000, 100) == second.copy(0, 0, 1000, 100));
  f.layout.setFrame({{1100, 100}, 100, 40, 1});
  f.layout.setScroll(50);
  CHECK(drawn(f.layout) == both.copy(0, 50, 1000, 60));
}
