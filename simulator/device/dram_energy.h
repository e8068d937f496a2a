#pragma once

#include <string>
#include <vector>

#include "simulator/device/component.h"

namespace halo::sim {

/// What a device asked of its DRAM, and how long the device took.
struct DramUse {
  double bytes = 0, rowsOpened = 0, ns = 0;
};

/// Energy of DRAM, pJ. Without `split` it is so much a byte, all in. With `split`, arrays, rows opened and
/// the rest make up the same, and standing by comes on top. Appends the parts as factors (hbm_…_pj_per_byte).
/// memory: the name of its table.   Source: resources/design/simulator.md, Energy
double dramPj(const Dram& dram, const EnergyTable& table, const std::string& memory, bool split,
              const DramUse& use, std::vector<Factor>& factors);

}  // namespace halo::sim
