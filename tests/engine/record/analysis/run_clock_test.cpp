#include "engine/record/analysis/run_clock.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

RunClock trained(const std::map<std::string, std::string>& parameters) {
  RunRow run;
  run.kind = "training";
  return runClock(run, parameters);
}

}  // namespace

TEST_CASE("a run recorded wall time, modelled time or both", "[analysis]") {
  const RunClock plain = trained({}), dilated = trained({{"run.device", "\"modelled\""},
                                                         {"run.clock", "\"real\""},
                                                         {"result.dilation", "84.0"}});
  const RunClock virtualClock = trained({{"run.device", "\"modelled\""}, {"run.clock", "\"virtual\""}}),
                 host = trained({{"run.device", "\"host\""}, {"run.clock", "\"real\""}});
  RunRow simulation;
  simulation.kind = "simulation";
  CHECK((plain.hasWall && !plain.hasModelled));
  CHECK((dilated.hasBoth() && dilated.dilation == 84));
  CHECK((virtualClock.hasModelled && !virtualClock.hasWall));
  CHECK((host.hasWall && !host.hasModelled));
  CHECK_FALSE(runClock(simulation, {}).hasWall);

  CHECK(dilated.divisor(TimeClock::modelled) == 84);
  CHECK(dilated.divisor(TimeClock::wall) == 1);
  CHECK(virtualClock.shown(TimeClock::wall) == TimeClock::modelled);
  CHECK(virtualClock.divisor(TimeClock::modelled) == 1);  // it was recorded so
  CHECK(host.shown(TimeClock::modelled) == TimeClock::wall);
  CHECK(host.divisor(TimeClock::modelled) == 1);
  // of a damaged recording
  for (const char* dilation : {"0.5", "nan", "inf", "-3", "much"})
    CHECK_FALSE(trained({{"result.dilation", dilation}}).hasModelled);
}

TEST_CASE("moments that are divided keep their order, and neighbours that touch still do", "[analysis]") {
  std::int64_t last = 0;
  for (std::int64_t ns = 0; ns < 1000; ++ns) {
    CHECK(dividedNs(ns, 7.3) >= last);
    last = dividedNs(ns, 7.3);
  }
  CHECK(dividedNs(123'456'789, 1) == 123'456'789);
  CHECK(dividedNs(84'000'000, 84) == 1'000'000);
}
