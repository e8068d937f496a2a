#include "views/timeline/timeline_arrows.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline/timeline_window_fixture.h"

using namespace halo;

namespace {

MessageArrow arrowAt(std::int64_t sentNs, std::int64_t usedNs, std::int32_t late = 0) {
  MessageArrow arrow;
  arrow.sentNs = sentNs, arrow.arrivedNs = usedNs - 100, arrow.usedNs = usedNs;
  arrow.sender = 0, arrow.receiver = 1, arrow.usedEpoch = late, arrow.layer = 0;
  return arrow;
}

TimelineArrows shown(std::vector<MessageArrow> arrows) { return {true, std::move(arrows), false, true}; }

}  // namespace

TEST_CASE("arrows are drawn while they are wanted, dashed where they are used in a later epoch",
          "[views][timeline]") {
  TimelineWindowFixture f;
  int openRequests = 0;
  QObject::connect(&f.view, &TimelineView::arrowsWanted, [&](bool show) { openRequests += show ? 1 : -1; });
  f.key(Qt::Key_J);
  CHECK(openRequests == 1);
  const QImage without = f.canvas().grab().toImage();
  f.canvas().setArrows(shown({arrowAt(20'000, 120'000)}));
  const QImage solid = f.canvas().grab().toImage();
  CHECK(solid != without);
  f.canvas().setArrows(shown({arrowAt(20'000, 120'000, 1)}));
  CHECK(f.canvas().grab().toImage() != solid);
  f.key(Qt::Key_J);
  CHECK(openRequests == 0);
  f.canvas().setArrows({});
  CHECK(f.canvas().grab().toImage() == without);
}

TEST_CASE("of too many arrows those of the chosen lane are drawn, else none and said so",
          "[views][timeline]") {
  TimelineWindowFixture f;
  std::vector<MessageArrow> many;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    many.push_back(arrowAt(i * 100, i * 100 + 500));
    many.back().sender = i % 10 == 0 ? 0 : 2;
    many.back().receiver = 3;
  }
  const TimelineArrows arrows = shown(std::move(many));
  const TimelineLayout& layout = f.canvas().places();
  CHECK(drawnArrows(arrows, layout, {}).empty());
  CHECK(drawnArrows(arrows, layout, RowId{0, Lane::main, 0}).size() == 100);
  CHECK(drawnArrows(arrows, layout, RowId{3, Lane::main, 0}).empty());
  f.window.setVisible({0, 10'000});
  CHECK(drawnArrows(arrows, layout, {}).size() == 100);
}

TEST_CASE("an arrow concerns the spans that sent it, waited for it and used it", "[views][timeline]") {
  const MessageArrow arrow = arrowAt(1'000, 5'000);
  Span span;
  span.beginNs = 900, span.durationNs = 200;
  CHECK(concerns(arrow, {0, Lane::main, 0}, span));
  CHECK_FALSE(concerns(arrow, {1, Lane::main, 0}, span));
  CHECK_FALSE(concerns(arrow, {0, Lane::main, 0, 1}, span));
  span.beginNs = 5'000, span.layer = 0;
  CHECK(concerns(arrow, {1, Lane::main, 0}, span));
  span.layer = 1;
  CHECK_FALSE(concerns(arrow, {1, Lane::main, 0}, span));
}
