#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "engine/run/protocol/look.h"

namespace halo {

/// `look` on the machine where rank 0 of the runs will be, by one `worker` started there with --look. All
/// runs are of one cluster. Throws EnvironmentError where the launcher, or the worker there, failed: with the
/// cause, and what the launcher said if it is not known.
std::vector<LookFound> lookThere(std::span<const RunSettings> runs, const std::filesystem::path& worker,
                                 const Progress& progress = {});

}  // namespace halo
