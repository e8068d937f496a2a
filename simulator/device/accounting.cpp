#include "simulator/device/accounting.h"

#include <algorithm>
#include <cmath>

namespace halo::sim {
namespace {

constexpr double kMostCount = 9e15, kMostPs = 9e18;

}  // namespace

void accountEnergy(DeviceResult& result, const Power& power, double leakageW, bool byPower) {
  if (result.components.empty()) return;
  const double memory = result.components.front().energyPj;
  double counted = 0;
  for (std::size_t e = 1; e < result.components.size(); ++e) counted += result.components[e].energyPj;
  const double total = power.watts * result.ns * 1e3;  // W · ns = 1000 pJ
  const double chip = power.withMemory ? std::max(0.0, total - memory) : total;
  const double leaked = leakageW * result.ns * 1e3;
  // without counts there is nothing to share leakage by
  result.perOpPj = memory + (counted > 0 ? counted + leaked : 0);
  result.chipPowerPj = memory + chip;
  if (counted <= 0) return;
  const double share = (byPower ? chip : counted + leaked) / counted;
  for (std::size_t e = 1; e < result.components.size(); ++e) result.components[e].energyPj *= share;
}

std::int64_t crossbarsTo(std::int64_t outputs) {
  std::int64_t count = 0;
  for (std::int64_t reached = 1; reached < outputs; reached *= 4) ++count;
  return count;
}

void refuseBeyondCounting(double bytes, double cycles, const std::string& key, const std::string& with) {
  if (std::max(bytes, cycles) <= kMostCount) return;
  throw InputError(
      {.key = "device." + key,
       .message = "with " + with +
                  " and this model asks for more than 9e15 cycles or bytes, which cannot be counted; "
                  "fewer layers or columns, or figures of a real device"});
}

std::int64_t updatePsOf(double ns, const std::string& key) {
  if (ns * 1e3 > kMostPs)
    throw InputError(
        {.key = "device." + key,
         .message = "makes an update of this size longer than 9e18 ps, which cannot be counted; fewer rows "
                    "or columns, or figures of a real device"});
  return static_cast<std::int64_t>(std::ceil(ns * 1e3 - 1e-6));
}

}  // namespace halo::sim
