#pragma once

#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/report/columns.h"
#include "engine/record/analysis/unlike.h"
#include "engine/record/comparison/configuration.h"

namespace halo {

/// Whether a change from one to the other says something of what is compared, not of other work to do.
bool onOneDataset(const Column& a, const Column& b);
std::vector<ComparedRepeats> repeatsOf(const std::vector<Column>& columns);

std::vector<Configuration> configurationsOf(Database& recording, const std::vector<Column>& columns);

/// Which columns have no changes against the first, and why.
std::vector<std::string> leftOut(const std::vector<Column>& columns);

/// Settings that differ, and every metric that a column has, with changes against the first.
std::string columnsText(const std::vector<Column>& columns);
/// The same: an object a column.
Json columnsJson(const std::vector<Column>& columns);

}  // namespace halo
