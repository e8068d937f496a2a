// Several runs below each other in one timeline, told apart wherever rows are named.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/views/timeline/timeline_window_fixture.h"
#include "views/timeline/timeline_change.h"

using namespace halo;

namespace {

/// fillTwoRanks, and below it the same run, half as long, 5 µs later.
struct TwoRuns : TimelineWindowFixture {
  TimelineModel other;

  TwoRuns() {
    std::vector<Span> spans(50);
    for (std::size_t i = 0; i < spans.size(); ++i) {
      spans[i].beginNs = 5000 + static_cast<std::int64_t>(i) * 2000;
      spans[i].durationNs = 1000;
      spans[i].name = Name::aggregate;
    }
    other.append(0, Lane::main, spans);
    other.append(1, Lane::main, spans);
    std::vector<EpochRow> epochs(1);
    epochs[0].beginNs = 5000;
    epochs[0].wallNs = 100'000;
    other.addEpochs(epochs);
    compare();
  }
  void compare() {
    TimelineBlock first, second;
    first.name = "A  vanilla";
    second.name = "B  pipegcn";
    second.model = &other;
    view.setOthers(first, {second});
    QApplication::processEvents();
  }
  /// A point in the middle of a row at a time.
  QPoint in(RowId row, std::int64_t ns) {
    const auto box = canvas().places().boxOf(row);
    REQUIRE(box);
    return {static_cast<int>(canvas().xOf(ns)), box->top + box->height / 2};
  }
};

constexpr RowId kOtherFirst{0, Lane::main, 0, 1}, kOtherSecond{1, Lane::main, 0, 1};

}  // namespace

TEST_CASE("runs stand below each other under headings, on the axis of the first", "[views][timeline]") {
  TwoRuns f;
  const TimelineLayout& places = f.canvas().places();
  CHECK(places.places().size() == 2 + 2);  // they share the height: ranks begin folded
  f.canvas().perform(TimelineAction::foldAll);
  REQUIRE(places.places().size() == 4 + 2);
  CHECK(places.entryOf(places.places()[4]).id == kOtherFirst);
  const int heading = places.frame().headingHeight;
  CHECK(heading > 0);
  CHECK(places.blockBox(0).top == places.frame().rulerHeight);
  CHECK(places.blockBox(0).rows == places.blockBox(0).top + heading);
  CHECK(places.blockBox(1).top > places.boxOf({1, Lane::phase, 0})->top);
  CHECK(places.boxOf(kOtherFirst)->top == places.blockBox(1).rows);
  CHECK(places.blockBox(1).bottom == places.frame().rulerHeight + places.contentHeight());
  CHECK_FALSE(f.canvas().rowAt(places.blockBox(1).top + 2));
  f.view.setOthers({}, {});
  CHECK(places.places().size() == 4);
  CHECK(places.blockBox(0).rows == places.blockBox(0).top);
}

TEST_CASE("a span of a run below is selected as one of it", "[views][timeline]") {
  TwoRuns f;
  f.click(f.in(kOtherSecond, 5500));
  CHECK(f.canvas().selection().current() == SpanId{kOtherSecond, 0});
  CHECK(f.window.selectedBlock() == 1);
  CHECK(f.window.selectedSpan()->name == Name::aggregate);
  CHECK(f.canvas().tooltipAt(f.in(kOtherSecond, 5500)).contains("aggregate"));
  f.key(Qt::Key_W);  // zooms to where the pointer is, and keeps what is selected
  CHECK(f.window.selectedBlock() == 1);
  f.compare();  // others stand there now
  CHECK_FALSE(f.window.selectedSpan());
  CHECK_FALSE(f.canvas().selection().current());
  f.click(f.in({0, Lane::main, 0}, 500));
  CHECK(f.window.selectedBlock() == 0);
}

