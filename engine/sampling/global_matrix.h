#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/index.h"

namespace halo {

/// Which propagation matrix a layer kind has, as engine/model's Propagation, which this room does not know.
enum class EdgeRule {
  symmetric,  // GCN: 1/√((d_v + 1)(d⁺_u + 1)), itself included
  mean,       // GraphSAGE: 1/d_v
  ownMean,    // GraphSAGE whose mean includes the vertex: 1/(d_v + 1)
  sum,        // GIN: 1
  attention,  // GAT: the pattern alone, itself included
};

/// Whether P has entries on its diagonal.
constexpr bool includesItself(EdgeRule rule) { return rule != EdgeRule::mean && rule != EdgeRule::sum; }

/// Neighbours weighted as in the whole graph, or as in a graph that has the block's arcs alone.
enum class EdgeWeights { global, block };

/// P of the whole graph entry by entry, from its degrees without arcs from a vertex to itself
/// (resources/design/methods.md).
struct GlobalMatrix {
  EdgeRule rule = EdgeRule::symmetric;
  std::span<const Vertex> inDegrees, outDegrees;  // by global id; `mean` and `ownMean` read the first alone

  Vertex inDegree(Vertex v) const { return inDegrees[at(v)]; }
  /// P_vu of an arc u → v, or of u = v where P includes the vertex itself.
  double entry(Vertex v, Vertex u) const {
    switch (rule) {
      case EdgeRule::symmetric:
        return 1 / std::sqrt((degree(inDegrees, v) + 1) * (degree(outDegrees, u) + 1));
      case EdgeRule::mean:
        return 1 / degree(inDegrees, v);
      case EdgeRule::ownMean:
        return 1 / (degree(inDegrees, v) + 1);
      case EdgeRule::sum:
      case EdgeRule::attention:
        break;
    }
    return 1;
  }

 private:
  static double degree(std::span<const Vertex> degrees, Vertex v) {
    return static_cast<double>(degrees[at(v)]);
  }
};

}  // namespace halo
