#include "engine/record/analysis/run_clock.h"

#include <cmath>
#include <cstdlib>

namespace halo {

TimeClock RunClock::shown(TimeClock wanted) const {
  if (wanted == TimeClock::modelled) return hasModelled ? wanted : TimeClock::wall;
  return hasWall ? wanted : TimeClock::modelled;
}

double RunClock::divisor(TimeClock wanted) const {
  return hasBoth() && wanted == TimeClock::modelled ? dilation : 1;
}

RunClock runClock(const RunRow& run, const std::map<std::string, std::string>& parameters) {
  if (run.kind == "simulation") return {true, false, 1};
  const auto is = [&](const char* key, const char* value) {
    const auto parameter = parameters.find(key);
    return parameter != parameters.end() && parameter->second == value;
  };
  if (is("run.device", "\"modelled\"") && is("run.clock", "\"virtual\"")) return {true, false, 1};
  const auto recorded = parameters.find("result.dilation");
  if (recorded == parameters.end()) return {};
  const double dilation = std::strtod(recorded->second.c_str(), nullptr);
  return std::isfinite(dilation) && dilation >= 1 ? RunClock{true, true, dilation} : RunClock{};
}

std::int64_t dividedNs(std::int64_t ns, double divisor) {
  return divisor == 1 ? ns : static_cast<std::int64_t>(std::llround(static_cast<double>(ns) / divisor));
}

}  // namespace halo
