#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// Runs of one recording, which outlives it, that differ in their seeds alone.
struct Configuration {
  Database* recording = nullptr;
  std::vector<RunRow> runs;
  std::map<std::string, std::string> parameters = {};  // that they share; without the seed and what it did
};

/// The runs as configurations, in the order of their first runs. A run without parameters is one by itself.
std::vector<Configuration> configurationsOf(Database& recording, const std::vector<RunRow>& runs);

/// Whether a change from one to the other says something of what is compared, not of other work to do.
bool onOneDataset(const Configuration& a, const Configuration& b);

}  // namespace halo
