#include "engine/run/launch/placement.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

ClusterSettings onHosts(std::int64_t workers, std::vector<std::string> hosts) {
  ClusterSettings cluster;
  cluster.workers = workers;
  cluster.launcher = "hosts";
  cluster.hosts = std::move(hosts);
  return cluster;
}

ClusterSettings onLink(std::int64_t workers, std::int64_t ranksPerHost) {
  ClusterSettings cluster;
  cluster.workers = workers;
  cluster.link.bandwidthGbit = 1;
  cluster.link.ranksPerHost = ranksPerHost;
  return cluster;
}

}  // namespace

TEST_CASE("ranks fill one host after the other, as often as it is named", "[launcher]") {
  using All = std::vector<HostRanks>;
  CHECK(ranksByHost(onHosts(4, {"a:2", "b:2"})) == All{{"a", 2}, {"b", 2}});
  CHECK(ranksByHost(onHosts(3, {"a:2", "b:2", "c"})) == All{{"a", 2}, {"b", 1}, {"c", 0}});
  CHECK(ranksByHost(onHosts(5, {"a:2", "b:2", "a:2"})) == All{{"a", 4}, {"b", 1}});
  CHECK(ranksByHost(onHosts(3, {"a", "b"})).empty());  // mpirun spreads the third
  CHECK(slotsOf({"a", "b:3"}) == 4);
}

TEST_CASE("hosts on which no rank starts are named with what would use them", "[launcher]") {
  const auto remarks = placementRemarks(onHosts(4, {"a:4", "b:4", "c"}));
  REQUIRE(remarks.size() == 1);
  CHECK_THAT(remarks[0],
             Catch::StartsWith("cluster.hosts: no rank starts on b, c: 4 workers fill the hosts before") &&
                 Catch::Contains("\"name:ranks\"") && Catch::Contains("raise cluster.workers"));
  CHECK(placementRemarks(onHosts(4, {"a:2", "b:2"})).empty());
  CHECK(placementRemarks(onHosts(4, {"a"})).empty());
}

TEST_CASE("a link whose ranks are all one host's is said to carry nothing", "[launcher]") {
  for (const std::int64_t together : {4, 8}) {
    const auto remarks = placementRemarks(onLink(4, together));
    REQUIRE(remarks.size() == 1);
    CHECK_THAT(remarks[0], Catch::StartsWith("cluster.link: ranks_per_host = " + std::to_string(together) +
                                             " makes all 4 workers one emulated host's") &&
                               Catch::Contains("per = \"rank\""));
  }
  CHECK(placementRemarks(onLink(4, 2)).empty());
  CHECK(placementRemarks(onLink(4, 0)).empty());  // per = "rank"
  CHECK(placementRemarks(onLink(1, 2)).empty());  // sends nothing on any link
}
