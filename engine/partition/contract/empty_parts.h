#pragma once

#include <string>

#include "engine/partition/contract/balance.h"

namespace halo {

/// Gives vertices to parts that have none, where there are vertices enough. METIS and others leave parts
/// empty in graphs of few vertices a part. Each empty part takes a vertex of the heaviest part with two or
/// more, the one with the fewest neighbours there. It takes more until it reaches the mean or that part falls
/// below it. Loops do not count as neighbours, so arcs and their propagation matrix end alike. Time: n log n
/// + m; n where no part is empty.
void fillEmptyParts(const Csr& arcs, const Weights& weights, int parts, Owners& owners);

/// "2 of 5 parts hold no vertex (3, 4)", and why; "": none is empty.
std::string emptyPartsRemark(const Owners& owners, int parts);

}  // namespace halo
