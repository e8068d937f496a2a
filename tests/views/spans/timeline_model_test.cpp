#include "views/spans/timeline_model.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline_fixture.h"
#include "views/timeline/timeline_overview.h"

using halo::Lane;
using halo::RowId;
using halo::Span;
using halo::TimelineModel;
using halo::TimeRange;

namespace {

std::size_t spansOf(const TimelineModel& model) {
  std::size_t count = 0;
  for (const halo::RowEntry& entry : model.rows())
    count += entry.row == nullptr ? 0 : entry.row->spans.size();
  return count;
}

}  // namespace

TEST_CASE("live batches lose no span, whatever overlaps", "[views][timeline]") {
  TimelineModel model;
  const std::vector<Span> spans = halo::overlappingSpans(4000, 1);
  std::mt19937_64 random(2);
  for (std::size_t at = 0; at < spans.size();) {
    const std::size_t piece = std::min<std::size_t>(1 + random() % 90, spans.size() - at);
    model.append(3, Lane::link,
                 std::vector(spans.begin() + static_cast<std::ptrdiff_t>(at),
                             spans.begin() + static_cast<std::ptrdiff_t>(at + piece)));
    at += piece;
  }
  CHECK(model.spans() == spans.size());
  REQUIRE(spansOf(model) == spans.size());
  std::vector<Span> kept;
  for (const halo::RowEntry& entry : model.rows())
    for (std::size_t i = 0; i < entry.row->spans.size(); ++i) kept.push_back(entry.row->spans.at(i));
  const auto order = [](const Span& a, const Span& b) {
    return std::tuple(a.beginNs, a.durationNs, a.peer, a.bytes) <
           std::tuple(b.beginNs, b.durationNs, b.peer, b.bytes);
  };
  std::vector<Span> given = spans;
  std::sort(kept.begin(), kept.end(), order);
  std::sort(given.begin(), given.end(), order);
  CHECK(kept == given);
  CHECK(model.extent().beginNs == spans.front().beginNs);
}

TEST_CASE("rows stand in order of rank and lane, and a collapsed rank keeps its first", "[views][timeline]") {
  TimelineModel model;
  int changes = 0;
  QObject::connect(&model, &TimelineModel::rowsChanged, [&] { ++changes; });
  model.append(1, Lane::main, halo::randomSpans(10, 1));
  model.append(0, Lane::link, halo::overlappingSpans(100, 1));
  model.append(0, Lane::main, halo::randomSpans(10, 2));
  REQUIRE(model.rows().size() > 3);
  CHECK(model.rows().front().id == RowId{0, Lane::main, 0});
  CHECK(model.rows().back().id == RowId{1, Lane::main, 0});
  CHECK(model.rows().back().firstOfRank);
  CHECK(
      std::is_sorted(model.rows().begin(), model.rows().end(), [](auto& a, auto& b) { return a.id < b.id; }));
  const std::uint64_t version = model.version();
  model.setCollapsed(0, true);
  CHECK(model.rows().size() == 2);
  CHECK(model.version() != version);
  CHECK(changes == 4);
}

TEST_CASE("ranks begin folded where their rows are too many, until a person says otherwise",
          "[views][timeline]") {
  TimelineModel model;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    model.append(rank, Lane::main, halo::randomSpans(10, 1));
    model.append(rank, Lane::link, halo::overlappingSpans(100, 1));
  }
  REQUIRE(model.rows().size() > 4);
  CHECK_FALSE(model.allCollapsed());
  std::vector<Span> together(TimelineModel::kMostRows);
  for (std::size_t i = 0; i < together.size(); ++i) {
    together[i].beginNs = static_cast<std::int64_t>(i);
    together[i].durationNs = 1'000'000'000'000;
    together[i].lane = Lane::link;
  }
  model.append(2, Lane::link, together);
  CHECK(model.rows().size() == 3);
  CHECK(model.allCollapsed());
  model.setCollapsed(1, false);
  CHECK(model.rows().size() > 4);
  CHECK(model.collapsed(0));
  model.setAllCollapsed(false);
  CHECK(model.rows().size() > TimelineModel::kMostRows);
  model.setAllCollapsed(true);
  CHECK(model.rows().size() == 3);
}

TEST_CASE("lanes are known from the directory before their spans are", "[views][timeline]") {
  TimelineModel model;
  model.setDirectory(
      {{1, 0, Lane::main, 100, 900, 50}, {2, 0, Lane::main, 900, 1500, 50}, {3, 1, Lane::link, 50, 70, 1}});
  REQUIRE(model.rows().size() == 2);
  CHECK(model.rows()[0].row == nullptr);
  CHECK(model.extent() == TimeRange{50, 1500});
  CHECK(model.blocksOf(0, Lane::main).size() == 2);
  auto lane = std::make_unique<halo::TimelineLane>(0, Lane::main);
  lane->append(halo::randomSpans(20, 1));
  model.adopt(std::move(lane));
  CHECK(model.rows()[0].row != nullptr);
  CHECK(model.blocksOf(0, Lane::main).empty());
  CHECK(model.blocksOf(1, Lane::link).size() == 1);
}

