#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/record/comparison/scope.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// The relative error of what one layer used in one pass, along the epochs that were probed. Also its cosine
/// with what was fresh and its age in epochs, where they are recorded.
struct StalenessCurve {
  std::int64_t layer = 0;
  Pass pass = Pass::none;
  std::map<std::int64_t, double> errors;  // by epoch
  std::map<std::int64_t, double> cosines = {}, ages = {};
};

/// Of one configuration: its runs' rows of table `layer`. The error of an epoch is the mean over workers, and
/// of these means over the runs. An epoch has an error where every run probed it; so with
/// cosine and age, over the workers that have one. By layer and pass.
std::vector<StalenessCurve> stalenessOf(std::span<const std::vector<LayerRow>> runs, const Scope& scope);

/// Whether every error of the curve is 0.
bool isFresh(const StalenessCurve& curve);

}  // namespace halo
