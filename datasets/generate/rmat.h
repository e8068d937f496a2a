#pragma once

#include <cstdint>

#include "datasets/graph/csr.h"

namespace halo {

/// An R-MAT graph of 2^scale vertices: `arcsPerVertex` · 2^scale arcs drawn with quadrant shares 0.57, 0.19,
/// 0.19, 0.05, vertices renumbered at random, every inverse arc added, duplicates and self loops dropped.
/// Hubs and many vertices without neighbours; no communities. Same seed, same bytes, for any number of
/// threads. scale 1 to 30. Memory: 16 bytes an arc.   Source: Chakrabarti, Zhan & Faloutsos 2004; shares of
/// Graph500
Csr rmat(int scale, Index arcsPerVertex, std::uint64_t seed);

}  // namespace halo
