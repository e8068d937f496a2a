#pragma once

#include <string>

#include "datasets/dataset.h"
#include "engine/base/stop_asks.h"

namespace halo {

/// Tells `progress` of one step each time it is asked, so that whoever listens can stop it by a throw.
/// Refers to `progress`.
AskStop asking(const Progress& progress, std::string what, double share);

/// `buildCsr` that asks all the while; throws what `askStop` throws.
Csr buildCsr(Index vertices, std::span<const Arc> arcs, bool keepSelfLoops, const AskStop& askStop);

}  // namespace halo
