#include "views/tally/span_groups.h"

#include <QAbstractItemModelTester>
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/views/timeline/two_ranks.h"
#include "tests/views/timeline_fixture.h"
#include "views/look/units.h"
#include "views/tally/duration_histogram.h"
#include "views/tally/span_groups_model.h"

using namespace halo;

namespace {

std::vector<SpanGroup> groupsOf(const TimelineModel& model, TimeRange range, std::size_t stretch = 50) {
  SpanGrouping grouping;
  grouping.begin(model.everyRow(), range);
  while (grouping.advance(stretch)) {
  }
  return grouping.groups();
}

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("groups have the figures that sorting all spans of a name and layer gives", "[views][timeline]") {
  TimelineModel model;
  const std::vector<Span> spans = randomSpans(5000, 3);
  model.append(0, Lane::main, spans);
  const TimeRange range{spans[500].beginNs + 1, spans[4000].endNs() - 1};
  for (const std::size_t stretch : {1UL, 333UL, 1'000'000UL}) {
    const std::vector<SpanGroup> groups = groupsOf(model, range, stretch);
    std::int64_t count = 0;
    for (const SpanGroup& group : groups) {
      std::vector<std::int64_t> durations;
      std::int64_t inside = 0;
      for (const Span& span : spans) {
        if (span.name != group.key.name || span.layer != group.key.layer) continue;
        const bool instantAtBegin = span.beginNs == range.beginNs && span.durationNs == 0;
        if (span.beginNs >= range.endNs || (span.endNs() <= range.beginNs && !instantAtBegin)) continue;
        durations.push_back(span.durationNs);
        inside += std::min(span.endNs(), range.endNs) - std::max(span.beginNs, range.beginNs);
      }
      std::ranges::sort(durations);
      const auto n = durations.size();
      REQUIRE(group.count == static_cast<std::int64_t>(n));
      CHECK(group.insideNs == inside);
      CHECK(
          group.medianNs ==
          Approx((static_cast<double>(durations[(n - 1) / 2]) + static_cast<double>(durations[n / 2])) / 2));
      CHECK(group.meanNs == Approx(static_cast<double>(sum(durations)) / static_cast<double>(n)));
      CHECK(group.p95Ns >= group.medianNs);
      CHECK(group.share == Approx(static_cast<double>(inside) / static_cast<double>(range.lengthNs())));
      CHECK(group.shortestNs == durations.front());
      CHECK(group.longestNs == durations.back());
      CHECK(sum(group.bins) == group.count);
      count += group.count;
    }
    const auto touching = model.everyRow()[0].row->spans.touching(range.beginNs, range.endNs);
    CHECK(count == static_cast<std::int64_t>(touching.second - touching.first));
    CHECK(std::ranges::is_sorted(groups, {}, &SpanGroup::key));
  }
}

TEST_CASE("shares are of the time of all ranks that are counted", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  const std::vector<SpanGroup> groups = groupsOf(model, {0, 20'000});
  REQUIRE(groups.size() == 5);  // two names × two layers, and the phases
  CHECK(groups[0].key == SpanGroupKey{Lane::main, Name::aggregate, 0});
  CHECK(groups[0].count == 6);  // spans 0, 2 and 4 of each rank
  CHECK(groups[0].insideNs == 6000);
  CHECK(groups[0].share == Approx(6000.0 / 40'000));
  CHECK(groups[0].bins == std::vector<std::int64_t>{6});
  CHECK(groups[4].key.lane == Lane::phase);
  CHECK(groups[4].share == Approx(1));
  CHECK(groupsOf(model, {}).empty());
  CHECK(groupsOf(TimelineModel(), {0, 100}).empty());
}

TEST_CASE("bins of durations reach from the shortest to the longest", "[views][timeline]") {
  TimelineModel model;
  std::vector<Span> spans(4);
  for (std::size_t i = 0; i < spans.size(); ++i) spans[i].beginNs = static_cast<std::int64_t>(i) * 10'000;
  spans[1].durationNs = 10;
  spans[2].durationNs = 100;
  spans[3].durationNs = 1000;
  model.append(0, Lane::main, spans);
  const SpanGroup group = groupsOf(model, {0, 100'000}).at(0);
  REQUIRE(group.bins.size() == SpanGrouping::kBins);
  CHECK(group.bins.front() == 1);  // an instant
  CHECK(group.bins.back() == 1);
  CHECK(sum(group.bins) == 4);
  CHECK(group.binBeginNs(0) == Approx(1));
  CHECK(group.binBeginNs(SpanGrouping::kBins) == Approx(1000));
  DurationHistogram histogram;
  histogram.resize(320, 160);
  CHECK(histogram.barText(100).isEmpty());
  histogram.setGroup(group);
  CHECK(histogram.barText(histogram.bar(31).center().x()).startsWith("1 span of "));
  CHECK(histogram.barText(0).isEmpty());
  for (std::size_t bin = 0; bin < group.bins.size(); ++bin) {
    CHECK(histogram.bar(bin).isEmpty() == (group.bins[bin] == 0));
    if (group.bins[bin] > 0) CHECK(histogram.rect().contains(histogram.bar(bin)));
  }
  CHECK_FALSE(histogram.grab().isNull());
}

TEST_CASE("the next span of a group is the next by begin, then by row, in the range", "[views][timeline]") {
  TimelineModel model;
  fillTwoRanks(model);
  const std::vector<RowEntry> rows = model.everyRow();
  const SpanGroupKey key{Lane::main, Name::update, 0};
  const TimeRange range{3000, 30'000};  // of these spans 3, 11 and 13
  const RowId first{0, Lane::main, 0}, second{1, Lane::main, 0};
  const std::vector<SpanId> expected{{first, 3},   {second, 3}, {first, 11},
                                     {second, 11}, {first, 13}, {second, 13}};
  std::optional<SpanId> at;
  for (const int turn : {1, 2})
    for (const SpanId& span : expected) {
      CAPTURE(turn);
      at = nextOf(key, rows, range, at);
      CHECK(at == span);
    }
  CHECK(nextOf(key, rows, range, SpanId{first, 0}) == expected[0]);
  CHECK(nextOf(key, rows, range, SpanId{{9, Lane::main, 0}, 0}) == expected[0]);
  CHECK_FALSE(nextOf({Lane::main, Name::probe, 0}, rows, range, std::nullopt));
}

TEST_CASE("the model of groups keeps every rule of item models", "[models]") {
  SpanGroupsModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  TimelineModel spans;
  fillTwoRanks(spans);
  for (const std::int64_t end : {0, 20'000, 40'000, 5'000, 200'000, 0, 200'000}) {
    const auto groups = groupsOf(spans, {0, end});
    model.setGroups(groups);
    CHECK(model.rowCount() == static_cast<int>(groups.size()));
  }
  CHECK(model.index(0, SpanGroupsModel::NameColumn).data().toString() == "aggregate");
  CHECK(model.index(0, SpanGroupsModel::Layer).data().toString() == "0");
  CHECK(model.index(4, SpanGroupsModel::Layer).data().toString() == "–");
  CHECK(model.index(0, SpanGroupsModel::Total).data(Qt::EditRole).toLongLong() == 60'000);
  CHECK(model.index(0, SpanGroupsModel::Total).data().toString() == formatNs(60'000));
  CHECK(model.index(0, SpanGroupsModel::Median).data().toString() == formatNs(1000, 3));
  for (int column = 0; column < SpanGroupsModel::ColumnCount; ++column)
    CHECK_FALSE(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
}
