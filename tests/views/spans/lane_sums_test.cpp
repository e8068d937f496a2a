#include "views/spans/lane_sums.h"

#include <catch2/catch.hpp>

#include "tests/views/timeline_fixture.h"
#include "views/spans/timeline_lane.h"

using halo::KindTimes;
using halo::Lane;
using halo::Span;
using halo::SpanRow;

namespace {

/// The definition of LaneSums::sumOf.
SpanRow::Sum scan(const std::vector<Span>& spans, std::int64_t begin, std::int64_t end) {
  SpanRow::Sum sum;
  for (const Span& span : spans) {
    const std::int64_t inside = std::min(end, span.endNs()) - std::max(begin, span.beginNs);
    const bool instant = span.durationNs == 0 && span.beginNs >= begin && span.beginNs < end;
    sum.spans += inside > 0 || instant ? 1 : 0;
    sum.ns[static_cast<std::size_t>(span.kind)] += std::max<std::int64_t>(0, inside);
  }
  return sum;
}

/// Transfers of several kinds, some of which last long or no time at all.
std::vector<Span> mixedSpans(std::size_t count, std::uint64_t seed, std::int32_t peers) {
  std::vector<Span> spans = halo::overlappingSpans(count, seed);
  std::mt19937_64 random(seed);
  for (Span& span : spans) {
    span.peer = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(peers));
    span.kind = random() % 5 == 0 ? halo::Kind::quantise : halo::Kind::communication;
    if (random() % 40 == 0) span.durationNs *= 300;
    if (random() % 30 == 0) span.durationNs = 0;
  }
  return spans;
}

struct Ranges {
  std::mt19937_64 random{9};
  const std::vector<Span>& spans;
  /// Often right on the edge of a span.
  std::int64_t moment() {
    const Span& span = spans[random() % spans.size()];
    const std::int64_t by = static_cast<std::int64_t>(random() % 4000) - 2000;
    return random() % 3 == 0 ? span.beginNs : random() % 2 == 0 ? span.endNs() : span.beginNs + by;
  }
};

}  // namespace

TEST_CASE("times are counted and added up as in a scan, in whatever order they came", "[views][timeline]") {
  std::mt19937_64 random(4);
  halo::SortedTimes times;
  std::vector<std::int64_t> expected;
  for (int piece = 0; piece < 60; ++piece) {
    std::vector<std::int64_t> fresh(random() % 200);
    for (std::int64_t& time : fresh)
      time = piece * 50 + static_cast<std::int64_t>(random() % (piece % 7 == 0 ? 3000 : 90)) - 100;
    expected.insert(expected.end(), fresh.begin(), fresh.end());
    times.append(fresh);
    if (piece % 9 == 0) times.releaseSpare();
    REQUIRE(times.size() == expected.size());
    const std::int64_t ns = static_cast<std::int64_t>(random() % 4000) - 200;
    halo::SortedTimes::Before before;
    for (const std::int64_t time : expected)
      if (time < ns) ++before.count, before.sum += static_cast<std::uint64_t>(time);
    CAPTURE(piece, ns);
    CHECK(times.before(ns).count == before.count);
    CHECK(times.before(ns).sum == before.sum);
  }
}

TEST_CASE("sums of a lane's spans are those of a scan", "[views][timeline]") {
  const std::vector<Span> spans = mixedSpans(4000, 7, 20);
  halo::LaneSums sums;
  for (std::size_t at = 0; at < spans.size(); at += 700)
    sums.append(std::span(spans).subspan(at, std::min<std::size_t>(700, spans.size() - at)));
  Ranges ranges{.spans = spans};
  for (int i = 0; i < 300; ++i) {
    const std::int64_t begin = ranges.moment(), end = ranges.moment();
    const SpanRow::Sum actual = sums.sumOf(begin, end), expected = scan(spans, begin, std::max(begin, end));
    CAPTURE(begin, end);
    CHECK(actual.ns == (end > begin ? expected.ns : KindTimes{}));
    CHECK(actual.spans == (end > begin ? expected.spans : 0));
  }
}

TEST_CASE("sums hold when times are near the end of the clock", "[views][timeline]") {
  std::vector<Span> spans(3000);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    spans[i].beginNs = INT64_MAX / 2 + static_cast<std::int64_t>(i) * 10;
    spans[i].durationNs = 25;
  }
  halo::LaneSums sums;
  sums.append(spans);
  const std::int64_t begin = INT64_MAX / 2 + 7, end = INT64_MAX / 2 + 20'011;
  CHECK(sums.sumOf(begin, end).ns == scan(spans, begin, end).ns);
  CHECK(sums.sumOf(begin, end).spans == scan(spans, begin, end).spans);
}

TEST_CASE("a link's sums are those of its rows, however many and however they came", "[views][timeline]") {
  const std::int32_t peers = GENERATE(1, 3, 40);
  const auto shuffled = GENERATE(false, true);
  std::vector<Span> spans = mixedSpans(3000, 11, peers);
  if (shuffled) std::ranges::stable_sort(spans, {}, &Span::endNs);  // as they arrive
  halo::TimelineLane lane(0, Lane::link);
  std::vector<Span> appended;
  Ranges ranges{.spans = spans};
  for (std::size_t at = 0; at < spans.size(); at += 900) {
    const std::vector<Span> piece(
        spans.begin() + static_cast<std::ptrdiff_t>(at),
        spans.begin() + static_cast<std::ptrdiff_t>(std::min(at + 900, spans.size())));
    lane.append(piece);
    appended.insert(appended.end(), piece.begin(), piece.end());
    if (at == 900) lane.releaseSpare();
    for (int i = 0; i < 40; ++i) {
      const std::int64_t begin = ranges.moment(), end = begin + std::abs(ranges.moment() - begin);
      CAPTURE(peers, begin, end);
      CHECK(lane.sumOf(begin, end).ns == scan(appended, begin, end).ns);
      CHECK(lane.sumOf(begin, end).spans == (end > begin ? scan(appended, begin, end).spans : 0));
    }
  }
}
