#include "simulator/device/dram_energy.h"

namespace halo::sim {

double dramPj(const Dram& dram, const EnergyTable& table, const std::string& memory, bool split,
              const DramUse& use, std::vector<Factor>& factors) {
  const double flat = use.bytes * table.dramPjPerByte();
  if (!split || use.bytes == 0) return flat;
  const DramTable& timings = dram.table();
  const double array = timings.readPj() / static_cast<double>(timings.burstBytes);  // all of these a byte
  const double rows = use.rowsOpened * timings.activatePj() / use.bytes;
  const double standing = dram.channels() * timings.backgroundMw() * use.ns / use.bytes;
  const std::string from = "derived: currents of " + memory;
  factors.push_back({"hbm_array_pj_per_byte", array, from});
  factors.push_back({"hbm_rows_pj_per_byte", rows, from});
  factors.push_back({"hbm_standing_by_pj_per_byte", standing, from});
  factors.push_back(
      {"hbm_rest_pj_per_byte", table.dramPjPerByte() - array - rows, "derived: what the flat figure leaves"});
  return flat + standing * use.bytes;
}

}  // namespace halo::sim
