#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/views/timeline/timeline_window_fixture.h"

using halo::Lane;
using halo::RowId;
using halo::Span;
using halo::TimelineCanvas;
using halo::TimelineModel;
using halo::TimelineView;
using halo::TimeRange;
using halo::TimeWindow;

namespace {

using Fixture = halo::TimelineWindowFixture;

}  // namespace

TEST_CASE("keys zoom, pan and go home", "[views][timeline]") {
  Fixture f;
  REQUIRE(f.window.visible() == TimeRange{0, 200'000});
  f.key(Qt::Key_W);
  CHECK(f.window.visible().lengthNs() == Approx(200'000 / 1.5).margin(2));
  f.key(Qt::Key_Plus);
  const TimeRange zoomed = f.window.visible();
  CHECK(zoomed.lengthNs() == Approx(200'000 / 2.25).margin(2));
  f.key(Qt::Key_D);
  CHECK(f.window.visible().beginNs > zoomed.beginNs);
  f.key(Qt::Key_A);
  CHECK(f.window.visible() == zoomed);
  f.key(Qt::Key_Right);
  f.key(Qt::Key_Left);
  CHECK(f.window.visible() == zoomed);
  f.key(Qt::Key_S);
  f.key(Qt::Key_Minus);
  CHECK(f.window.visible().lengthNs() == Approx(200'000).margin(4));
  f.key(Qt::Key_W);
  f.key(Qt::Key_Home);
  CHECK(f.window.visible() == TimeRange{0, 200'000});
}

TEST_CASE("keys go through the history of the window", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({0, 100'000});
  f.window.setVisible({10'000, 20'000});
  f.key(Qt::Key_D);
  f.key(Qt::Key_Backspace);
  CHECK(f.window.visible() == TimeRange{0, 100'000});
  f.key(Qt::Key_Right, Qt::AltModifier);
  CHECK(f.window.visible() == TimeRange{10'000, 20'000});
  f.key(Qt::Key_Left, Qt::AltModifier);
  CHECK(f.window.visible() == TimeRange{0, 100'000});
  f.key(Qt::Key_U);
  CHECK(f.window.visible() == TimeRange{0, 200'000});
}

TEST_CASE("the wheel scrolls, zooms at the pointer, pans and changes the lane height", "[views][timeline]") {
  Fixture f;
  const QPoint place = f.at(50'500);
  f.wheel(place, 2, Qt::ControlModifier);
  CHECK(f.window.visible().lengthNs() < 140'000);
  CHECK(std::abs(f.canvas().xOf(50'500) - place.x()) <= 3);
  const TimeRange zoomed = f.window.visible();
  f.wheel(place, -1, Qt::ShiftModifier);
  CHECK(f.window.visible().beginNs > zoomed.beginNs);
  CHECK(f.window.visible().lengthNs() == zoomed.lengthNs());
  f.wheel(place, 30, Qt::AltModifier);
  CHECK(f.canvas().rowHeight() == 80);
  f.view.resize(1000, 200);
  QApplication::processEvents();
  f.wheel(place, -1);
  CHECK(f.canvas().scroll() > 0);
  f.wheel(place, 5);
  CHECK(f.canvas().scroll() == 0);
  f.canvas().setWheelZooms(true);
  const std::int64_t before = f.window.visible().lengthNs();
  f.wheel(place, 1);
  CHECK(f.window.visible().lengthNs() < before);
}

TEST_CASE("a click selects the span there, a double click zooms to it", "[views][timeline]") {
  Fixture f;
  f.click(f.at(4500));
  REQUIRE(f.selected.size() == 1);
  CHECK(f.selected[0].first == 0);
  CHECK(f.selected[0].second.beginNs == 4000);
  CHECK(f.window.selectedSpan()->beginNs == 4000);
  f.click(f.at(8500), Qt::ControlModifier);
  CHECK(f.canvas().selection().spans().size() == 2);
  f.click(f.at(4500));
  CHECK(f.canvas().selection().spans().size() == 1);
  const QPoint place = f.at(40'500, 2);
  f.click(place);
  f.mouse(QEvent::MouseButtonDblClick, place, Qt::LeftButton);
  f.mouse(QEvent::MouseButtonRelease, place, Qt::LeftButton);
  CHECK(f.selected.back().first == 1);
  CHECK(f.window.visible() == TimeRange{39'900, 41'100});
}

TEST_CASE("dragging over lanes selects an area whose edges can be dragged", "[views][timeline]") {
  Fixture f;
  f.drag(f.at(20'000, 0), f.at(80'000, 2));
  REQUIRE_FALSE(f.areas.empty());
  const auto [begin, end, rows] = f.areas.back();
  CHECK(begin == Approx(20'000).margin(500));
  CHECK(end == Approx(80'000).margin(500));
  CHECK(rows == 3);
  CHECK(f.view.legend().text().contains("2 main lanes"));
  CHECK(f.window.selection().lengthNs() == end - begin);
  const auto expected = f.model.statistics(f.window.selection(), f.canvas().selection().areaRows());
  CHECK(expected.ns[0] > 0);
  f.drag(f.at(f.window.selection().endNs, 0), f.at(120'000, 0));
  CHECK(f.window.selection().endNs == Approx(120'000).margin(500));
  CHECK(std::get<2>(f.areas.back()) == 3);
  f.key(Qt::Key_Escape);
  CHECK(f.window.selection().empty());
}

TEST_CASE("dragging on the ruler or with the middle button zooms to the range", "[views][timeline]") {
  Fixture f;
  f.drag({f.at(50'000).x(), 5}, {f.at(100'000).x(), 5});
  CHECK(f.window.visible().beginNs == Approx(50'000).margin(500));
  CHECK(f.window.visible().endNs == Approx(100'000).margin(500));
  f.drag(f.at(60'000), f.at(70'000), Qt::MiddleButton);
  CHECK(f.window.visible().lengthNs() == Approx(10'000).margin(500));
  f.key(Qt::Key_Backspace);
  CHECK(f.window.visible().lengthNs() == Approx(50'000).margin(800));
}

TEST_CASE("a right drag pans, a right click opens the menu", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({50'000, 100'000});
  const auto menus = [&] { return std::ranges::count_if(f.view.findChildren<QMenu*>(), &QMenu::isVisible); };
  const QPoint from = f.at(60'000);
  f.drag(from, from + QPoint(100, 0), Qt::RightButton);
  CHECK(menus() == 0);
  CHECK(f.window.visible().lengthNs() == 50'000);
  CHECK(std::abs(f.canvas().xOf(60'000) - (from.x() + 100)) <= 2);
  f.click(from, {}, Qt::RightButton);
  REQUIRE(menus() == 1);
  f.view.findChildren<QMenu*>().front()->close();
  const TimeRange before = f.window.visible();
  QKeyEvent press(QEvent::KeyPress, Qt::Key_Space, Qt::NoModifier);
  QApplication::sendEvent(&f.canvas(), &press);
  f.drag(from, from - QPoint(50, 0));
  CHECK(f.window.visible().beginNs > before.beginNs);
  CHECK(f.window.selection().empty());
}

TEST_CASE("Shift and drag measures without selecting", "[views][timeline]") {
  Fixture f;
  f.drag(f.at(20'000), f.at(50'000), Qt::LeftButton, Qt::ShiftModifier);
  REQUIRE(f.canvas().selection().measured());
  CHECK(f.canvas().selection().measured()->lengthNs() == Approx(30'000).margin(600));
  CHECK(f.window.selection().empty());
  f.key(Qt::Key_Escape);
  CHECK_FALSE(f.canvas().selection().measured());
}

TEST_CASE("F centres, F again fits, R makes an area, Esc clears step by step", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({0, 50'000});
  f.click(f.at(44'500));
  f.key(Qt::Key_F);
  CHECK(f.window.visible() == TimeRange{19'500, 69'500});
  f.key(Qt::Key_F);
  CHECK(f.window.visible() == TimeRange{43'900, 45'100});
  f.key(Qt::Key_R);
  CHECK(f.window.selection() == TimeRange{44'000, 45'000});
  CHECK(f.canvas().selection().areaRows() == std::set<RowId>{{0, Lane::main, 0}});
  f.key(Qt::Key_Escape);
  CHECK(f.window.selection().empty());
  CHECK(f.window.selectedSpan());
  f.key(Qt::Key_Escape);
  CHECK_FALSE(f.window.selectedSpan());
}

TEST_CASE("keys step through spans, names and lanes and keep them in view", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({0, 10'000});
  f.click(f.at(4500));
  f.key(Qt::Key_Period);
  CHECK(f.window.selectedSpan()->beginNs == 6000);
  f.key(Qt::Key_Comma);
  CHECK(f.window.selectedSpan()->beginNs == 4000);
  f.key(Qt::Key_BracketRight);
  CHECK(f.window.selectedSpan()->beginNs == 8000);
  f.key(Qt::Key_BracketRight);
  CHECK(f.window.selectedSpan()->beginNs == 12'000);
  CHECK(f.window.visible().contains({12'000, 13'000}));
  f.key(Qt::Key_BracketLeft);
  CHECK(f.window.selectedSpan()->beginNs == 8000);
  f.key(Qt::Key_Down);
  CHECK(f.window.selectedSpan()->lane == Lane::phase);
  f.key(Qt::Key_E);
  CHECK(f.window.selectedRank() == 1);
  f.key(Qt::Key_Q);
  f.key(Qt::Key_Up);
  CHECK(f.window.selectedRank() == 0);
  CHECK(f.window.selectedSpan()->lane == Lane::main);
}

TEST_CASE("stepping without a selection begins with the first span in view", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({49'500, 60'000});
  f.key(Qt::Key_Period);
  REQUIRE(f.window.selectedSpan());
  CHECK(f.window.selectedSpan()->beginNs == 50'000);
}

TEST_CASE("N and P go from epoch to epoch, with Shift from layer to layer", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({20'000, 40'000});
  f.key(Qt::Key_N);
  CHECK(f.window.epoch() == 2);
  CHECK(f.window.visible().contains({40'000, 60'000}));
  f.key(Qt::Key_P);
  CHECK(f.window.epoch() == 1);
  for (int i = 0; i < 20; ++i) f.key(Qt::Key_P);
  CHECK(f.window.epoch() == 0);
  f.key(Qt::Key_Period);
  REQUIRE(f.window.selectedSpan());
  REQUIRE(f.window.selectedSpan()->beginNs == 0);
  f.key(Qt::Key_N, Qt::ShiftModifier);
  CHECK(f.window.selectedSpan()->lane == Lane::main);
  CHECK(f.window.selectedSpan()->layer == 1);
  CHECK(f.window.selectedSpan()->beginNs == 10'000);
  CHECK(f.window.epoch() == 0);
  f.key(Qt::Key_N, Qt::ShiftModifier);
  CHECK(f.window.selectedSpan()->layer == 0);
  CHECK(f.window.selectedSpan()->beginNs == 20'000);
  f.key(Qt::Key_P, Qt::ShiftModifier);
  CHECK(f.window.selectedSpan()->beginNs == 10'000);
}

TEST_CASE("L follows the newest while the run grows", "[views][timeline]") {
  Fixture f;
  f.window.setVisible({0, 50'000});
  f.key(Qt::Key_L);
  CHECK(f.window.visible() == TimeRange{150'000, 200'000});
  Span next;
  next.beginNs = 240'000;
  next.durationNs = 10'000;
  f.model.append(0, Lane::main, std::vector{next});
  CHECK(f.window.visible() == TimeRange{150'000, 200'000});  // the other rank's are not known yet
  halo::EpochRow epoch;
  epoch.epoch = 10;
  epoch.beginNs = 200'000;
  epoch.wallNs = 100'000;
  f.model.addEpochs(std::vector{epoch});
  CHECK(f.window.visible() == TimeRange{150'000, 200'000});
  f.model.append(1, Lane::main, std::vector{next});
  CHECK(f.window.visible() == TimeRange{200'000, 250'000});
  f.key(Qt::Key_L);
  CHECK_FALSE(f.window.following());
}

TEST_CASE("every key of the timeline does one thing", "[views][timeline]") {
  QList<QKeySequence> keys;
  for (const halo::TimelineActionInfo& info : halo::timelineActions()) {
    CHECK(QString(info.text).size() > 3);
    for (const QKeySequence& key : info.keys) {
      CHECK_FALSE(keys.contains(key));
      keys << key;
    }
  }
}

TEST_CASE("the overview moves and chooses the window", "[views][timeline]") {
  Fixture f;
  halo::TimelineOverview& overview = f.view.overview();
  const auto mouse = [&](QEvent::Type type, std::int64_t ns) {
    const QPoint place(static_cast<int>(overview.xOf(ns)), overview.height() / 2);
    QMouseEvent event(type, place, overview.mapToGlobal(place), Qt::LeftButton, Qt::LeftButton,
                      Qt::NoModifier);
    QApplication::sendEvent(&overview, &event);
  };
  mouse(QEvent::MouseButtonPress, 50'000);
  mouse(QEvent::MouseMove, 100'000);
  mouse(QEvent::MouseButtonRelease, 100'000);
  CHECK(f.window.visible().beginNs == Approx(50'000).margin(500));
  CHECK(f.window.visible().endNs == Approx(100'000).margin(500));
  mouse(QEvent::MouseButtonPress, 75'000);
  mouse(QEvent::MouseMove, 95'000);
  mouse(QEvent::MouseButtonRelease, 95'000);
  CHECK(f.window.visible().beginNs == Approx(70'000).margin(800));
  CHECK(f.window.visible().lengthNs() == Approx(50'000).margin(800));
  mouse(QEvent::MouseButtonPress, 20'000);
  mouse(QEvent::MouseButtonRelease, 20'000);
  CHECK(f.window.visible().beginNs == Approx(-5'000).margin(800));
}

TEST_CASE("the corner of the ruler tells the time of the axis, and asks for the other", "[views][timeline]") {
  Fixture f;
  std::vector<halo::TimeClock> wanted;
  QObject::connect(&f.view, &TimelineView::clockWanted,
                   [&](halo::TimeClock clock) { wanted.push_back(clock); });
  f.key(Qt::Key_M);
  CHECK(f.view.clock().isHidden());
  CHECK(wanted.empty());  // of a run of the wall alone
  f.model.setTime(halo::shownTime({true, true, 84}, halo::TimeClock::modelled, true));
  CHECK_FALSE(f.view.clock().isHidden());
  CHECK(f.view.clock().text() == "modelled time");
  CHECK(f.view.clock().toolTip().contains("84"));
  CHECK(f.canvas().accessibleDescription().contains("modelled time"));
  CHECK(f.view.clock().geometry().right() < f.canvas().headerWidth());
  f.key(Qt::Key_M);
  f.model.setTime(halo::shownTime({true, true, 84}, halo::TimeClock::wall, true));
  f.view.clock().click();
  CHECK(wanted == std::vector{halo::TimeClock::wall, halo::TimeClock::modelled});
  f.model.setTime(halo::shownTime({true, false, 1}, halo::TimeClock::wall, true));
  CHECK(f.view.clock().text() == "modelled time");
  f.view.clock().click();
  f.key(Qt::Key_M);
  CHECK(wanted.size() == 2);
}

TEST_CASE("an empty run says so and takes every key", "[views][timeline]") {
  TimelineModel model;
  TimeWindow window;
  TimelineView view(model, window);
  view.resize(600, 300);
  view.show();
  for (const halo::TimelineActionInfo& info : halo::timelineActions()) view.canvas().perform(info.action);
  QApplication::processEvents();
  CHECK_FALSE(view.grab().isNull());
}
