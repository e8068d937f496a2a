#pragma once

#include "engine/experiment/reproduced.h"

namespace halo {

/// The table, and as JSON lines.
void printReproduced(const Reproductions& all, bool json);

}  // namespace halo
