#include <cmath>
#include <utility>

#include "engine/base/index.h"
#include "engine/model/model.h"

namespace halo {
namespace {

/// A without its self loops, plus exactly one for each vertex; columns ascend.
Csr withSelfLoops(const Csr& arcs) {
  Csr A;
  A.cols = arcs.cols;
  A.offsets.reserve(arcs.offsets.size());
  A.columns.reserve(arcs.columns.size() + at(arcs.rows()));
  for (Index v = 0; v < arcs.rows(); ++v) {
    bool placed = false;
    for (const Vertex u : arcs.row(v)) {
      if (u == v) continue;
      if (u > v && !std::exchange(placed, true)) A.columns.push_back(static_cast<Vertex>(v));
      A.columns.push_back(u);
    }
    if (!placed) A.columns.push_back(static_cast<Vertex>(v));
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  return A;
}

/// D_in^-1/2 (A + I) D_out^-1/2
Csr symmetricNormalised(const Csr& arcs) {
  Csr P = withSelfLoops(arcs);
  std::vector<Index> outDegree(at(P.rows()), 0);
  for (const Vertex u : P.columns) ++outDegree[at(u)];
  P.values.reserve(P.columns.size());
  for (Index v = 0; v < P.rows(); ++v)
    for (const Vertex u : P.row(v)) {
      const auto product = static_cast<double>(P.degree(v)) * static_cast<double>(outDegree[at(u)]);
      P.values.push_back(static_cast<Scalar>(1 / std::sqrt(product)));
    }
  return P;
}

Csr rowMean(const Csr& arcs) {
  Csr P = arcs;
  P.values.clear();
  P.values.reserve(P.columns.size());
  for (Index v = 0; v < P.rows(); ++v)
    P.values.insert(P.values.end(), at(P.degree(v)),
                    static_cast<Scalar>(1.0 / static_cast<double>(P.degree(v))));
  return P;
}

}  // namespace

Csr propagationMatrix(const Csr& arcs, Propagation propagation) {
  HALO_CHECK(arcs.rows() == arcs.cols);
  switch (propagation) {
    case Propagation::symmetric:
      return symmetricNormalised(arcs);
    case Propagation::mean:
      return rowMean(arcs);
    case Propagation::ownMean:
      return rowMean(withSelfLoops(arcs));
    case Propagation::attention:
      return withSelfLoops(arcs);
    case Propagation::sum:
      break;
  }
  Csr P = arcs;
  P.values.clear();
  return P;
}

}  // namespace halo