TEST_CASE("statistics of an area are those of a scan over its spans", "[views][timeline]") {
  TimelineModel model;
  std::vector<std::vector<Span>> lanes;
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    lanes.push_back(halo::randomSpans(5000, static_cast<std::uint64_t>(rank) + 10));
    model.append(rank, Lane::main, lanes.back());
  }
  std::mt19937_64 random(3);
  const auto length = static_cast<std::uint64_t>(model.extent().lengthNs());
  for (int i = 0; i < 50; ++i) {
    const std::int64_t begin = model.extent().beginNs + static_cast<std::int64_t>(random() % length);
    const TimeRange range{begin, begin + static_cast<std::int64_t>(random() % length)};
    const std::int64_t rank = i % 5 - 1;  // −1: all
    halo::AreaStatistics expected;
    for (std::int64_t r = 0; r < 4; ++r) {
      if (rank >= 0 && r != rank) continue;
      for (const Span& span : lanes[static_cast<std::size_t>(r)]) {
        const std::int64_t inside =
            std::min(range.endNs, span.endNs()) - std::max(range.beginNs, span.beginNs);
        const bool instant =
            span.durationNs == 0 && span.beginNs >= range.beginNs && span.beginNs < range.endNs;
        expected.spans += inside > 0 || instant ? 1 : 0;
        expected.ns[static_cast<std::size_t>(span.kind)] += std::max<std::int64_t>(0, inside);
      }
    }
    const std::set<RowId> rows = rank < 0 ? std::set<RowId>{} : std::set<RowId>{{rank, Lane::main, 0}};
    const halo::AreaStatistics got = model.statistics(range, rows);
    CAPTURE(range.beginNs, range.endNs, rank);
    CHECK(got.ns == expected.ns);
    CHECK(got.spans == expected.spans);
  }
}

TEST_CASE("epochs are found by time and replaced by number", "[views][timeline]") {
  TimelineModel model;
  std::vector<halo::EpochRow> epochs(3);
  for (std::int64_t e = 0; e < 3; ++e) {
    epochs[static_cast<std::size_t>(e)].epoch = e;
    epochs[static_cast<std::size_t>(e)].beginNs = 100 + e * 10;
    epochs[static_cast<std::size_t>(e)].wallNs = 10;
  }
  model.addEpochs(epochs);
  CHECK_FALSE(model.epochAt(99));
  CHECK(model.epochAt(100) == 0);
  CHECK(model.epochAt(119) == 1);
  CHECK(model.epochAt(5000) == 2);
  epochs[2].wallNs = 50;
  model.addEpochs(std::span(epochs).subspan(2));
  CHECK(model.epochs().size() == 3);
  CHECK(model.extent().endNs == 170);
}

TEST_CASE("the overview shows the mean shares of the main lanes", "[views][timeline]") {
  TimelineModel model;
  for (std::int64_t rank = 0; rank < 3; ++rank)
    model.append(rank, Lane::main,
                 halo::randomSpans(rank == 2 ? 60 : 30'000, static_cast<std::uint64_t>(rank) + 20));
  const TimeRange whole = model.extent();
  const int width = GENERATE(77, 900);
  const auto columns = halo::overviewShares(model, halo::PixelGrid::of(whole, whole.beginNs, width));
  const halo::AreaStatistics exact = model.statistics(whole, {});
  for (std::size_t k = 0; k < halo::kKinds; ++k) {
    double sum = 0;
    for (const auto& column : columns) sum += static_cast<double>(column[k]);
    const double expected = static_cast<double>(exact.ns[k]) / static_cast<double>(whole.lengthNs()) / 3;
    CAPTURE(width, k);
    // a bucket belongs to one column: at each end of a lane a column may be off by a part
    CHECK(sum / width == Approx(expected).margin(0.005 + 2.0 / width));
  }
}

TEST_CASE("ranks are named by what they do where that is not the same for all", "[views][timeline]") {
  TimelineModel model;
  const auto worker = [](std::int64_t rank, const std::string& role) {
    halo::WorkerRow row;
    row.rank = rank;
    row.role = role;
    return row;
  };
  model.setWorkers(std::vector{worker(0, "trainer"), worker(1, "updater"), worker(2, "spu: output buffer")});
  CHECK(model.rankName(0) == "rank 0");
  CHECK(model.rankName(1) == "1 updater");
  CHECK(model.rankName(2) == "2 output buffer");
  CHECK(model.rankName(3) == "rank 3");
  model.clear();
  CHECK(model.rankName(1) == "rank 1");
}
