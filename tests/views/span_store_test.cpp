#include "views/span_store.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline_fixture.h"
#include "views/timeline_model.h"

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
    row.append(std::span(spans).subspan(at, std::min(piece, spans.size() - at)));
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

TEST_CASE("a row of spans gives back every span it was given", "[views][timeline]") {
  const std::size_t count = GENERATE(0, 1, 31, 33, 1024, 65'536, 140'001);
  const auto lane = GENERATE(halo::Lane::main, halo::Lane::link);
  CAPTURE(count);
  const std::vector<Span> spans = halo::randomSpans(count, 2, lane);
  SpanRow row = rowOf(spans);
  row.releaseSpare();
  REQUIRE(row.size() == count);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) wrong += row.at(i) == spans[i] ? 0 : 1;
  CHECK(wrong == 0);
}

TEST_CASE("a row finds and sums what a scan finds and sums", "[views][timeline]") {
  const std::size_t count = GENERATE(0, 1, 500, 70'000);
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
    REQUIRE(byColumns.take(columns));
  }
  REQUIRE(byColumns.rows().size() == 1);
  const SpanRow& row = byColumns.rows().front()->spans;
  REQUIRE(row.size() == spans.size());
  CHECK(byColumns.size() == spans.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) wrong += row.at(i) == spans[i] ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(row.within(INT64_MIN / 2, INT64_MAX / 2) == rowOf(spans).within(INT64_MIN / 2, INT64_MAX / 2));
}

TEST_CASE("columns that overlap, run backward or come late are left to the slow way", "[views][timeline]") {
  halo::TimelineLane lane(0, Lane::link);
  halo::SpanColumns columns;
  const auto taken = [&](std::vector<Span> spans) {
    const std::string block = halo::packSpans(spans);
    columns.read(halo::SpanBlock(block));
    return lane.take(columns);
  };
  CHECK_FALSE(taken(halo::overlappingSpans(50, 5)));
  std::vector<Span> backward = halo::randomSpans(3, 6, Lane::link);
  backward[1].durationNs = -1;
  CHECK_FALSE(taken(backward));
  CHECK(lane.size() == 0);
  CHECK(taken(halo::randomSpans(3, 6, Lane::link, 1000)));
  CHECK_FALSE(taken(halo::randomSpans(3, 6, Lane::link, 0)));
  CHECK(lane.size() == 3);
}

TEST_CASE("overlapping spans go to rows without overlap, none is dropped and no row too many",
          "[views][timeline]") {
  std::vector<Span> spans = halo::overlappingSpans(5000, 5);
  std::vector<std::int64_t> ends;
  const std::vector<Span> before = spans;
  const auto rows = halo::partitionIntoRows(spans, ends);
  REQUIRE(rows.size() == before.size());
  CHECK(std::is_permutation(spans.begin(), spans.begin() + 100, before.begin()));
  std::vector<std::int64_t> last(ends.size(), INT64_MIN);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    CHECK(last[rows[i]] <= spans[i].beginNs);
    last[rows[i]] = spans[i].endNs();
  }
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

TEST_CASE("a span that comes late opens a row instead of being lost", "[views][timeline]") {
  std::vector<std::int64_t> ends;
  std::vector<Span> first = halo::randomSpans(10, 6);
  halo::partitionIntoRows(first, ends);
  REQUIRE(ends.size() == 1);
  std::vector<Span> late(1);
  late[0].beginNs = 5;
  late[0].durationNs = 10;
  CHECK(halo::partitionIntoRows(late, ends) == std::vector<std::uint32_t>{1});
}
