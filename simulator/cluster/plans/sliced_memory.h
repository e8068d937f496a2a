#pragma once

#include "simulator/cluster/plans/model_shape.h"
#include "simulator/cluster/plans/plan.h"

namespace halo::cluster {

/// What a rank has of the graph, in numbers.
struct OwnPart {
  std::int64_t rows = 0, entries = 0;  // vertices, and entries of their rows of P
  std::int64_t trained = 0;
  std::int64_t haloRows = 0, sentRows = 0;  // that an evaluation over all neighbours gets and gives
};

/// By rank. `itself`: whether P has the vertices themselves.
std::vector<OwnPart> ownParts(const Csr& arcs, const Owners& owners, std::span<const Split> split, int ranks,
                              bool itself);

/// What a rank keeps of rows by what for, with batches as large as these. The ranks of the method have slices
/// of the features (MethodEntry::slicesInput). Equals Method::memory after some epochs and an evaluation, to
/// a few per cent.
Memory slicedMemory(const RunSettings& run, const ModelShape& shape, const DrawnIteration& drawn, int rank,
                    const OwnPart& part, std::int64_t vertices);

}  // namespace halo::cluster
