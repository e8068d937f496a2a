#include "engine/run/launch/hearing.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Ticks every 100 ms from `from` to `to` s.
void pass(Hearing& hearing, std::int64_t from, std::int64_t to) {
  for (std::int64_t now = from * kSecond; now <= to * kSecond; now += kSecond / 10) hearing.tick(now);
}

Beat beat(std::int64_t rank, const std::string& host, const std::string& words, bool last = false) {
  return {rank, last, "1", host, words};
}

}  // namespace

TEST_CASE("a rank not heard of for too long is named with its host and who was heard", "[run]") {
  Hearing hearing(4, 0);
  for (int rank = 0; rank < 4; ++rank) hearing.take(beat(rank, rank < 2 ? "nodea" : "nodeb", "works"), 0);
  pass(hearing, 0, 10);
  for (int rank = 0; rank < 2; ++rank) hearing.take(beat(rank, "nodea", "waits 9 s"), 10 * kSecond);
  CHECK_FALSE(hearing.lost(10, 10 * kSecond));
  CHECK_FALSE(hearing.lost(0, 11 * kSecond));
  const auto lost = hearing.lost(10, 11 * kSecond);
  REQUIRE(lost);
  CHECK_THAT(*lost, Catch::StartsWith("nothing was heard for 11 s of ranks 2, 3 on nodeb (cluster.silence_s "
                                      "is 10); still heard of: ranks 0, 1 on nodea. Last words: rank 0 on "
                                      "nodea, 1 s ago: waits 9 s; ") &&
                        Catch::Contains("rank 3 on nodeb, 11 s ago: works. What was recorded"));
}

TEST_CASE("a lost host's ranks are lost together, though one of them beat a moment later", "[run]") {
  Hearing hearing(3, 0);
  hearing.take(beat(1, "nodeb", "works"), 0);
  hearing.take(beat(2, "nodeb", "works"), 1 * kSecond);
  pass(hearing, 0, 5);
  hearing.take(beat(0, "nodea", "works"), 5 * kSecond);
  pass(hearing, 5, 6);
  const auto lost = hearing.lost(5, 5 * kSecond + 1);
  REQUIRE(lost);
  CHECK_THAT(*lost,
             Catch::Contains("of ranks 1, 2 on nodeb (") && Catch::Contains("heard of: rank 0 on nodea."));
}

TEST_CASE("ranks have a minute to start", "[run]") {
  Hearing hearing(2, 0);
  pass(hearing, 0, 61);
  CHECK_FALSE(hearing.lost(5, 60 * kSecond));
  const auto lost = hearing.lost(5, 61 * kSecond);
  REQUIRE(lost);
  CHECK_THAT(*lost, Catch::Contains("of ranks 0, 1, which never said a word") &&
                        Catch::Contains("no rank was heard of any more. What"));
}

TEST_CASE("ranks that are being ended are not taken for lost at once", "[run]") {
  Hearing hearing(2, 0);
  hearing.take(beat(0, "nodea", "works"), 0);
  hearing.take(beat(1, "nodeb", "waits", /*last=*/true), 0);
  pass(hearing, 0, 16);
  CHECK_FALSE(hearing.lost(2, 15 * kSecond));
  CHECK(hearing.lost(2, 16 * kSecond));
}

TEST_CASE("nobody was silent while the listener itself was stopped", "[run]") {
  Hearing hearing(1, 0);
  hearing.take(beat(0, "nodea", "works"), 0);
  pass(hearing, 0, 3);
  hearing.tick(1000 * kSecond);
  CHECK_FALSE(hearing.lost(5, 1000 * kSecond));
  pass(hearing, 1000, 1003);
  CHECK(hearing.lost(5, 1003 * kSecond));
}

TEST_CASE("parting words are of those that were asked to end, a few where there are many", "[run]") {
  Hearing hearing(20, 0);
  CHECK(hearing.partingWords().empty());
  for (int rank = 0; rank < 20; ++rank) hearing.take(beat(rank, "n", "works", rank != 3), 0);
  hearing.take(beat(-1, "n", "works", true), 0);
  hearing.take(beat(20, "n", "works", true), 0);
  const std::string words = hearing.partingWords();
  CHECK_THAT(words,
             Catch::StartsWith("rank 0 on n: works; ") && Catch::EndsWith("rank 8 on n: works; 11 more"));
  CHECK(words.find("rank 3 ") == std::string::npos);
}
