#include "views/timeline/timeline_input.h"

#include <QMouseEvent>
#include <catch2/catch.hpp>

#include "tests/views/timeline/layout_fixture.h"

using namespace halo;

namespace {

QMouseEvent mouse(QEvent::Type type, QPointF at, Qt::MouseButton button = Qt::LeftButton,
                  Qt::KeyboardModifiers modifiers = {}) {
  return {type, at, at, button, button, modifiers};
}

void drag(TimelineInput& input, QPointF from, QPointF to, Qt::MouseButton button = Qt::LeftButton,
          Qt::KeyboardModifiers modifiers = {}) {
  input.press(mouse(QEvent::MouseButtonPress, from, button, modifiers));
  input.move(mouse(QEvent::MouseMove, to, button, modifiers));
  input.release(mouse(QEvent::MouseButtonRelease, to, button, modifiers));
}

void click(TimelineInput& input, QPointF at, Qt::KeyboardModifiers modifiers = {}) {
  input.press(mouse(QEvent::MouseButtonPress, at, Qt::LeftButton, modifiers));
  input.release(mouse(QEvent::MouseButtonRelease, at, Qt::LeftButton, modifiers));
}

}  // namespace

TEST_CASE("a drag is what button, place and keys say", "[views][timeline]") {
  const LayoutFixture f;
  const QPoint lane(600, 50), ruler(600, 10), name(50, 50);
  const TimeRange none, area{100'000, 150'000};  // from pixel 600 to 850
  const auto dragged = [&](TimelinePress press, TimeRange range) { return dragOf(press, f.layout, range); };
  CHECK(dragged({Qt::LeftButton, lane}, none) == TimelineDrag::area);
  CHECK(dragged({Qt::LeftButton, lane, Qt::ShiftModifier}, none) == TimelineDrag::measure);
  CHECK(dragged({Qt::LeftButton, lane, Qt::ShiftModifier, true}, none) == TimelineDrag::pan);
  CHECK(dragged({Qt::LeftButton, ruler}, none) == TimelineDrag::zoom);
  CHECK(dragged({Qt::LeftButton, name}, none) == TimelineDrag::none);
  CHECK(dragged({Qt::RightButton, name}, none) == TimelineDrag::pan);
  CHECK(dragged({Qt::MiddleButton, lane}, none) == TimelineDrag::zoom);
  CHECK(dragged({Qt::BackButton, lane}, none) == TimelineDrag::none);
  CHECK(dragged({Qt::LeftButton, lane}, area) == TimelineDrag::areaBegin);
  CHECK(dragged({Qt::LeftButton, {604, 50}}, area) == TimelineDrag::areaBegin);
  CHECK(dragged({Qt::LeftButton, {605, 50}}, area) == TimelineDrag::area);
  CHECK(dragged({Qt::LeftButton, {848, 50}}, area) == TimelineDrag::areaEnd);
  CHECK(dragged({Qt::LeftButton, ruler}, area) == TimelineDrag::zoom);
}

TEST_CASE("a turn of the wheel is what direction and keys say", "[views][timeline]") {
  const QPoint up(0, 120), aside(240, 0);
  const auto action = [](QPoint turn, Qt::KeyboardModifiers keys, bool zooms = false) {
    return wheelTurnOf(turn, keys, zooms).action;
  };
  CHECK(action(up, {}) == WheelAction::scroll);
  CHECK(action(up, Qt::ControlModifier) == WheelAction::zoom);
  CHECK(action(up, {}, true) == WheelAction::zoom);
  CHECK(action(up, Qt::ControlModifier, true) == WheelAction::scroll);
  CHECK(action(up, Qt::ShiftModifier) == WheelAction::pan);
  CHECK(action(aside, {}) == WheelAction::pan);
  CHECK(action(aside, Qt::AltModifier) == WheelAction::rowHeight);  // a vertical wheel, turned by Alt
  CHECK(wheelTurnOf(up, {}, false).notches == 1);
  CHECK(wheelTurnOf(aside, {}, false).notches == 2);
}

