#include "simulator/device/component.h"

#include <numeric>

namespace halo::sim {
namespace {

std::int64_t sum(const std::vector<Count>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                         [](std::int64_t so, const Count& count) { return so + count.value; });
}

}  // namespace

std::string_view text(Level level) {
  switch (level) {
    case Level::analytic:
      return "analytic";
    case Level::tile:
      return "tile";
    case Level::cycle:
      return "cycle";
  }
  return "unknown";
}

Level levelOf(std::string_view word) {
  return word == "analytic" ? Level::analytic : word == "cycle" ? Level::cycle : Level::tile;
}

std::int64_t Component::stallCycles() const { return sum(stalls); }

std::int64_t DeviceResult::dramBytes() const { return sum(streams); }

}  // namespace halo::sim
