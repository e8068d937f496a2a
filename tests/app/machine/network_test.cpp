#include "app/machine/network.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace halo;

namespace {

Rounds steady(double value) { return {value, value * 0.98, value * 1.02}; }

LinkSpeed link(double oneWay, double bothWays) {
  return {0, 1, steady(30), steady(oneWay), steady(bothWays)};
}

std::vector<Finding> findingsOf(const std::vector<LinkSpeed>& links) {
  return networkFindings({"a", "b", "c"}, links);
}

}  // namespace

TEST_CASE("a network that was measured alike in all rounds is given as a link and as a wire", "[doctor]") {
  const auto findings = findingsOf({link(0.94, 0.9)});
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].thing == "network a – b");
  CHECK(findings[0].actual ==
        "0.94 (0.921–0.959) Gbit/s one way, 0.9 (0.882–0.918) Gbit/s each way at once, 30 (29.4–30.6) µs "
        "latency");
  CHECK_THAT(findings[1].actual, Catch::StartsWith("cluster.link = ") && Catch::Contains("0.9"));
  CHECK_THAT(findings[2].actual, Catch::StartsWith("cluster.wire = "));
  for (const Finding& finding : findings) CHECK(finding.state == Finding::State::good);
}

TEST_CASE("a latency of milliseconds is told in digits that people write", "[doctor]") {
  LinkSpeed slow = link(0.94, 0.9);
  slow.latencyUs = steady(2000);
  CHECK_THAT(findingsOf({slow})[0].actual, Catch::Contains(", 2000 (1960–2040) µs latency"));
}

TEST_CASE("no link is given where bandwidths one way and both ways contradict each other", "[doctor]") {
  for (const auto& [oneWay, bothWays] : {std::pair{0.17, 0.00273}, {0.9, 1.8}, {1.0, 0.3}}) {
    const auto findings = findingsOf({link(oneWay, bothWays)});
    CAPTURE(oneWay, bothWays);
    REQUIRE(findings.size() == 3);
    CHECK(findings[0].state == Finding::State::poor);
    CHECK_THAT(findings[0].fix, Catch::Contains("half to all of that") && Catch::Contains("measure again"));
    for (const std::size_t withheld : {1U, 2U}) {
      CHECK(findings[withheld].state == Finding::State::poor);
      CHECK(findings[withheld].actual == "withheld: figures in doubt of a – b");
    }
  }
}

TEST_CASE("no link is given where the rounds scatter, and the figure that does is named", "[doctor]") {
  LinkSpeed busy = link(0.9, 0.9), late = busy, wrong = busy;
  busy.bothWaysGbit = {0.9, 0.5, 0.94};
  late.latencyUs = {30, 25, 900};
  wrong.oneWayGbit = {-3, -3, std::numeric_limits<double>::infinity()};
  CHECK(doubtOf(busy) ==
        "each way at once scatters from 0.5 to 0.94 Gbit/s in the middle half of the rounds");
  CHECK(doubtOf(late) == "latency scatters from 25 to 900 µs in the middle half of the rounds");
  CHECK(doubtOf(wrong) == "a message took less time than the latency");
  CHECK(doubtOf(link(0.9, 0.46)).empty());  // two ways that share one wire
}

TEST_CASE("a pair in doubt withholds the link of all hosts, and is named alone", "[doctor]") {
  LinkSpeed other = link(0.9, 0.9), last = link(0.2, 0.01);
  other.second = 2;
  last.first = 1;
  last.second = 2;
  const auto findings = findingsOf({link(0.9, 0.9), other, last});
  REQUIRE(findings.size() == 5);
  CHECK(findings[0].state == Finding::State::good);
  CHECK(findings[1].state == Finding::State::good);
  CHECK(findings[3].actual == "withheld: figures in doubt of b – c");
}
