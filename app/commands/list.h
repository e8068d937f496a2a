#pragma once

#include <vector>

#include "engine/record/database/database.h"
#include "engine/record/rows/rows.h"

namespace halo {

/// The runs as a table with what keeps them from being compared, or as one JSON object a line, on standard
/// output.
void printRuns(Database& database, const std::vector<RunRow>& runs, bool json);

}  // namespace halo
