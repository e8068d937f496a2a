// Collectives: from the rank that came last to those that waited for it.
#include "views/spans/meetings.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

Span meetingAt(std::int64_t beginNs, std::int64_t endNs, std::int32_t epoch = 0,
               Name name = Name::allReduce) {
  Span span;
  span.beginNs = beginNs, span.durationNs = endNs - beginNs;
  span.kind = Kind::synchronise, span.name = name;
  span.epoch = epoch, span.bytes = 64;
  return span;
}

}  // namespace

TEST_CASE("arrows of a collective go from who came last to each who waited", "[views]") {
  Meetings meetings;
  meetings.add(0, meetingAt(100, 520));
  meetings.add(1, meetingAt(500, 530));
  meetings.add(2, meetingAt(300, 540));
  const auto arrows = meetings.arrows({0});
  REQUIRE(arrows.size() == 2);
  for (const MessageArrow& arrow : arrows) {
    CHECK(arrow.sender == 1);
    CHECK(arrow.sentNs == 500);
    CHECK(arrow.meeting == Name::allReduce);
    CHECK(arrow.bytes == 64);
    CHECK(arrow.sentEpoch == arrow.usedEpoch);
  }
  CHECK(arrows[0].receiver == 0);
  CHECK(arrows[0].usedNs == 520);
  CHECK(arrows[0].waitedNs == 400);
  CHECK(arrows[1].receiver == 2);
  CHECK(arrows[1].waitedNs == 200);
}

TEST_CASE("the collectives of an epoch are told apart by their order, whenever they were added", "[views]") {
  Meetings meetings;
  for (const std::int64_t at : {2'000, 1'000}) {
    meetings.add(0, meetingAt(at, at + 100));
    meetings.add(1, meetingAt(at + (at == 1'000 ? 50 : -50), at + 100));
  }
  const auto arrows = meetings.arrows({0});
  REQUIRE(arrows.size() == 2);
  CHECK(arrows[0].sentNs == 1'050);
  CHECK(arrows[0].sender == 1);
  CHECK(arrows[1].sentNs == 2'000);
  CHECK(arrows[1].sender == 0);
}

TEST_CASE("no arrow is guessed: of unlike counts, times apart, a lone rank, an epoch read in part",
          "[views]") {
  Meetings meetings;
  SECTION("one rank tells of two, the other of one") {
    meetings.add(0, meetingAt(100, 200));
    meetings.add(0, meetingAt(300, 400));
    meetings.add(1, meetingAt(350, 400));
    CHECK(meetings.arrows({0}).empty());
  }
  SECTION("one had left before the other came") {
    meetings.add(0, meetingAt(100, 200));
    meetings.add(1, meetingAt(300, 400));
    CHECK(meetings.arrows({0}).empty());
  }
  SECTION("nobody else was there") {
    meetings.add(0, meetingAt(100, 200));
    CHECK(meetings.arrows({0}).empty());
  }
  SECTION("the epoch is not whole") {
    meetings.add(0, meetingAt(100, 200, 4));
    meetings.add(1, meetingAt(150, 200, 4));
    CHECK(meetings.arrows({3}).empty());
    CHECK(meetings.arrows({4}).size() == 1);
  }
  SECTION("computing is none") {
    Span work = meetingAt(100, 200);
    work.kind = Kind::compute, work.name = Name::aggregate;
    meetings.add(0, work);
    meetings.add(1, work);
    CHECK(meetings.arrows({0}).empty());
  }
}
