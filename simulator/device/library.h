#pragma once

#include <array>
#include <filesystem>

#include "simulator/graph/workload.h"
#include "simulator/memory/energy.h"
#include "simulator/memory/memory.h"

namespace halo::sim {

/// The figures in resources/ that devices share.
struct Library {
  std::map<std::string, DramTable> memories;
  EnergyTable energies;
  std::map<std::string, GraphFigures> graphs;
};

inline constexpr std::array kLibraryFiles = {"dram.toml", "energy.toml", "graphs.toml"};
/// Reads them in the folder of resources. Throws InputError.
Library readLibrary(const std::filesystem::path& resources);

}  // namespace halo::sim
