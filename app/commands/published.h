#pragma once

#include <span>

#include "app/commands/command.h"
#include "engine/experiment/reproduced.h"
#include "engine/record/analysis/unlike.h"

namespace halo {

// `columns`: those that the figures are held against.

/// The table, with what is to be said of it.
void printReproduced(const Reproductions& all, std::span<const ComparedRepeats> columns);
/// `counts`, `figures`, `without_counted_set`, `unread`, `without_runs` and `notes`; what there is none of is
/// left out.
Json reproducedJson(const Reproductions& all, std::span<const ComparedRepeats> columns);

}  // namespace halo
