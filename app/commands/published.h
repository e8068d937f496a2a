#pragma once

#include <span>

#include "engine/experiment/reproduced.h"
#include "engine/record/analysis/unlike.h"

namespace halo {

/// The table, and as JSON lines. columns: those that the figures are held against.
void printReproduced(const Reproductions& all, std::span<const ComparedRepeats> columns, bool json);

}  // namespace halo
