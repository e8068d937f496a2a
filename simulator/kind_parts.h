#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "simulator/component.h"
#include "simulator/simulation.h"

namespace halo::sim {

// What several kinds of simulation have in common.

/// The key that names a device file, overridden by `section`.
FigureKey acceleratorKey(std::string key, std::string section, const std::filesystem::path& resources);

/// Names the library's digest in the settings, and refuses a `graph` that has no published figures.
std::vector<Problem> checkGraph(SimulateSettings& settings, const SimulationContext& context);

/// Each factor and where it comes from.
void addFactors(const std::vector<Factor>& factors, const std::string& prefix,
                std::map<std::string, std::string>& to);

}  // namespace halo::sim
