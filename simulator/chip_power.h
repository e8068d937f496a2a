#pragma once

#include "simulator/component.h"

namespace halo::sim {

/// Once the components hold their energy by counts (component 0 that of DRAM): adds up both ways to account
/// for it, and with `byPower` lets what is on the chip share its power times time in proportion to the
/// counts.
inline void accountPower(double chipWatts, bool byPower, DeviceResult& result) {
  double onChip = 0;
  for (std::size_t e = 1; e < result.components.size(); ++e) onChip += result.components[e].energyPj;
  const double chip = chipWatts * result.ns * 1e3;
  const double dram = result.components.front().energyPj;
  result.perOpPj = dram + onChip;
  result.chipPowerPj = dram + chip;
  if (!byPower || onChip <= 0) return;
  for (std::size_t e = 1; e < result.components.size(); ++e) result.components[e].energyPj *= chip / onChip;
}

}  // namespace halo::sim
