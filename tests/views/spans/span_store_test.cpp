#include "views/spans/span_store.h"

#include <catch2/catch.hpp>
#include <map>

#include "tests/views/timeline_fixture.h"
#include "views/spans/timeline_model.h"

using halo::KindTimes;
using halo::Lane;
using halo::Span;
using halo::SpanRow;

namespace {

/// The definition of SpanRow::within.
KindTimes timesWithin(const std::vector<Span>& spans, std::int64_t begin, std::int64_t end) {
  KindTimes times{};
  for (const Span& span : spans)
    times[static_cast<std::size_t>(span.kind)] +=
        std::max<std::int64_t>(0, std::min(end, span.endNs()) - std::max(begin, span.beginNs));
  return times;
}

/// Appended in pieces of growing size, as a live recording does.
SpanRow rowOf(const std::vector<Span>& spans) {
  SpanRow row;
  for (std::size_t at = 0, piece = 1; at < spans.size(); at += piece, piece = piece * 3 / 2 + 1)
    row.append(std::vector(spans.begin() + static_cast<std::ptrdiff_t>(at),
                           spans.begin() + static_cast<std::ptrdiff_t>(std::min(at + piece, spans.size()))));
  return row;
}

}  // namespace

TEST_CASE("a side column gives back every value", "[views][timeline]") {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> values;
  for (int i = 0; i < 9000; ++i) {
    const std::uint64_t r = random();
    // a constant group, narrow ones, wide ones, few wide values, the extremes
    const std::int64_t group[] = {-1,
                                  static_cast<std::int64_t>(r % 200) - 100,
                                  static_cast<std::int64_t>(r % 60'000),
                                  static_cast<std::int64_t>(r % 4'000'000'000),
                                  static_cast<std::int64_t>(r),
                                  static_cast<std::int64_t>(r % 9) * 1'000'000'007,
                                  i % 2 ? INT64_MAX : INT64_MIN};
    values.push_back(group[i / 1024 % 7]);
  }
  halo::SideColumn column;
  for (const std::int64_t value : values) column.append(value);
  column.releaseSpare();
  REQUIRE(column.size() == values.size());
  bool same = true;
  for (std::size_t i = 0; i < values.size(); ++i) same = same && column.at(i) == values[i];
  CHECK(same);
  CHECK(column.bytes() < values.size() * 5);
}

TEST_CASE("a side column takes further values after it was packed or cut", "[views][timeline]") {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> expected, drawn(700);
  std::vector<std::uint32_t> indices;
  halo::SideColumn column;
  for (int step = 0; step < 300; ++step) {
    const std::size_t range = std::size_t{1} << (random() % 60);
    for (std::int64_t& value : drawn) value = static_cast<std::int64_t>(random() % range) * (step % 3 - 1);
    indices.clear();
    for (std::size_t i = random() % drawn.size(); i < drawn.size(); i += 1 + random() % 5)
      indices.push_back(static_cast<std::uint32_t>(i));
    if (step % 2 == 0) {
      column.append(drawn);
      expected.insert(expected.end(), drawn.begin(), drawn.end());
    } else {
      column.append(drawn, indices);
      for (const std::uint32_t i : indices) expected.push_back(drawn[i]);
    }
    if (random() % 2 == 0) column.releaseSpare();
    if (random() % 4 == 0) {
      expected.resize(expected.size() - random() % std::min<std::size_t>(expected.size(), 1500));
      column.truncate(expected.size());
    }
    REQUIRE(column.size() == expected.size());
    const std::size_t from = expected.size() - std::min<std::size_t>(expected.size(), 1500);
    std::size_t wrong = 0;
    for (std::size_t i = from; i < expected.size(); ++i) wrong += column.at(i) == expected[i] ? 0U : 1U;
    CHECK(wrong == 0);
  }
}

TEST_CASE("the last values of a side column are packed when it grows no more", "[views][timeline]") {
  halo::SideColumn column;
  for (std::int64_t value = 0; value < 200; ++value) column.append(1'000'000 + value);
  CHECK(column.bytes() >= 200 * sizeof(std::int64_t));
  column.releaseSpare();
  CHECK(column.bytes() < 240);
}

TEST_CASE("a row of spans gives back every span it was given", "[views][timeline]") {
  const std::size_t count = GENERATE(0U, 1U, 31U, 33U, 1024U, 65'536U, 140'001U);
  const auto lane = GENERATE(halo::Lane::main, halo::Lane::link);
  CAPTURE(count);
  const std::vector<Span> spans = halo::randomSpans(count, 2, lane);
  SpanRow row = rowOf(spans);
  row.releaseSpare();
  REQUIRE(row.size() == count);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += row.at(i) == spans[i] ? 0U : 1U;
  CHECK(wrong == 0);
}

TEST_CASE("a row keeps spans far apart, and names that one byte does not hold", "[views][timeline]") {
  std::vector<Span> spans = halo::randomSpans(3000, 4);
  const std::size_t pause = GENERATE(0U, 5U, 64U, 1000U);
  for (std::size_t i = pause; i < spans.size(); ++i) spans[i].beginNs += 40'000'000'000;
  for (std::size_t i = 0; i < spans.size(); i += 100)
    spans[i].name = static_cast<halo::Name>(254 + i / 100);  // of a program yet to come
  SpanRow row = rowOf(spans);
  row.releaseSpare();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < spans.size(); ++i)
    wrong += row.at(i) == spans[i] && row.firstFrom(spans[i].beginNs + 1) > i ? 0U : 1U;
  CHECK(wrong == 0);
  for (const std::size_t i : {pause, pause + 1, std::size_t{2000}}) {
    const std::int64_t begin = spans[i].beginNs - 20'000'000'000, end = spans[i].beginNs + 777'777;
    CHECK(row.within(begin, end) == timesWithin(spans, begin, end));
  }
  row.truncate(1500);
  row.append(std::vector(spans.begin() + 1500, spans.end()));
  for (std::size_t i = 0; i < spans.size(); ++i) wrong += row.at(i) == spans[i] ? 0U : 1U;
  CHECK(wrong == 0);
}

TEST_CASE("a row that is cut takes further spans as if the others had never been", "[views][timeline]") {
  const std::size_t size = GENERATE(0U, 1U, 1000U, 1024U, 3000U, 65'536U, 70'000U);
  const auto lane = GENERATE(halo::Lane::main, halo::Lane::link);
  const std::vector<Span> spans = halo::randomSpans(140'000, 2, lane);
  SpanRow row = rowOf(spans);
  row.truncate(size);
  REQUIRE(row.size() == size);
  CHECK(row.endNs() == (size == 0 ? INT64_MIN : spans[size - 1].endNs()));
  row.append(std::vector(spans.begin() + static_cast<std::ptrdiff_t>(size), spans.end()));
  REQUIRE(row.size() == spans.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) wrong += row.at(i) == spans[i] ? 0U : 1U;
  CHECK(wrong == 0);
  CHECK(row.before(INT64_MAX) == rowOf(spans).before(INT64_MAX));
}

TEST_CASE("a row finds and sums what a scan finds and sums", "[views][timeline]") {
  const std::size_t count = GENERATE(0U, 1U, 500U, 70'000U);
  const std::vector<Span> spans = halo::randomSpans(count, 3);
  const SpanRow row = rowOf(spans);
  std::mt19937_64 random(4);
  const std::int64_t from = spans.empty() ? 0 : spans.front().beginNs - 1000;
  const std::int64_t length = spans.empty() ? 1 : spans.back().endNs() - from + 2000;
  for (int i = 0; i < 60; ++i) {
    std::int64_t begin = from + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(length));
    std::int64_t end = begin + static_cast<std::int64_t>(random() % (std::uint64_t{1} << (random() % 40)));
    if (i % 3 == 0 && count > 0) begin = spans[random() % count].beginNs;  // right on an edge
    end = std::max(begin, end);
    CAPTURE(count, begin, end);
    CHECK(row.within(begin, end) == timesWithin(spans, begin, end));
    const auto starts = std::count_if(spans.begin(), spans.end(), [&](auto& s) { return s.beginNs < begin; });
    CHECK(row.firstFrom(begin) == static_cast<std::size_t>(starts));
    const auto touching = std::count_if(spans.begin(), spans.end(), [&](const Span& s) {
      return s.beginNs < end && (s.endNs() > begin || (s.durationNs == 0 && s.beginNs == begin));
    });
    const auto [first, last] = row.touching(begin, end);
    CHECK(static_cast<std::int64_t>(last - first) == (end > begin ? touching : 0));
  }
}

TEST_CASE("spans taken by columns are those taken one by one", "[views][timeline]") {
  const auto lane = GENERATE(Lane::main, Lane::link);
  const std::vector<Span> spans = halo::randomSpans(90'000, 7, lane);
  halo::TimelineLane byColumns(0, lane);
  halo::SpanColumns columns;
  for (std::size_t at = 0; at < spans.size(); at += 40'000) {
    const std::string block =
        halo::packSpans(std::span(spans).subspan(at, std::min<std::size_t>(40'000, spans.size() - at)));
    columns.read(halo::SpanBlock(block));
    byColumns.take(columns);
  }
  REQUIRE(byColumns.rows().size() == (lane == Lane::main ? 1 : 8));  // one a peer
  CHECK(byColumns.size() == spans.size());
  for (const halo::TimelineLane::Row& each : byColumns.rows()) {
    const SpanRow& row = each.row->spans;
    std::vector<Span> expected = spans;
    if (lane == Lane::link)
      std::erase_if(expected, [&](const Span& span) { return span.peer != halo::peerOf(each.sub); });
    REQUIRE(row.size() == expected.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) wrong += row.at(i) == expected[i] ? 0U : 1U;
    CHECK(wrong == 0);
    CHECK(row.within(INT64_MIN / 2, INT64_MAX / 2) == rowOf(expected).within(INT64_MIN / 2, INT64_MAX / 2));
  }
}

TEST_CASE("overlapping spans go to rows without overlap, none is dropped and no row too many",
          "[views][timeline]") {
  const std::vector<Span> spans = halo::overlappingSpans(5000, 5);
  std::vector<std::int64_t> ends;
  const auto rows = halo::partitionIntoRows(spans, ends);
  REQUIRE(rows.size() == ends.size());
  std::vector<int> times(spans.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::int64_t last = INT64_MIN;
    for (const std::uint32_t i : rows[r]) {
      CHECK(last <= spans[i].beginNs);
      last = spans[i].endNs();
      ++times[i];
    }
    CHECK(last == ends[r]);
  }
  CHECK(times == std::vector<int>(spans.size(), 1));
  // as many rows as spans are under way at once at the busiest moment
  std::size_t busiest = 0;
  for (const Span& at : spans) {
    const auto underWay = std::count_if(spans.begin(), spans.end(), [&](const Span& s) {
      return s.beginNs <= at.beginNs && s.endNs() > at.beginNs;
    });
    busiest = std::max(busiest, static_cast<std::size_t>(underWay));
  }
  CHECK(ends.size() == busiest);
}

TEST_CASE("a lane of overlapping blocks gives back every span", "[views][timeline]") {
  const std::vector<Span> spans = halo::overlappingSpans(3000, 8);
  halo::TimelineLane lane(0, Lane::link);
  lane.append(std::vector(spans.begin(), spans.begin() + 1700));
  lane.append(std::vector(spans.begin() + 1700, spans.end()));
  CHECK(lane.size() == spans.size());
  std::vector<Span> expected = spans, back;
  for (const halo::TimelineLane::Row& each : lane.rows())
    for (std::size_t i = 0; i < each.row->spans.size(); ++i) back.push_back(each.row->spans.at(i));
  const auto less = [](const Span& a, const Span& b) {
    return std::tie(a.beginNs, a.durationNs, a.bytes, a.peer) <
           std::tie(b.beginNs, b.durationNs, b.bytes, b.peer);
  };
  std::sort(expected.begin(), expected.end(), less);
  std::sort(back.begin(), back.end(), less);
  CHECK(expected == back);
}

TEST_CASE("a link has for each peer the rows of its spans alone", "[views][timeline]") {
  const std::vector<Span> spans = halo::overlappingSpans(3000, 8);
  halo::TimelineLane lane(0, Lane::link);
  std::map<std::int32_t, std::vector<std::int64_t>> ends;
  std::map<std::int32_t, std::vector<Span>> expected;  // by row
  for (std::size_t at = 0; at < spans.size(); at += 1000) {
    const std::vector<Span> piece(spans.begin() + static_cast<std::ptrdiff_t>(at),
                                  spans.begin() + static_cast<std::ptrdiff_t>(at + 1000));
    lane.append(piece);
    for (std::int32_t peer = 0; peer < 4; ++peer) {
      std::vector<Span> own = piece;
      std::erase_if(own, [&](const Span& span) { return span.peer != peer; });
      const auto rows = halo::partitionIntoRows(own, ends[peer]);
      for (std::size_t row = 0; row < rows.size(); ++row)
        for (const std::uint32_t i : rows[row])
          expected[halo::linkSub(peer, static_cast<std::int32_t>(row))].push_back(own[i]);
    }
  }
  REQUIRE(lane.rows().size() == expected.size());
  for (const halo::TimelineLane::Row& each : lane.rows()) {
    const std::vector<Span>& row = expected.at(each.sub);
    REQUIRE(each.row->spans.size() == row.size());
    for (std::size_t i = 0; i < row.size(); ++i) CHECK(each.row->spans.at(i) == row[i]);
  }
}

TEST_CASE("rows of peers have pyramids once they are shown", "[views][timeline]") {
  const std::vector<Span> spans = halo::overlappingSpans(3000, 8);
  const auto pieces = [&](halo::TimelineLane& lane, std::size_t from, std::size_t to) {
    lane.append(std::vector(spans.begin() + static_cast<std::ptrdiff_t>(from),
                            spans.begin() + static_cast<std::ptrdiff_t>(to)));
  };
  halo::TimelineLane lane(0, Lane::link);
  pieces(lane, 0, 2000);
  for (const halo::TimelineLane::Row& each : lane.rows()) CHECK(each.row->pyramid.empty());
  CHECK_FALSE(lane.inFlight()->pyramid.empty());
  pieces(lane, 2000, 2500);
  lane.showPeers();
  for (const halo::TimelineLane::Row& each : lane.rows()) {
    halo::TimelineRow expected;
    for (std::size_t i = 0; i < each.row->spans.size(); ++i)
      expected.spans.append(std::vector{each.row->spans.at(i)});
    expected.build(0);
    REQUIRE(each.row->pyramid.finest() == expected.pyramid.finest());
    CHECK(each.row->pyramid.levels().front().buckets == expected.pyramid.levels().front().buckets);
  }
  pieces(lane, 2500, 3000);
  for (const halo::TimelineLane::Row& each : lane.rows()) {
    const halo::Pyramid::Level& level = each.row->pyramid.levels().front();
    CHECK(level.end() << level.shift >= each.row->spans.endNs());
  }
}

TEST_CASE("a span that comes late opens a row instead of being lost", "[views][timeline]") {
  std::vector<std::int64_t> ends;
  halo::partitionIntoRows(halo::randomSpans(10, 6), ends);
  REQUIRE(ends.size() == 1);
  std::vector<Span> late(1);
  late[0].beginNs = 5;
  late[0].durationNs = 10;
  const auto rows = halo::partitionIntoRows(late, ends);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].empty());
  CHECK(rows[1] == std::vector<std::uint32_t>{0});
}
