#pragma once

#include <cstdint>

#include "datasets/graph/csr.h"

namespace halo {

/// An R-MAT graph of 2^scale vertices. `arcsPerVertex` · 2^scale arcs are drawn with quadrant shares 0.57,
/// 0.19, 0.19, 0.05 and vertices renumbered at random. Every inverse arc is added; duplicates and self loops
/// are dropped. It has hubs and many vertices without neighbours, and no communities. Same seed, same bytes,
/// for any number of threads. scale 1 to 30. Memory: 16 bytes an arc. Source: Chakrabarti, Zhan & Faloutsos
/// 2004; shares of Graph500
Csr rmat(int scale, Index arcsPerVertex, std::uint64_t seed);

}  // namespace halo
