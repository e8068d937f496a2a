#include "engine/record/tables/components.h"

namespace halo {

void Components::append(std::int64_t run, std::span<const ComponentRow> rows) {
  Statement insert(db_,
                   "INSERT INTO component(run_id, device, component, busy_cycles, stall_cycles, bytes, "
                   "energy_pj) VALUES(?, ?, ?, ?, ?, ?, ?)");
  for (const ComponentRow& row : rows) {
    insert.bind(run).bind(row.device).bind(row.component).bind(row.busyCycles).bind(row.stallCycles);
    insert.bind(row.bytes).bind(row.energyPj).step();
    insert.reset();
  }
}

std::vector<ComponentRow> Components::rowsOf(std::int64_t run) const {
  Statement select(db_,
                   "SELECT device, component, busy_cycles, stall_cycles, bytes, energy_pj FROM component "
                   "WHERE run_id = ? ORDER BY device, component");
  select.bind(run);
  std::vector<ComponentRow> rows;
  while (select.step())
    rows.push_back({select.text(0), select.text(1), select.integer(2), select.integer(3), select.integer(4),
                    select.real(5)});
  return rows;
}

}  // namespace halo