TEST_CASE("keys go from the last lane of a run to the first of the one below", "[views][timeline]") {
  TwoRuns f;
  f.canvas().perform(TimelineAction::foldAll);
  f.canvas().selection().setCurrentRow(RowId{1, Lane::phase, 0});
  f.canvas().perform(TimelineAction::laneDown);
  CHECK(f.canvas().selection().currentRow() == kOtherFirst);
  f.canvas().perform(TimelineAction::foldAll);
  CHECK(f.model.allCollapsed());
  CHECK(f.other.allCollapsed());
  CHECK(f.canvas().places().places().size() == 4);
  f.canvas().perform(TimelineAction::foldAll);
  CHECK_FALSE(f.other.allCollapsed());
  f.canvas().perform(TimelineAction::nextEpoch);  // of the run that keys go from, which has this one alone
  CHECK(f.window.visible().contains(TimeRange{5000, 105'000}));
}

TEST_CASE("statistics of an area are of one run, and say of which", "[views][timeline]") {
  TwoRuns f;
  f.canvas().selection().selectArea({5000, 9000}, {kOtherFirst, kOtherSecond});
  CHECK(f.view.legend().text().contains("of B  pipegcn"));
  CHECK(f.view.legend().text().contains("4 spans"));
  f.canvas().selection().selectArea({5000, 9000}, {{0, Lane::main, 0}, kOtherFirst});
  CHECK(f.view.legend().text().contains("of A  vanilla"));
  CHECK(f.view.legend().text().contains("2 spans"));
  CHECK(f.other.selectionStatistics({5000, 9000}, {{0, Lane::main, 0}}).rows == 0);
}

TEST_CASE("time reaches to the end of whichever run ends last", "[views][timeline]") {
  TwoRuns f;
  CHECK(f.window.extent() == f.model.extent());
  std::vector<Span> late(1);
  late[0].beginNs = 400'000;
  late[0].durationNs = 1000;
  f.other.append(0, Lane::main, late);
  CHECK(f.window.extent() == TimeRange{0, 401'000});
  f.view.setOthers({}, {});
  CHECK(f.model.version() != f.other.version());
}

TEST_CASE("what changes from the first run is the share that its ranks are at work more",
          "[views][timeline]") {
  TwoRuns f;
  // a column of 2 µs: the first run computes half of it; the other begins at 5 µs and ends at 104 µs
  const PixelGrid grid = PixelGrid::of({0, 200'000}, 0, 100);
  const std::vector<float> change = changeOf(f.model, f.other, grid);
  REQUIRE(change.size() == 100);
  CHECK(std::isnan(change[0]));
  CHECK(change[20] == Approx(0.0).margin(1e-6));
  CHECK(std::isnan(change[60]));
  TimelineModel busy;
  std::vector<Span> spans(1);
  spans[0].durationNs = 200'000;
  busy.append(0, Lane::main, spans);
  CHECK(changeOf(f.model, busy, grid)[30] == Approx(0.5));
  CHECK(changeOf(busy, f.model, grid)[30] == Approx(-0.5));
  const TimelineLayout::BlockBox box = f.canvas().places().blockBox(1);
  CHECK(box.rows - box.change == TimelineLayout::kChangeHeight);
  CHECK(f.canvas().places().blockBox(0).change == f.canvas().places().blockBox(0).rows);
  const QString tooltip = f.canvas().tooltipAt({static_cast<int>(f.canvas().xOf(21'000)), box.change + 3});
  CHECK(tooltip.contains("computing and quantising"));
}

TEST_CASE("where ranks are not equally many, each group of them has a band of what changes",
          "[views][timeline]") {
  TwoRuns f;
  const PixelGrid grid = PixelGrid::of({0, 200'000}, 0, 100);
  // rank 0 of one run against ranks 0 to 3 of the other, of which one computes all of the time
  TimelineModel four;
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    std::vector<Span> spans(1);
    spans[0].durationNs = 200'000;
    spans[0].kind = rank == 2 ? Kind::compute : Kind::communication;
    four.append(rank, Lane::main, spans);
  }
  TimelineModel single;
  std::vector<Span> spans(1);
  spans[0].durationNs = 200'000;
  single.append(0, Lane::main, spans);
  CHECK(changeOf(single, four, grid, {{0}, {0, 1, 2, 3}})[30] == Approx(-0.75));
  CHECK(changeOf(single, four, grid, {{0}, {2}})[30] == Approx(0.0).margin(1e-6));
  CHECK(std::isnan(changeOf(single, four, grid, {{0}, {}})[30]));
  RankMap map;
  map.rule = RankRule::number;
  map.groups = {{{0}, {0, 1}}, {{1}, {2}}, {{2}, {3}}, {{3}, {}}};
  map.words = "4 ranks against 4: as it is here";
  f.canvas().setRankMaps({{1, map}});
  const TimelineLayout::BlockBox box = f.canvas().places().blockBox(1);
  CHECK(box.rows - box.change == TimelineLayout::kChangeHeight + 2 * TimelineLayout::kBandHeight);
  const QString tooltip = f.canvas().tooltipAt({static_cast<int>(f.canvas().xOf(21'000)), box.change + 1});
  CHECK(tooltip.contains("ranks 0, 1 here"));
  CHECK(tooltip.contains("as it is here"));
  const QImage bands = f.canvas().grab().toImage();
  f.canvas().setRankMaps({});
  CHECK(f.canvas().grab().toImage() != bands);
}

TEST_CASE("what is chosen of a run below goes with it, and is no choice of the first", "[views][timeline]") {
  TwoRuns f;
  f.canvas().selection().selectArea({5000, 9000}, {kOtherFirst});
  f.view.setOthers({}, {});
  CHECK(f.window.selection().empty());  // no area of all rows in its place
  f.compare();
  f.window.setEpoch(3);
  f.canvas().selection().setCurrentRow(kOtherFirst);
  f.canvas().perform(TimelineAction::nextEpoch);
  CHECK(f.window.epoch() == 3);
}

TEST_CASE("a window beyond the end of what is left comes back", "[views][timeline]") {
  TwoRuns f;
  std::vector<Span> late(1);
  late[0].beginNs = 4'000'000;
  late[0].durationNs = 1000;
  f.other.append(0, Lane::main, late);
  f.window.setVisible({3'900'000, 4'001'000});
  f.view.setOthers({}, {});
  CHECK(f.window.visible().beginNs < f.model.extent().endNs);
}
