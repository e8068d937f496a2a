#pragma once

#include <QString>

#include "engine/record/analysis/mapping_changes.h"

namespace halo {

/// "9 seeds from cpu to cards: 2.7 ms → 2.62 ms, kept".
QString decisionText(const MappingChange& change);

}  // namespace halo
