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
    count += entry.row == nullptr || entry.inFlight ? 0 : entry.row->spans.size();
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
  model.setLinkOpen(3, true);
  REQUIRE(spansOf(model) == spans.size());
  std::vector<Span> actual;
  for (const halo::RowEntry& entry : model.rows())
    for (std::size_t i = 0; !entry.inFlight && i < entry.row->spans.size(); ++i)
      actual.push_back(entry.row->spans.at(i));
  const auto order = [](const Span& a, const Span& b) {
    return std::tuple(a.beginNs, a.durationNs, a.peer, a.bytes) <
           std::tuple(b.beginNs, b.durationNs, b.peer, b.bytes);
  };
  std::vector<Span> expected = spans;
  std::sort(actual.begin(), actual.end(), order);
  std::sort(expected.begin(), expected.end(), order);
  CHECK(actual == expected);
  CHECK(model.extent().beginNs == spans.front().beginNs);
}

TEST_CASE("rows stand in order of rank and lane, and a collapsed rank keeps its first", "[views][timeline]") {
  TimelineModel model;
  int changes = 0;
  QObject::connect(&model, &TimelineModel::rowsChanged, [&] { ++changes; });
  model.append(1, Lane::main, halo::randomSpans(10, 1));
  model.append(0, Lane::link, halo::overlappingSpans(100, 1));
  model.append(0, Lane::main, halo::randomSpans(10, 2));
  model.setLinkOpen(0, true);
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
  CHECK(changes == 5);
}

TEST_CASE("transfers of a rank are one row until they are opened, and then a row a sender too",
          "[views][timeline]") {
  TimelineModel model;
  model.append(1, Lane::main, halo::randomSpans(10, 1));
  model.append(1, Lane::link, halo::overlappingSpans(400, 1));
  REQUIRE(model.rows().size() == 2);
  CHECK(model.rows()[1].id == RowId{1, Lane::link, 0});
  CHECK(model.rows()[1].inFlight);
  model.setLinkOpen(1, true);
  REQUIRE(model.rows().size() > 5);
  CHECK(model.rows()[1].inFlight);
  std::int32_t before = -1;
  for (std::size_t r = 2; r < model.rows().size(); ++r) {
    const halo::RowEntry& row = model.rows()[r];
    CHECK_FALSE(row.inFlight);
    for (std::size_t i = 0; i < row.row->spans.size(); ++i)
      CHECK(row.row->spans.at(i).peer == halo::peerOf(row.id.sub));
    CHECK(halo::peerOf(row.id.sub) >= before);
    before = halo::peerOf(row.id.sub);
  }
  CHECK(before == 3);
  model.setLinkOpen(1, false);
  CHECK(model.rows().size() == 2);
  CHECK(halo::peerText(halo::linkSub(7, 0)) == "from 7");
  CHECK(halo::peerText(halo::linkSub(0, 2)) == "from 0, 3");
}

TEST_CASE("transfers of one sender that do not overlap are the link's only row", "[views][timeline]") {
  TimelineModel model;
  std::vector<Span> spans = halo::randomSpans(50, 1, Lane::link);
  for (Span& span : spans) span.peer = 2;
  model.append(0, Lane::link, spans);
  REQUIRE(model.rows().size() == 1);
  CHECK_FALSE(model.rows()[0].inFlight);
  CHECK(model.rows()[0].row->spans.size() == 50);
}

