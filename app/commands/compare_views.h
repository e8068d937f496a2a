#pragma once

#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/report/columns.h"
#include "engine/record/comparison/comparison.h"

namespace halo {

/// What each column came to at best; between two columns also what workers waited for, and what they sent for
/// each layer. Empty of a single column.
std::string viewsText(const std::vector<Column>& columns, const Comparison& comparison);

/// Adds `learning`, `staleness`, `waits`, `waits_together`, `traffic` and `parts`.
void addViews(Json& json, const Comparison& comparison);

}  // namespace halo
