#include "engine/comm/link/measure_links.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/engine/methods/trained.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("the network between two ranks is measured, and both know the same of it", "[link_speed]") {
  if (worldSize() != 2) return;  // long messages: some seconds a pair
  const std::vector<LinkSpeed> speeds = measureLinks(MPI_COMM_WORLD);
  REQUIRE(speeds.size() == 1);
  const LinkSpeed& speed = speeds.front();
  CHECK((speed.first == 0 && speed.second == 1));
  for (const Rounds& figure : {speed.latencyUs, speed.oneWayGbit, speed.bothWaysGbit}) {
    CHECK(figure.low <= figure.median);
    CHECK(figure.median <= figure.high);
    for (const double value : {figure.low, figure.median, figure.high}) {
      CHECK(std::isfinite(value));
      CHECK(value > 0);
      double ofRank0 = value;
      MPI_Bcast(&ofRank0, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      CHECK(ofRank0 == value);
    }
  }
}
