#include "engine/hybrid/drift.h"

#include "engine/base/index.h"
#include "engine/hybrid/resource_manager.h"
#include "tests/engine/hybrid/platform_fixture.h"

#include <catch2/catch.hpp>

using namespace halo;
using halo::hybridtest::platformNamed;

namespace {

std::string refusalOf(const std::string& text) {
  std::vector<Problem> problems;
  const PlatformDrift drift(text, "run.drift", problems);
  return problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
}

}  // namespace

TEST_CASE("a figure drifts in every second stretch of iterations", "[hybrid]") {
  const HybridPlatform base = platformNamed("hyscale-u250");
  std::vector<Problem> problems;
  const PlatformDrift drift("cpu_gmacs 0.5 100, pcie_gbps 2 60", "run.drift", problems);
  REQUIRE(problems.empty());
  HybridPlatform now = base;
  CHECK_FALSE(drift.apply(base, 0, now));
  CHECK(drift.apply(base, 60, now));
  CHECK(now.pcieGbps == 2 * base.pcieGbps);
  CHECK(now.cpuGmacs == base.cpuGmacs);
  CHECK_FALSE(drift.apply(base, 99, now));
  CHECK(drift.apply(base, 100, now));
  CHECK(now.cpuGmacs == 0.5 * base.cpuGmacs);
  CHECK(now.pcieGbps == 2 * base.pcieGbps);
  CHECK(drift.apply(base, 200, now));
  CHECK(now.cpuGmacs == base.cpuGmacs);
  CHECK(now.threadGbps == base.threadGbps);
}

TEST_CASE("a drift that cannot be is refused by what would be right", "[hybrid]") {
  CHECK(refusalOf("").empty());
  CHECK(refusalOf("pcie_gbps 0.5 10").empty());
  CHECK(refusalOf("pcie_gbps 0.5") ==
        "run.drift: 'pcie_gbps 0.5' cannot be used; a figure, how many times it is, and iterations, as "
        "\"cpu_gmacs 0.5 100\"");
  CHECK(refusalOf("sockets 2 10").find("a rate of the platform, of: socket_memory_gbps, cpu_gmacs") !=
        std::string::npos);
  CHECK(refusalOf("cpu_gmacs 0 10") ==
        "run.drift: 'cpu_gmacs 0 10' cannot be used; times from 0.001 to 1000");
  CHECK(refusalOf("cpu_gmacs nan 10") != "");
  CHECK(refusalOf("cpu_gmacs -1 10") != "");
  CHECK(refusalOf("cpu_gmacs 0.5 0") == "run.drift: 'cpu_gmacs 0.5 0' cannot be used; at least 1 iteration");
}

TEST_CASE("a manager forgets what is judged, and goes on as if it had not", "[hybrid]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const HybridMapping start{5120, 2428, 42, 42, 44, 0};
  const HybridTimes times{1, 0, 9, 2, 3, 4, 0};
  ResourceManager keeps(platform, Prefetch::two, start), forgets = keeps;
  CHECK(forgets.forgetJudged() == 0);  // the start waits for the first window
  std::vector<ManagerDecision> decisions;
  for (int window = 0; window < 400; ++window) {
    const double seconds = window / 40 % 2 == 0 ? 9 : 7;  // drifts
    keeps.endWindow(times, seconds);
    CHECK(forgets.endWindow(times, seconds) == keeps.mapping());
    decisions.insert(decisions.end(), forgets.decisions().begin(), forgets.decisions().end());
    const std::size_t open = forgets.atRest() ? 0 : 1;
    decisions.resize(decisions.size() - open);
    forgets.forgetJudged();
    CHECK(forgets.decisions().size() == open);
  }
  REQUIRE(decisions.size() + forgets.decisions().size() == keeps.decisions().size());
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    CHECK(decisions[i].change == keeps.decisions()[i].change);
    CHECK(decisions[i].outcome == keeps.decisions()[i].outcome);
    CHECK(decisions[i].afterSeconds == keeps.decisions()[i].afterSeconds);
  }
  CHECK(decisions.size() > 40);  // it moved again, again and again
}
