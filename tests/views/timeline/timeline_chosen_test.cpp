// Spans that another view means, selected and brought into view.
#include <catch2/catch.hpp>

#include "tests/views/timeline/timeline_window_fixture.h"

using namespace halo;

TEST_CASE("chosen spans are selected and fill the window, those of folded ranks too", "[views][timeline]") {
  TimelineWindowFixture f;
  f.window.setVisible({0, 200'000});
  f.model.setAllCollapsed(true);
  SpanChoice choice;
  choice.epoch = 3;  // spans 30 to 39 of each rank
  choice.layer = 1;  // the second five
  REQUIRE(f.canvas().goToSpans(0, choice));
  CHECK(f.canvas().selection().spans().size() == 10);
  CHECK(f.canvas().selection().range() == TimeRange{70'000, 79'000});
  const TimeRange visible = f.window.visible();
  CHECK(visible.contains({70'000, 79'000}));
  CHECK(visible.lengthNs() < 20'000);
  choice.epoch = 77;
  CHECK_FALSE(f.canvas().goToSpans(0, choice));
  CHECK_FALSE(f.canvas().goToSpans(1, choice));
  CHECK(f.window.visible() == visible);
}
