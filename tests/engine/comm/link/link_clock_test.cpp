#include "engine/comm/link/link_clock.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a link's clock that was never stopped is the rank's", "[link]") {
  const LinkClock clock;
  CHECK(clock.runs());
  CHECK(clock.toLink(70) == 70);
  CHECK(clock.toWall(70) == 70);
}

TEST_CASE("a link's clock leaves out the stretches in which it stood", "[link]") {
  LinkClock clock;
  clock.stop(100);
  CHECK_FALSE(clock.runs());
  CHECK(clock.toLink(170) == 100);
  clock.start(250);
  CHECK(clock.runs());
  CHECK(clock.toLink(249) == 100);
  CHECK(clock.toLink(260) == 110);
  clock.stop(300);  // the link's 150
  clock.start(1300);
  CHECK(clock.toLink(1310) == 160);
  // of the past too
  CHECK(clock.toLink(40) == 40);
  CHECK(clock.toLink(270) == 120);
}

TEST_CASE("a link's clock is rank 0's on every host", "[link]") {
  LinkClock clock(1'000'000);
  CHECK(clock.toLink(70) == 1'000'070);
  CHECK(clock.toWall(1'000'070) == 70);
  clock.stop(100);
  clock.start(250);
  CHECK(clock.toLink(260) == 1'000'110);
  CHECK(clock.toWall(1'000'110) == 260);
}

TEST_CASE("a time of a link's clock is of the rank's when it is first shown", "[link]") {
  LinkClock clock;
  clock.stop(100);
  clock.start(250);
  clock.stop(250);  // no time between
  clock.start(300);
  CHECK(clock.toWall(99) == 99);
  CHECK(clock.toWall(100) == 100);
  CHECK(clock.toWall(101) == 301);
  for (const std::int64_t link : {5, 100, 101, 170, 100'000}) CHECK(clock.toLink(clock.toWall(link)) == link);
}
