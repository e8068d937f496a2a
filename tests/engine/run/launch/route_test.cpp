#include "engine/run/launch/route.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("the interface that reaches a host is found by the routing table", "[launcher]") {
  const auto route = routeTo("127.0.0.1");
  REQUIRE(route);
  CHECK(route->network == "127.0.0.0/8");
  CHECK(route->address == "127.0.0.1");
  CHECK(route->direct);
  CHECK(route->loopback);
  CHECK_FALSE(routeTo("no..name"));
}
