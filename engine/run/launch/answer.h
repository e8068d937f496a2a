#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "datasets/graph/dataset.h"
#include "engine/experiment/experiment.h"

namespace halo {

/// What rank 0 says once the workers of `place.cluster`, started with `option`, have done it.
/// `input` is written to rank 0. Throws EnvironmentError where the launcher, or a worker, failed: with the
/// cause, and what the launcher said if it is not known.
std::string answerOf(const RunSettings& place, const std::filesystem::path& worker, const std::string& option,
                     std::string_view input, const Progress& progress = {});

}  // namespace halo
