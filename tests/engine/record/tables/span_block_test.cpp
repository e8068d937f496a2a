#include "engine/record/tables/span_block.h"

#include <libdeflate.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "engine/record/database/database.h"
#include "engine/record/tables/span_lanes.h"
#include "tests/engine/record/random_spans.h"

using namespace halo;

TEST_CASE("packed spans come back exactly", "[record]") {
  const auto count = GENERATE(0, 1, 2, 1000, 65536);
  const auto wild = GENERATE(false, true);
  const auto packing = GENERATE(Packing::plain, Packing::deflated);
  CAPTURE(count, wild);
  const auto spans = randomSpans(static_cast<std::size_t>(count), /*seed=*/11, Lane::link, wild);
  CHECK(unpackSpans(packSpans(spans, packing)) == spans);
}

TEST_CASE("durations above 32 bits and below zero come back from the side table", "[record]") {
  std::vector<Span> spans = randomSpans(5, 12, Lane::main, false);
  spans[1].durationNs = std::int64_t{1} << 32;
  spans[2].durationNs = (std::int64_t{1} << 32) - 1;
  spans[3].durationNs = std::numeric_limits<std::int64_t>::max();
  spans[4].durationNs = -7;
  const std::string block = packSpans(spans);
  CHECK(unpackSpans(block) == spans);
  CHECK(SpanBlock(block).longDurations().size() == 3);
}

TEST_CASE("durations that 32 bits do not hold come back where all are such, or there is one", "[record]") {
  const auto count = GENERATE(1, 2, 5);
  std::vector<Span> spans = randomSpans(static_cast<std::size_t>(count), 12, Lane::phase, false);
  for (Span& span : spans) span.durationNs = 7'000'000'000;
  const std::string block = packSpans(spans);
  CHECK(unpackSpans(block) == spans);
  CHECK_FALSE(SpanBlock(block).constant(SpanColumn::duration));
  SpanLanes lanes;
  appendSpans(block, count, lanes);
  CHECK(lanes[static_cast<std::size_t>(Lane::phase)] == spans);
}

TEST_CASE("a block read column by column agrees with its spans", "[record]") {
  const auto spans = randomSpans(777, 13, Lane::phase, false);
  const std::string block = packSpans(spans);
  const SpanBlock columns(block);
  REQUIRE(columns.count() == spans.size());
  CHECK(columns.lane() == Lane::phase);
  CHECK(columns.constant(SpanColumn::epoch));
  CHECK(columns.base(SpanColumn::epoch) == 3);
  std::vector<std::int64_t> begins(spans.size());
  std::vector<std::uint32_t> durations(spans.size());
  std::vector<std::uint8_t> kinds(spans.size());
  columns.read(SpanColumn::begin, begins.data());
  columns.read(SpanColumn::duration, durations.data());
  columns.read(SpanColumn::kind, kinds.data());
  for (std::size_t i = 0; i < spans.size(); ++i) {
    REQUIRE(begins[i] == spans[i].beginNs);
    REQUIRE(durations[i] == spans[i].durationNs);
    REQUIRE(kinds[i] == static_cast<std::uint8_t>(spans[i].kind));
  }
}

TEST_CASE("a block cut short anywhere is refused", "[record]") {
  const auto packing = GENERATE(Packing::plain, Packing::deflated);
  const std::string block = packSpans(randomSpans(40, 14, Lane::main, true), packing);
  for (std::size_t length = 0; length < block.size(); ++length) {
    CAPTURE(length);
    REQUIRE_THROWS_AS(unpackSpans(std::string_view(block).substr(0, length)), RecordDamaged);
  }
  REQUIRE_THROWS_AS(unpackSpans(block + "x"), RecordDamaged);
}

TEST_CASE("one flipped bit anywhere in a block is found", "[record]") {
  const auto packing = GENERATE(Packing::plain, Packing::deflated);
  std::string block = packSpans(randomSpans(20, 15, Lane::main, false), packing);
  for (std::size_t at = 0; at < block.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      CAPTURE(at, bit);
      block[at] = static_cast<char>(block[at] ^ (1 << bit));
      REQUIRE_THROWS_AS(unpackSpans(block), RecordDamaged);
      block[at] = static_cast<char>(block[at] ^ (1 << bit));
    }
  CHECK(unpackSpans(block).size() == 20);
}

TEST_CASE("a plain block of a run takes at most 16 bytes a span, a deflated one less", "[record]") {
  std::vector<Span> spans = randomSpans(kSpansPerBlock, 16, Lane::main, false);
  for (Span& span : spans) span.bytes = 0, span.peer = -1;  // the main lane moves nothing
  const auto perSpan = [&](Packing packing) {
    return static_cast<double>(packSpans(spans, packing).size()) / static_cast<double>(spans.size());
  };
  CHECK(perSpan(Packing::plain) <= 16.0);
  CHECK(perSpan(Packing::deflated) < perSpan(Packing::plain));
}

TEST_CASE("a block of layout version 1 is read: its spans belong to no message", "[record]") {
  auto spans = randomSpans(300, 17, Lane::link, false);
  const std::string block = packSpans(spans);
  // its header has one column less: a width of one byte and a base of eight are taken out
  constexpr std::size_t kVersionAt = 4, kCrcAt = 16, kWidthsAt = 24, kColumns = 9;
  std::string older = block.substr(0, kWidthsAt + kColumns);
  older += block.substr(kWidthsAt + kColumns + 1, 8 * kColumns) +
           block.substr(kWidthsAt + (kColumns + 1) * 9);  // where no span has a message its column is empty
  older[kVersionAt] = 1;
  const std::uint32_t crc = libdeflate_crc32(libdeflate_crc32(0, older.data(), kCrcAt),
                                             older.data() + kCrcAt + 4, older.size() - kCrcAt - 4);
  std::memcpy(older.data() + kCrcAt, &crc, sizeof crc);
  CHECK(unpackSpans(older) == spans);
  CHECK(SpanBlock(older).constant(SpanColumn::message));
}
