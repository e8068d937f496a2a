#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/matrix.h"
#include "engine/kernels/threads/work.h"

namespace halo {

/// Calls body(begin, end) for every block of [0, count); the borders depend on `block` only. Blocks are
/// handed out as threads become free, so a body may only write what belongs to its block.
template <class Body>
void forBlocks(Index count, Index block, const Body& body) {
  const Index blocks = (count + block - 1) / block;
  const auto run = [&](Index b) { body(b * block, std::min(count, (b + 1) * block)); };
  // OpenMP takes memory for each team of one; it keeps larger ones
  if (blocks <= 1 || kernelThreads() == 1) {
    for (Index b = 0; b < blocks; ++b) run(b);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(kernelThreads())
  for (Index b = 0; b < blocks; ++b) run(b);
}

/// Rows per block so that a block of `cols` elements a row is about 64 KiB: enough to hide the hand-out of
/// blocks.
inline Index rowBlock(Index cols) { return std::max<Index>(1, 16384 / std::max<Index>(1, cols)); }

/// Zeros for the blocks of [0, count), `width` numbers each, one block's after the other. The thread that
/// drives the kernels keeps them from call to call, so that an epoch allocates nothing for its sums. Valid
/// until that thread's next call.
inline std::span<double> blockRoom(Index count, Index block, std::size_t width) {
  thread_local std::vector<double> room;
  room.assign(at((count + block - 1) / block) * width, 0.0);
  return room;
}

/// Sums over blocks of what body(begin, end, sums) adds to `width` numbers that begin at zero. The sums are
/// added to `total` in block order: the same bits for any number of threads.
template <class Body>
void sumBlockRows(Index count, Index block, std::size_t width, const Body& body, std::span<Scalar> total,
                  bool add = false) {
  const std::span<double> room = blockRoom(count, block, width);
  forBlocks(count, block,
            [&](Index begin, Index end) { body(begin, end, room.data() + at(begin / block) * width); });
  for (std::size_t j = 0; j < width; ++j) {
    double sum = 0;
    for (std::size_t k = j; k < room.size(); k += width) sum += room[k];
    total[j] = add ? total[j] + static_cast<Scalar>(sum) : static_cast<Scalar>(sum);
  }
}

/// Sum over blocks of body(begin, end), added in block order: the same bits for any number of threads.
template <class Body>
double sumBlocks(Index count, Index block, const Body& body) {
  const std::span<double> part = blockRoom(count, block, 1);
  forBlocks(count, block, [&](Index begin, Index end) { part[at(begin / block)] = body(begin, end); });
  double sum = 0;
  for (const double p : part) sum += p;
  return sum;
}

}  // namespace halo
