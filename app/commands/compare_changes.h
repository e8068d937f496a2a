#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/command.h"
#include "app/report/columns.h"
#include "engine/record/comparison/comparison.h"

namespace halo {

/// The epochs of every column, and what each column took to the accuracy that all reach. Of two columns it
/// also says where their time differs, by parts and by spans. Empty of a single column.
std::string changesText(const std::vector<Column>& columns, const Comparison& comparison);

/// "+1.2 ms", "-1.2 ms"; "–" of none (NaN).
std::string signedText(double ns);
/// Both ends, null where there is none.
Json intervalJson(const std::optional<Interval>& interval);

/// Adds `epochs` to every object of `columns`; `differences`, `waterfall` and `waterfall_by` of the second
/// column, of others each an object of `further`; `time_to_accuracy`.
void addChanges(Json& json, const std::vector<Column>& columns, const Comparison& comparison);

}  // namespace halo
