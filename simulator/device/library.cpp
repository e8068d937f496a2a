#include "simulator/device/library.h"

namespace halo::sim {

Library readLibrary(const std::filesystem::path& resources) {
  return {readMemories(resources / "dram.toml"), EnergyTable(resources / "energy.toml"),
          readGraphs(resources / "graphs.toml")};
}

}  // namespace halo::sim
