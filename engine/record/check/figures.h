#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/record/check/checks.h"

namespace halo {

using Figures = std::map<std::string, double>;

/// As a finding shows it.
std::string shownFigure(double value);
/// Those of `latest` against what `origin` gives: "its rows in epoch". One that is missing is found too, but
/// where older recordings lack it.
void compareFigures(std::int64_t run, const Figures& latest, const Figures& expected,
                    const std::string& origin, Findings& findings);

/// What the last word of a run's workers follows from, as far as `latest` has it or must have it.
Figures closingFigures(Database& database, const CheckedRun& run, const std::vector<WorkerRow>& workers,
                       const Figures& latest);

}  // namespace halo
