#pragma once

#include <cstdint>
#include <string>

#include "simulator/device/component.h"

namespace halo::sim {

/// A published power, of the chip alone or of the board with its memory.
struct Power {
  double watts = 0;
  bool withMemory = false;
};

/// Sums up energy both ways, from result.ns and what each component has counted (the first is the memory).
/// One way is counts and leakage times time. The other is power times time, to which a chip alone adds what
/// its memory counted. The other components share leakage, or with `byPower` what the power leaves them, in
/// proportion to their counts.   Source: resources/design/simulator.md, Energy
void accountEnergy(DeviceResult& result, const Power& power, double leakageW, bool byPower);

/// 1-to-4 crossbars that a word passes on its way to one of so many outputs.
std::int64_t crossbarsTo(std::int64_t outputs);

/// Cycles and bytes are counted in whole numbers that a double holds too. Throws InputError at device.`key`
/// where a generous bound of either is beyond that. with: the keys that `key` acts with.
void refuseBeyondCounting(double bytes, double cycles, const std::string& key, const std::string& with);

/// Picoseconds of an update. Throws InputError at device.`key` where they are beyond counting.
std::int64_t updatePsOf(double ns, const std::string& key);

}  // namespace halo::sim
