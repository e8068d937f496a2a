#include "engine/run/protocol/last_spans.h"

#include <catch2/catch.hpp>

#include "engine/run/protocol/beat.h"

using namespace halo;

namespace {

SpanBatch batchOf(std::int64_t rank, int spans) {
  SpanBatch batch{rank, {}, kNoActor};
  for (int i = 0; i < spans; ++i)
    batch.spans.push_back(
        {100 + i, i, 7 * i, 3, i % 2, 1, Name::receive, Kind::communication, Lane::link, Pass::backward, i});
  return batch;
}

/// Without its line feed, as BeatReader leaves it.
std::string lineOf(const std::string& line) { return line.substr(0, line.size() - 1); }

}  // namespace

TEST_CASE("last spans arrive as they were sent, in lines that a pipe takes whole", "[run]") {
  const SpanBatch sent = batchOf(2, 100);
  LastSpansReader reader;
  std::vector<Span> arrived;
  for (const std::string& line : encodeLastSpans(sent)) {
    CHECK(line.size() == kLastSpansLine);
    CHECK(line.find('\n') == kLastSpansLine - 1);
    CHECK(reader.take(lineOf(line)));
  }
  for (const SpanBatch& batch : reader.batches()) {
    CHECK(batch.rank == 2);
    CHECK(batch.actor == kNoActor);
    arrived.insert(arrived.end(), batch.spans.begin(), batch.spans.end());
  }
  CHECK(arrived == sent.spans);
  CHECK(encodeLastSpans(batchOf(2, 0)).empty());
}

TEST_CASE("after its padding what the launcher has not read ends a whole line, without spans", "[run]") {
  for (std::size_t unread = 0; unread < 2 * kLastSpansLine; ++unread) {
    const std::string padding = paddingAfter(unread);
    REQUIRE((unread + padding.size()) % kLastSpansLine == 0);
    if (padding.empty()) continue;
    REQUIRE(padding.find('\n') == padding.size() - 1);
    LastSpansReader reader;
    REQUIRE(reader.take(lineOf(padding)));
    REQUIRE(reader.batches().empty());
  }
}

TEST_CASE("last spans that a beat cuts in two arrive all the same", "[run]") {
  const std::string line = encodeLastSpans(batchOf(1, 3)).at(0);
  BeatReader beats;
  beats.feed(line.substr(0, 50) + encodeBeat({0, false, "1", "host", "works"}) + line.substr(50));
  LastSpansReader reader;
  for (const std::string& rest : beats.takeLines()) CHECK(reader.take(rest));
  REQUIRE(reader.batches().size() == 1);
  CHECK(reader.batches()[0].spans == batchOf(1, 3).spans);
}

TEST_CASE("last spans with any byte wrong, or cut anywhere, are left out", "[run]") {
  const std::string line = lineOf(encodeLastSpans(batchOf(1, 2)).at(0));
  const std::size_t begin = line.find(' ') + 1;
  LastSpansReader reader;
  for (std::size_t i = begin; i < line.find_last_not_of(' '); ++i) {
    std::string wrong = line;
    wrong[i] = wrong[i] == '0' ? '1' : '0';
    CHECK(reader.take(wrong));
    CHECK(reader.take(line.substr(0, i)));
  }
  CHECK(reader.batches().empty());
}

TEST_CASE("spans of another form are left out", "[run]") {
  SpanBatch batch = batchOf(0, 1);
  const auto [kind, lane] = GENERATE(std::pair(kKinds, 0), std::pair(0, kLanes));
  batch.spans[0].kind = static_cast<Kind>(kind);
  batch.spans[0].lane = static_cast<Lane>(lane);
  LastSpansReader reader;
  CHECK(reader.take(lineOf(encodeLastSpans(batch).at(0))));
  CHECK(reader.batches().empty());
}

TEST_CASE("a line of somebody else's is no last spans", "[run]") {
  LastSpansReader reader;
  CHECK_FALSE(reader.take("haloscope-spans of a text"));
  CHECK_FALSE(reader.take(""));
}
