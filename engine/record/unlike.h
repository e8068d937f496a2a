#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/record/rows.h"

namespace halo {

/// A run with its keys.
struct ComparedRun {
  const RunRow& run;
  const std::map<std::string, std::string>& parameters;
};

/// A setting in which some runs differ though it is not what they are compared for.
struct Unlike {
  std::string what;                 // a key, kUnlikeOrders, "marks", …
  std::vector<std::string> values;  // of each run, in their order; "–": it has none
};

/// What `what` is of runs whose methods took different orders for `auto`.
inline constexpr const char* kUnlikeOrders = "the order of layers and the width of rows that travel";

/// What keeps runs from being compared as they stand. Methods, their own parameters, partitions and workers
/// are what runs are compared for. Settings: data set, model, training with its seed, threads, link,
/// launcher, cached layers and what `auto` came to; of runs and simulations, the keys that both kinds have.
std::vector<Unlike> unlikeSettings(std::span<const ComparedRun> runs);
/// Marks, host and version.
std::vector<Unlike> unlikeMachines(std::span<const ComparedRun> runs);

/// Whether a key is a setting; else it says what was found, or where a factor comes from.
bool isSetting(const std::string& key);

}  // namespace halo
