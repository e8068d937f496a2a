#pragma once

#include <string_view>

#include "datasets/graph/csr.h"

namespace halo::cluster {

/// Whether a layer kind's rows aggregate their own vertex too (gcn, gat).
bool aggregatesItself(std::string_view kind);

/// The propagation matrix of a layer kind as far as its pattern goes: row v lists what v aggregates. Values,
/// where the kind has any, are all 1. `arcs`: row v lists the in-neighbours, without self loops.
Csr patternOf(const Csr& arcs, std::string_view kind);

}  // namespace halo::cluster