TEST_CASE("a row of what is in flight is the union of its transfers, however they come",
          "[views][timeline]") {
  std::vector<Span> spans = halo::overlappingSpans(3000, 5);
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < spans.size(); i += 40) spans[i].durationNs *= 12;  // over those after it
  for (std::size_t i = 7; i < spans.size(); i += 90) spans[i].durationNs = 0;
  const auto shuffled = GENERATE(false, true);
  if (shuffled)  // as they arrive
    std::ranges::stable_sort(spans, {}, &Span::endNs);
  halo::TimelineLane lane(0, Lane::link);
  for (std::size_t at = 0; at < spans.size();) {
    const std::size_t piece = std::min<std::size_t>(1 + random() % 300, spans.size() - at);
    lane.append(std::vector(spans.begin() + static_cast<std::ptrdiff_t>(at),
                            spans.begin() + static_cast<std::ptrdiff_t>(at + piece)));
    at += piece;
  }
  REQUIRE(lane.inFlight() != nullptr);
  std::ranges::sort(spans, [](const Span& a, const Span& b) {
    return std::pair(a.beginNs, a.endNs()) < std::pair(b.beginNs, b.endNs());
  });
  std::vector<Span> expected;  // begin, duration and bytes alone
  for (const Span& span : spans) {
    if (expected.empty() || span.beginNs >= expected.back().endNs()) {
      expected.push_back(span);
      continue;
    }
    Span& with = expected.back();
    with.durationNs = std::max(with.endNs(), span.endNs()) - with.beginNs;
    with.bytes += span.bytes;
  }
  const halo::SpanRow& joined = lane.inFlight()->spans;
  REQUIRE(joined.size() == expected.size());
  halo::KindTimes ns{};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(joined.beginNs(i) == expected[i].beginNs);
    CHECK(joined.durationNs(i) == expected[i].durationNs);
    CHECK(joined.at(i).bytes == expected[i].bytes);
    ns[static_cast<std::size_t>(halo::Kind::communication)] += expected[i].durationNs;
  }
  CHECK(joined.before(INT64_MAX) == ns);
  CHECK(lane.inFlight()->pyramid.levels().back().buckets.size() <= 2);
}

TEST_CASE("an area over transfers counts the time with any, and each of them", "[views][timeline]") {
  TimelineModel model;
  std::vector<Span> spans(3);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    spans[i].beginNs = static_cast<std::int64_t>(i) * 60;
    spans[i].durationNs = 100;
    spans[i].lane = Lane::link;
    spans[i].kind = halo::Kind::communication;
    spans[i].peer = static_cast<std::int32_t>(i);
  }
  model.append(0, Lane::link, spans);
  const auto statistics = [&](const std::set<RowId>& rows) {
    return model.selectionStatistics({0, 200}, rows);
  };
  const auto communication = static_cast<std::size_t>(halo::Kind::communication);
  model.setLinkOpen(0, true);
  for (const std::set<RowId>& rows : {std::set<RowId>{{0, Lane::link, 0}},
                                      {},
                                      {{0, Lane::link, 0}, {0, Lane::link, halo::linkSub(1, 0)}}}) {
    CHECK(statistics(rows).ns[communication] == 200);
    CHECK(statistics(rows).spans == 3);
    CHECK(statistics(rows).rows == 1);
  }
  CHECK(statistics({{0, Lane::link, halo::linkSub(1, 0)}}).ns[communication] == 100);
}

TEST_CASE("ranks begin folded where their rows are too many, until a person says otherwise",
          "[views][timeline]") {
  TimelineModel model;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    model.append(rank, Lane::main, halo::randomSpans(10, 1));
    model.append(rank, Lane::link, halo::overlappingSpans(100, 1));
    model.setLinkOpen(rank, true);
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
  CHECK_FALSE(model.allCollapsed());
  model.setLinkOpen(2, true);
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
  model.setDirectory({{1, 0, Lane::main, 100, 900, 50, {}},
                      {2, 0, Lane::main, 900, 1500, 50, {}},
                      {3, 1, Lane::link, 50, 70, 1, {}}});
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
    const halo::AreaStatistics actual = model.statistics(range, rows);
    CAPTURE(range.beginNs, range.endNs, rank);
    CHECK(actual.ns == expected.ns);
    CHECK(actual.spans == expected.spans);
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
  const TimeRange extent = model.extent();
  const int width = GENERATE(77, 900);
  const auto columns = halo::overviewShares(model, halo::PixelGrid::of(extent, extent.beginNs, width));
  const halo::AreaStatistics exact = model.statistics(extent, {});
  for (std::size_t k = 0; k < halo::kKinds; ++k) {
    double sum = 0;
    for (const auto& column : columns) sum += static_cast<double>(column[k]);
    const double expected = static_cast<double>(exact.ns[k]) / static_cast<double>(extent.lengthNs()) / 3;
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
