// From a wait to what made it late, in made spans of three ranks and in the sample.
#include "views/spans/wait_chain.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "engine/record/tables/runs.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

using What = ChainLink::What;

Span spanOf(std::int64_t begin, std::int64_t end, Name name, Kind kind, Lane lane = Lane::main) {
  Span span;
  span.beginNs = begin, span.durationNs = end - begin, span.name = name, span.kind = kind, span.lane = lane;
  span.layer = 1, span.pass = Pass::forward, span.epoch = 0;
  return span;
}

Span waitOf(std::int64_t begin, std::int64_t end, std::int32_t peer, std::int64_t count) {
  Span span = spanOf(begin, end, Name::wait, Kind::communication);
  span.peer = peer, span.message = count << 16;
  return span;
}

Span sendOf(std::int64_t when, std::int32_t peer, std::int64_t count) {
  Span span = spanOf(when, when, Name::send, Kind::communication, Lane::message);
  span.peer = peer, span.message = count << 16 | 1;
  return span;
}

Span workOf(std::int64_t begin, std::int64_t end, Name name = Name::aggregate) {
  return spanOf(begin, end, name, Kind::compute);
}

Span reasonOf(std::int64_t begin, std::int64_t end, Name name) {
  return spanOf(begin, end, name, Kind::idle, Lane::wait);
}

/// Rank 2 waits from 100 to 400 for rank 0, which sent at 380. Rank 0 waited from 50 to 250 for rank 1, which
/// sent at 230 after it had computed since 0.
ChainSpans threeRanks() {
  ChainSpans spans;
  spans.add(2, workOf(0, 100));
  spans.add(2, waitOf(100, 400, 0, 7));
  spans.add(2, reasonOf(100, 240, Name::waitsLateSender));
  spans.add(2, reasonOf(240, 400, Name::waitsWire));
  spans.add(0, workOf(0, 50));
  spans.add(0, waitOf(50, 250, 1, 3));
  spans.add(0, workOf(250, 260, Name::update));
  spans.add(0, workOf(260, 380));
  spans.add(0, sendOf(380, 2, 7));
  spans.add(1, workOf(0, 230, Name::update));
  spans.add(1, sendOf(230, 0, 3));
  spans.sort();
  return spans;
}

std::vector<What> kindsOf(const WaitChain& chain) {
  std::vector<What> kinds;
  for (const ChainLink& link : chain.links) kinds.push_back(link.what);
  return kinds;
}

}  // namespace

TEST_CASE("a chain goes from a wait over what its peers did and waited for to work", "[views]") {
  const ChainSpans spans = threeRanks();
  const WaitChain chain = spans.chainOf(2, waitOf(100, 400, 0, 7));
  REQUIRE(kindsOf(chain) ==
          std::vector{What::wait, What::way, What::work, What::wait, What::way, What::work});
  CHECK(chain.links[0].name == Name::waitsWire);  // most of it
  CHECK(chain.links[1] == ChainLink{What::way, 0, 2, 380, 400, 1, Pass::forward, Name::send});
  CHECK(chain.links[2] == ChainLink{What::work, 0, -1, 250, 380, 1, Pass::forward, Name::aggregate});
  CHECK(chain.links[3].rank == 0);
  CHECK(chain.links[3].endNs == 250);
  CHECK(chain.links[4] == ChainLink{What::way, 1, 0, 230, 250, 1, Pass::forward, Name::send});
  CHECK(chain.links[5] == ChainLink{What::work, 1, -1, 50, 230, 1, Pass::forward, Name::update});
  // a piece of the wait in lane wait is of it too
  CHECK(spans.chainOf(2, reasonOf(250, 400, Name::waitsWire)) == chain);
  const auto lines = chainText(chain);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].second == "waited 300\u00A0ns for rank 0's message of layer 1: wire");
  CHECK(lines[2].first == "rank 0");
  CHECK(lines[2].second == "was aggregating layer 1 for 130\u00A0ns before it sent that");
  CHECK(lines[3].second.startsWith("before that waited 200\u00A0ns for rank 1's message"));
  CHECK(arrowsOf(chain).size() == 2);
}

TEST_CASE("a chain ends with a message that was sent before anybody waited for it", "[views]") {
  ChainSpans spans;
  spans.add(0, workOf(0, 200));
  spans.add(0, sendOf(90, 1, 1));
  spans.add(1, workOf(0, 100));
  spans.add(1, waitOf(100, 150, 0, 1));
  spans.add(1, workOf(150, 160));
  spans.sort();
  CHECK(kindsOf(spans.chainOf(1, waitOf(100, 150, 0, 1))) == std::vector{What::wait, What::way});
  CHECK(spans.chainOf(1, workOf(150, 160)).links.empty());
  CHECK(spans.chainOf(5, workOf(150, 160)).links.empty());
}

TEST_CASE("a chain goes on from who came last to what all meet in", "[views]") {
  ChainSpans spans;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    spans.add(rank, workOf(0, 100 + 50 * rank));
    spans.add(rank, spanOf(100 + 50 * rank, 220, Name::allReduce, Kind::synchronise));
  }
  spans.sort();
  const WaitChain chain = spans.chainOf(0, spanOf(100, 220, Name::allReduce, Kind::synchronise));
  REQUIRE(kindsOf(chain) == std::vector{What::wait, What::meeting, What::work});
  CHECK(chain.links[1].rank == 2);
  CHECK(chain.links[1].beginNs == 200);
  CHECK(chain.links[2] == ChainLink{What::work, 2, -1, 100, 200, 1, Pass::forward, Name::aggregate});
  const WaitChain own = spans.chainOf(2, spanOf(200, 220, Name::allReduce, Kind::synchronise));
  CHECK(kindsOf(own) == std::vector{What::wait, What::meeting});  // it was last itself
  CHECK(arrowsOf(own).empty());
}

TEST_CASE("chains of the sample's waits go back in time, and end in what is no wait", "[views]") {
  const Scratch scratch;
  const auto file = scratch.path() / "sample.db";
  std::filesystem::copy_file(std::filesystem::path(kSourceDir) / "resources/samples/sample.db", file);
  Database database(file, Access::readOnly);
  const Spans store(database);
  const Epochs epochs(database);
  std::size_t links = 0, longest = 0;
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    std::size_t waits = 0;
    for (const Span& span : store.all(1, rank)) {
      if (span.lane != Lane::main || !isOfWait(span) || span.durationNs < 100'000 || ++waits > 8) continue;
      const WaitChain chain = readChain(store, epochs, 1, rank, span);
      if (chain.links.empty()) continue;
      CHECK(chain.links.front().rank == rank);
      CHECK(chain.links.front().beginNs == span.beginNs);
      CHECK((chain.cut || chain.links.back().what != What::wait));
      for (std::size_t i = 1; i < chain.links.size(); ++i)
        CHECK(chain.links[i].beginNs <= chain.links[i - 1].endNs);
      CHECK(chainText(chain).size() == chain.links.size() + (chain.cut ? 1 : 0));
      links += chain.links.size();
      longest = std::max(longest, chain.links.size());
    }
  }
  CHECK(links > 20);
  CHECK(longest >= 3);
}
