#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/matrix.h"
#include "engine/kernels/work.h"

namespace halo {

/// Calls body(begin, end) for every block of [0, count); the borders depend on `block` only. Blocks are
/// handed out as threads become free, so a body may only write what belongs to its block.
template <class Body>
void forBlocks(Index count, Index block, const Body& body) {
  const Index blocks = (count + block - 1) / block;
  if (blocks <= 1) {
    if (count > 0) body(Index{0}, count);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(kernelThreads())
  for (Index b = 0; b < blocks; ++b) body(b * block, std::min(count, (b + 1) * block));
}

/// Rows per block so that a block of `cols` elements a row is about 64 KiB: enough to hide the hand-out of
/// blocks.
inline Index rowBlock(Index cols) { return std::max<Index>(1, 16384 / std::max<Index>(1, cols)); }

/// Sum over blocks of body(begin, end), added in block order: the same bits for any number of threads.
template <class Body>
double sumBlocks(Index count, Index block, const Body& body) {
  std::vector<double> part(static_cast<std::size_t>((count + block - 1) / block));
  forBlocks(count, block, [&](Index begin, Index end) {
    part[static_cast<std::size_t>(begin / block)] = body(begin, end);
  });
  double sum = 0;
  for (const double p : part) sum += p;
  return sum;
}

}  // namespace halo
