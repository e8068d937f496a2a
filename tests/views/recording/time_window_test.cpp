#include "views/recording/time_window.h"

#include <catch2/catch.hpp>

using halo::Move;
using halo::TimeRange;
using halo::TimeWindow;

namespace {

/// A window over a run of 1 ms.
struct Fixture {
  TimeWindow window;
  Fixture() { window.setExtent({0, 1'000'000}); }
};

}  // namespace

TEST_CASE("a time window begins with the whole run and emits only on change", "[views][window]") {
  Fixture f;
  CHECK(f.window.visible() == TimeRange{0, 1'000'000});
  int changes = 0;
  QObject::connect(&f.window, &TimeWindow::visibleChanged, [&] { ++changes; });
  f.window.setVisible({0, 1'000'000});
  CHECK(changes == 0);
  f.window.setVisible({100, 200'000});
  CHECK(changes == 1);
  f.window.select({5, 3});
  CHECK(f.window.selection() == TimeRange{3, 5});
}

TEST_CASE("zooming keeps its anchor in place and stops at the shortest window", "[views][window]") {
  Fixture f;
  f.window.zoom(0.5, 250'000);
  CHECK(f.window.visible() == TimeRange{125'000, 625'000});
  for (int i = 0; i < 60; ++i) f.window.zoom(0.5, 250'000);
  CHECK(f.window.visible().lengthNs() == TimeWindow::kShortestNs);
  CHECK(f.window.visible().beginNs <= 250'000);
  CHECK(f.window.visible().endNs >= 250'000);
}

TEST_CASE("nobody gets lost outside the run", "[views][window]") {
  Fixture f;
  f.window.pan(1'000'000'000'000);
  CHECK(f.window.visible().beginNs < 1'000'000);
  f.window.zoom(1e6, 0);
  CHECK(f.window.visible().lengthNs() == 2'000'000);
}

TEST_CASE("history goes back and forward, and moves of one kind make one entry", "[views][window]") {
  Fixture f;
  f.window.setVisible({0, 500'000});
  for (int i = 0; i < 5; ++i) f.window.pan(10'000);
  f.window.setVisible({300'000, 400'000});
  f.window.back();
  CHECK(f.window.visible() == TimeRange{50'000, 550'000});
  f.window.back();
  CHECK(f.window.visible() == TimeRange{0, 500'000});
  f.window.back();
  CHECK(f.window.visible() == TimeRange{0, 1'000'000});
  CHECK_FALSE(f.window.canBack());
  f.window.forward();
  f.window.forward();
  CHECK(f.window.visible() == TimeRange{50'000, 550'000});
  f.window.setVisible({1000, 2000});
  CHECK_FALSE(f.window.canForward());
}

TEST_CASE("undoing a zoom skips the pans since", "[views][window]") {
  Fixture f;
  f.window.setVisible({0, 500'000});
  f.window.setVisible({0, 100'000});
  f.window.pan(50'000);
  f.window.undoZoom();
  CHECK(f.window.visible() == TimeRange{0, 500'000});
}

TEST_CASE("up goes to the range that held this one, and ends at the whole run", "[views][window]") {
  Fixture f;
  f.window.setVisible({0, 500'000});
  f.window.setVisible({700'000, 800'000});
  f.window.up();  // [0, 500 µs) does not hold it
  CHECK(f.window.visible() == TimeRange{0, 1'000'000});
  f.window.setVisible({10'000, 11'000});
  f.window.home();
  CHECK(f.window.visible() == f.window.extent());
}

TEST_CASE("following keeps the newest in view until another move", "[views][window]") {
  Fixture f;
  f.window.setVisible({0, 100'000});
  f.window.setFollowing(true);
  CHECK(f.window.visible() == TimeRange{900'000, 1'000'000});
  f.window.setExtent({0, 1'500'000});
  CHECK(f.window.visible() == TimeRange{1'400'000, 1'500'000});
  f.window.pan(-10'000);
  CHECK_FALSE(f.window.following());
  f.window.setExtent({0, 2'000'000});
  CHECK(f.window.visible() == TimeRange{1'390'000, 1'490'000});
}

TEST_CASE("following goes by how far spans are known, not by the end of the run", "[views][window]") {
  Fixture f;
  f.window.setNewest(600'000);
  f.window.setVisible({0, 100'000});
  f.window.setFollowing(true);
  CHECK(f.window.visible() == TimeRange{500'000, 600'000});
  f.window.setExtent({0, 1'500'000});
  CHECK(f.window.visible() == TimeRange{500'000, 600'000});
  f.window.setNewest(1'200'000);
  CHECK(f.window.visible() == TimeRange{1'100'000, 1'200'000});
  f.window.reset({0, 1'000'000});
  CHECK(f.window.newestNs() == 1'000'000);
}

TEST_CASE("a step through the history brings back the epoch chosen there", "[views][window]") {
  Fixture f;
  f.window.setEpoch(1);
  f.window.setVisible({100'000, 200'000});
  f.window.setEpoch(2);
  f.window.setVisible({200'000, 300'000});
  f.window.back();
  CHECK(f.window.epoch() == 1);
  f.window.back();
  CHECK_FALSE(f.window.epoch());
  f.window.forward();
  f.window.forward();
  CHECK(f.window.epoch() == 2);
}

TEST_CASE("a window that shows the whole run goes on showing it while the run grows", "[views][window]") {
  Fixture f;
  f.window.setExtent({0, 3'000'000});
  CHECK(f.window.visible() == TimeRange{0, 3'000'000});
}

TEST_CASE("another run starts with nothing selected and no history", "[views][window]") {
  Fixture f;
  f.window.setVisible({0, 1000});
  f.window.select({1, 2});
  f.window.setEpoch(3);
  f.window.selectSpan(2, halo::Span{});
  f.window.reset({5, 50'000});
  CHECK(f.window.visible() == TimeRange{5, 50'000});
  CHECK(f.window.selection().empty());
  CHECK_FALSE(f.window.epoch());
  CHECK_FALSE(f.window.selectedSpan());
  CHECK_FALSE(f.window.canBack());
}
