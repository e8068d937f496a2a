#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"

namespace halo {

/// How many in-neighbours a target of each layer draws: fanouts[l − 1] for block l, so from the inputs to the
/// seeds, as DGL orders them. PyTorch Geometric lists hops from the seeds.
using Fanouts = std::vector<std::int32_t>;

/// Every neighbour.
constexpr std::int32_t kAllNeighbours = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kMostFanout = 1024;

/// `text` as "25,10" or "all,10": numbers from 1 to 1024 or `all`, one for each of `layers` layers. What is
/// wrong is added to `problems` under `key` ("run.fanouts"); the result is then of no use.
Fanouts readFanouts(std::string_view text, int layers, std::string_view key, std::vector<Problem>& problems);

}  // namespace halo
