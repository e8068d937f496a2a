#pragma once

#include <filesystem>
#include <vector>

#include "engine/record/runs.h"

namespace halo {

/// Reads the file anew and looks whether these rows of runs stand there with their epochs: whoever cuts or
/// writes over a recording while it is written leaves the writer's own view of it whole. Reads the rows and
/// counts epochs. Throws RecordUnusable.
void requireReadBack(const std::filesystem::path& file, const std::vector<RunRow>& runs);

}  // namespace halo
