#include "simulator/memory/sram.h"

#include <algorithm>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::sim {

// A bank serves one row in every cycle in which it holds one. So no queues are kept, only the cycle in which
// each bank will be through with what it has. A row that joins in cycle t is through at max(t, busy) + 1, and
// the queue is busy − t long.
std::int64_t bankCycles(std::span<const std::int64_t> rows, std::int64_t banks, std::int64_t issue,
                        std::int64_t depth) {
  HALO_CHECK(banks >= 1 && issue >= 1 && depth >= 1);
  std::vector<std::int64_t> through(at(banks), 0);
  std::int64_t now = 0, issued = 0, last = 0;
  for (const std::int64_t row : rows) {
    if (issued == issue) {
      ++now;
      issued = 0;
    }
    std::int64_t& bank = through[at(row % banks)];
    if (bank - now >= depth) {  // full: nothing more is issued until it has room
      now = bank - depth + 1;
      issued = 0;
    }
    bank = std::max(bank, now) + 1;
    last = std::max(last, bank);
    ++issued;
  }
  return last;
}

}  // namespace halo::sim
