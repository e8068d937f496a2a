#include "views/spans/pyramid.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/views/timeline_fixture.h"

using halo::KindTimes;
using halo::Pyramid;
using halo::Shares;
using halo::Span;
using halo::SpanRow;

namespace {

/// Every level holds the true shares: half a unit for rounding and half a unit a level for rounding up, and a
/// unit for what would be invisible.
std::size_t wrongBuckets(const Pyramid& pyramid, const SpanRow& row) {
  std::size_t wrong = 0;
  for (const Pyramid::Level& level : pyramid.levels()) {
    const double tolerance = 2.0 + 0.5 * (level.shift - pyramid.finest());
    for (std::int64_t b = level.first; b < level.end(); ++b) {
      const KindTimes exact = row.within(b << level.shift, (b + 1) << level.shift);
      const Shares& shares = level.buckets[static_cast<std::size_t>(b - level.first)];
      for (std::size_t k = 0; k < shares.size(); ++k) {
        const double expected = std::ldexp(static_cast<double>(exact[k]) * 65535, -level.shift);
        wrong += std::abs(shares[k] - expected) > tolerance ? 1U : 0U;
        wrong += exact[k] > 0 && shares[k] == 0 ? 1U : 0U;  // lost
      }
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("every bucket of every level holds the true shares", "[views][timeline]") {
  const std::size_t count = GENERATE(1U, 2U, 50U, 3000U, 40'000U);
  const std::uint64_t seed = GENERATE(1U, 2U);
  CAPTURE(count, seed);
  SpanRow row;
  row.append(halo::randomSpans(count, seed));
  Pyramid pyramid;
  pyramid.append(row, 0);
  CHECK(wrongBuckets(pyramid, row) == 0);
  CHECK(pyramid.levels().back().buckets.size() <= 2);
  // nothing of the row lies outside
  CHECK(pyramid.levels().front().first << pyramid.finest() <= row.beginNs());
  CHECK(pyramid.levels().front().end() << pyramid.finest() >= row.endNs());
}

TEST_CASE("a pyramid that grew piece by piece has the shares of one built at once", "[views][timeline]") {
  const std::vector<Span> spans = halo::randomSpans(20'000, 3);
  SpanRow row;
  Pyramid pyramid;
  std::mt19937_64 random(4);
  for (std::size_t at = 0; at < spans.size();) {
    const std::size_t piece = std::min<std::size_t>(1 + random() % 400, spans.size() - at);
    const std::size_t from = row.size();
    row.append(std::vector(spans.begin() + static_cast<std::ptrdiff_t>(at),
                           spans.begin() + static_cast<std::ptrdiff_t>(at + piece)));
    const std::int64_t changed = pyramid.append(row, from);
    CHECK(changed <= spans[at].beginNs);
    at += piece;
  }
  CHECK(wrongBuckets(pyramid, row) == 0);
  const double perBucket =
      static_cast<double>(row.size()) / static_cast<double>(pyramid.levels().front().buckets.size());
  CHECK(perBucket >= 2);
  CHECK(perBucket <= 24);
}

TEST_CASE("a burst in a long silence stays visible at the top of the pyramid", "[views][timeline]") {
  SpanRow row;
  std::vector<Span> spans(2);
  spans[0].beginNs = 0;
  spans[0].durationNs = 1;
  spans[0].kind = halo::Kind::communication;
  spans[1].beginNs = 3'600'000'000'000;
  spans[1].durationNs = 0;
  row.append(spans);
  Pyramid pyramid;
  pyramid.append(row, 0);
  std::uint32_t communication = 0;
  std::uint32_t compute = 0;
  for (const Shares& shares : pyramid.levels().back().buckets) {
    communication += shares[1];
    compute += shares[0];
  }
  CHECK(communication > 0);
  CHECK(compute > 0);
}

TEST_CASE("a pyramid of two to four bytes a span is fine enough", "[views][timeline]") {
  std::vector<Span> spans(200'000);
  std::mt19937_64 random(5);
  std::int64_t at = 0;
  for (Span& span : spans) {
    span.beginNs = at += static_cast<std::int64_t>(random() % 1000);
    span.durationNs = static_cast<std::int64_t>(random() % 2000);
    at = span.endNs();
  }
  SpanRow row;
  row.append(spans);
  row.releaseSpare();
  Pyramid pyramid;
  pyramid.append(row, 0);
  pyramid.releaseSpare();
  CHECK(pyramid.bytes() <= 4 * spans.size() + 4096);
  CHECK(row.bytes() <= 19 * spans.size());
}
