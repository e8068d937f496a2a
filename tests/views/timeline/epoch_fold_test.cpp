// Epochs laid over each other: which are unlike, the quartiles of work, and the way there and back.
#include "views/timeline/epoch_fold.h"

#include <QTest>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/views/timeline/timeline_window_fixture.h"

using namespace halo;

namespace {

std::vector<EpochRow> epochsOf(const std::vector<std::int64_t>& lengths) {
  std::vector<EpochRow> epochs;
  std::int64_t at = 1'000;
  for (const std::int64_t length : lengths) {
    EpochRow& epoch = epochs.emplace_back();
    epoch.epoch = static_cast<std::int64_t>(epochs.size()) - 1;
    epoch.beginNs = at;
    epoch.wallNs = length;
    at += length + 500;  // between epochs
  }
  return epochs;
}

Span workOf(std::int64_t begin, std::int64_t duration, Kind kind) {
  Span span;
  span.beginNs = begin;
  span.durationNs = duration;
  span.kind = kind;
  return span;
}

}  // namespace

TEST_CASE("outliers are epochs far beyond the quartiles, and the first is not folded", "[views][timeline]") {
  std::vector<EpochRow> epochs = epochsOf({9'000, 100, 102, 104, 101, 103, 300, 99, 105, 10});
  const FoldedEpochs folded = foldedEpochs(epochs);
  CHECK(folded.epochs.size() == 9);
  CHECK(folded.outliers == std::vector<std::int64_t>{6, 9});
  CHECK(folded.medianNs == 102);
  CHECK(folded.lengthNs == 105);
  epochs[6].filling = true;
  CHECK(foldedEpochs(epochs).outliers == std::vector<std::int64_t>{9});
  CHECK(foldedEpochs({}).epochs.empty());
  CHECK(foldedEpochs(std::span(epochs).first(1)).lengthNs == 9'000);
}

TEST_CASE("a folded lane has the quartiles of work at each moment since an epoch's begin",
          "[views][timeline]") {
  const std::vector<EpochRow> epochs = epochsOf({100, 100, 100, 100, 60});
  std::vector<Span> spans;
  for (std::size_t e = 0; e < epochs.size(); ++e) {
    const std::int64_t begin = epochs[e].beginNs, computed = 10 + 10 * static_cast<std::int64_t>(e);
    spans.push_back(workOf(begin, computed, Kind::compute));
    spans.push_back(workOf(begin + computed, 60 - computed, Kind::communication));
    if (e < 4) spans.push_back(workOf(begin + 80, 20, Kind::quantise));
    spans.push_back(workOf(begin + epochs[e].wallNs + 10, 400, Kind::compute));  // evaluation, say
  }
  SpanRow row;
  row.append(spans);
  const FoldedLane lane = foldedLane(row, epochs, 100, 10);
  REQUIRE(lane.median.size() == 10);
  CHECK(lane.median[0] == 1);  // all compute at first
  CHECK(lane.low[0] == 1);
  CHECK(lane.median[2] == 1);  // 10, 20, 30, 40 and 50 ns: three of five beyond the third column
  CHECK(lane.low[2] == 0);
  CHECK(lane.high[3] == 1);
  CHECK(lane.median[3] == 0);
  CHECK(lane.high[6] == 0);
  CHECK(lane.median[8] == 1);  // quantising is work; the epoch that has ended counts no more
  CHECK(lane.low[9] == 1);
  const FoldedLane longer = foldedLane(row, epochs, 200, 10);
  CHECK(longer.median[4] == Approx(1));
  CHECK(std::isnan(longer.median[5]));  // none lasts so long
  CHECK(foldedLane(SpanRow(), {}, 100, 3).median.size() == 3);
}

TEST_CASE("T lays epochs over each other, a click on one unfolds to it", "[views][timeline]") {
  TimelineWindowFixture f;
  std::vector<EpochRow> slow(1);
  slow[0].epoch = 4;
  slow[0].beginNs = 80'000;
  slow[0].wallNs = 40'000;
  f.model.addEpochs(slow);
  f.key(Qt::Key_T);
  REQUIRE(f.view.isFolded());
  TimelineFold& fold = f.view.fold();
  REQUIRE(QTest::qWaitFor([&] { return fold.settled(); }));
  CHECK_FALSE(f.canvas().isVisible());
  REQUIRE(fold.folded().size() == 1);
  const FoldedBlock& run = fold.folded()[0];
  REQUIRE(run.lanes.size() == 2);
  CHECK(run.lanes[1].name == "rank 1");
  CHECK(run.lanes[0].shares.median.size() == run.lanes[1].shares.median.size());
  CHECK(run.epochs.outliers == std::vector<std::int64_t>{4});
  CHECK(fold.text().contains(">4</a> (+100"));
  const QPoint dot = fold.lanes().dotOf(0, run.epochs.epochs[3]);
  CHECK(fold.lanes().rect().contains(dot));
  QTest::mouseClick(&fold.lanes(), Qt::LeftButton, {}, dot);
  CHECK_FALSE(f.view.isFolded());
  CHECK(f.canvas().isVisible());
  CHECK(f.window.epoch() == 4);
  CHECK(f.window.visible().contains(TimeRange{80'000, 120'000}));
  f.canvas().perform(TimelineAction::foldEpochs);
  QTest::keyClick(&fold, Qt::Key_T);
  CHECK_FALSE(f.view.isFolded());
  f.canvas().perform(TimelineAction::foldEpochs);
  QTest::keyClick(&fold, Qt::Key_Escape);
  CHECK_FALSE(f.view.isFolded());
}
