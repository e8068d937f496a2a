#pragma once

#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/philox.h"

namespace halo {

/// Directed: `count` arcs drawn uniformly (duplicates merged, loops dropped), so rows of very different
/// length.
inline Csr randomDirected(Index vertices, Index count, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 77);
  std::vector<Arc> arcs;
  for (Index i = 0; i < count; ++i)
    arcs.push_back({static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices))),
                    static_cast<Vertex>(random.below(static_cast<std::uint64_t>(vertices)))});
  return buildCsr(vertices, arcs, false);
}

inline Csr randomUndirected(Index vertices, Index count, std::uint64_t seed) {
  return symmetrised(randomDirected(vertices, count, seed));
}

/// Vertex 0 joined with all others, both directions.
inline Csr star(Index vertices) {
  std::vector<Arc> arcs;
  for (Vertex v = 1; v < vertices; ++v) arcs.push_back({0, v});
  return symmetrised(buildCsr(vertices, arcs, false));
}

/// 0 – 1 – 2 – …, both directions.
inline Csr path(Index vertices) {
  std::vector<Arc> arcs;
  for (Vertex v = 1; v < vertices; ++v) arcs.push_back({static_cast<Vertex>(v - 1), v});
  return symmetrised(buildCsr(vertices, arcs, false));
}

inline Csr edgeless(Index vertices) { return buildCsr(vertices, {}, false); }

/// width × height points, each joined with its four neighbours, row by row.
inline Csr grid(Index width, Index height) {
  std::vector<Arc> arcs;
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x) {
      const auto v = static_cast<Vertex>(y * width + x);
      if (x + 1 < width) arcs.push_back({v, v + 1});
      if (y + 1 < height) arcs.push_back({v, static_cast<Vertex>(v + width)});
    }
  return symmetrised(buildCsr(width * height, arcs, false));
}

/// Elements in [-1, 1).
inline Matrix randomMatrix(Index rows, Index cols, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generatedFeatures, 78);
  Matrix X(rows, cols);
  for (Scalar& x : X.values()) x = static_cast<Scalar>(2 * random.uniform() - 1);
  return X;
}

}  // namespace halo
