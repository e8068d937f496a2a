#pragma once

#include <string>

#include "datasets/graph/dataset.h"
#include "engine/base/stop_asks.h"

namespace halo {

/// Tells `progress` of one step each time it is asked, so that whoever listens can stop it by a throw.
/// Refers to `progress`.
AskStop asking(const Progress& progress, std::string step, double share);

// What csr.h and order.h have, asking all the while; they throw what `askStop` throws.
Csr buildCsr(Index vertices, std::span<const Arc> arcs, bool keepSelfLoops, const AskStop& askStop);
Csr transpose(const Csr& A, const AskStop& askStop);
Csr symmetrised(const Csr& A, const AskStop& askStop);
bool isSymmetric(const Csr& A, const AskStop& askStop);
Csr permuted(const Csr& A, std::span<const Vertex> order, const AskStop& askStop);
std::vector<Vertex> rcmOrder(const Csr& A, const AskStop& askStop);

}  // namespace halo
