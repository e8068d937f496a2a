#pragma once

#include "datasets/graph/csr.h"

namespace halo {

/// Own rows by whether they have remote neighbours: central rows, which have none, and marginal ones (AdaQP's
/// words). Both have as many rows as `own`, the other's empty, so that they sum to it.
struct RowsByReach {
  Csr central, marginal;
};

/// `own`, `halo`: the edges of the same rows to own and to remote ones.
RowsByReach rowsByReach(const Csr& own, const Csr& halo);

}  // namespace halo