TEST_CASE("the mouse selects, measures, zooms and pans without a widget", "[views][timeline]") {
  LayoutFixture f;
  f.window.setVisible({0, 20'000});  // 20 ns a pixel
  click(f.input, {325, 45});
  CHECK(f.selection.current() == SpanId{kFirstMain, 2});
  click(f.input, {525, 80}, Qt::ControlModifier);
  CHECK(f.selection.spans().size() == 2);
  drag(f.input, {200, 45}, {700, 80});
  CHECK(f.window.selection() == TimeRange{2000, 12'000});
  CHECK(f.selection.areaRows() == std::set<RowId>{kFirstMain, kFirstPhase, kSecondMain});
  drag(f.input, {700, 50}, {600, 50});  // the area's end
  CHECK(f.window.selection() == TimeRange{2000, 10'000});
  drag(f.input, {300, 50}, {400, 50}, Qt::LeftButton, Qt::ShiftModifier);
  CHECK(f.selection.measured() == TimeRange{4000, 6000});
  drag(f.input, {350, 50}, {600, 50}, Qt::MiddleButton);
  CHECK(f.window.visible() == TimeRange{5000, 10'000});
  CHECK_FALSE(f.selection.zoomRange());
  drag(f.input, {350, 50}, {450, 50}, Qt::RightButton);
  CHECK(f.window.visible() == TimeRange{4500, 9500});
}

TEST_CASE("a click on a name folds its rank, beside the name it only marks the row", "[views][timeline]") {
  LayoutFixture f;
  click(f.input, {80, 45});
  CHECK_FALSE(f.model.collapsed(0));
  CHECK(f.selection.currentRow() == kFirstMain);
  click(f.input, {20, 45});
  CHECK(f.model.collapsed(0));
  click(f.input, {20, 10});  // the corner
  CHECK(f.model.collapsed(0));
}

TEST_CASE("clearing ends a drag before it clears anything", "[views][timeline]") {
  LayoutFixture f;
  f.selection.selectArea({1000, 5000}, {kFirstMain});
  f.input.press(mouse(QEvent::MouseButtonPress, {300, 10}));
  f.input.move(mouse(QEvent::MouseMove, {500, 10}));
  REQUIRE(f.input.dragging());
  REQUIRE(f.selection.zoomRange());
  f.input.perform(TimelineAction::clear);
  CHECK_FALSE(f.input.dragging());
  CHECK_FALSE(f.selection.zoomRange());
  f.input.release(mouse(QEvent::MouseButtonRelease, {500, 10}));
  CHECK(f.window.visible() == f.window.extent());
  CHECK_FALSE(f.window.selection().empty());
  f.input.perform(TimelineAction::clear);
  CHECK(f.window.selection().empty());
}

TEST_CASE("a right click asks for the menu, a right drag does not", "[views][timeline]") {
  LayoutFixture f;
  std::vector<QPoint> menuPlaces;
  QObject::connect(&f.input, &TimelineInput::menuRequested, [&](QPoint at) { menuPlaces.push_back(at); });
  drag(f.input, {300, 50}, {400, 50}, Qt::RightButton);
  CHECK(menuPlaces.empty());
  f.input.press(mouse(QEvent::MouseButtonPress, {300, 50}, Qt::RightButton));
  f.input.release(mouse(QEvent::MouseButtonRelease, {300, 50}, Qt::RightButton));
  CHECK(menuPlaces == std::vector{QPoint(300, 50)});
}

TEST_CASE("keys zoom about the pointer while it is over the lanes, else about the middle",
          "[views][timeline]") {
  LayoutFixture f;
  f.input.perform(TimelineAction::zoomIn);
  CHECK(f.window.visible().beginNs == Approx(100'000 - 200'000 / 3).margin(2));
  f.window.home();
  f.input.move(mouse(QEvent::MouseMove, {350, 50}, Qt::NoButton));
  f.input.perform(TimelineAction::zoomIn);
  CHECK(std::abs(f.layout.xOf(50'000) - 350) <= 1);
  f.window.home();
  f.input.leave();
  f.input.perform(TimelineAction::zoomIn);
  CHECK(f.window.visible().beginNs == Approx(100'000 - 200'000 / 3).margin(2));
}
