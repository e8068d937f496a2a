#pragma once

#include <cstdint>

namespace halo {

/// Work counted (not timed) by the kernels that the calling thread has driven since its start, FLOP:
/// 2·nnz·d an aggregation, 2·n·d_in·d_out a product.
struct Work {
  std::int64_t sparse = 0, dense = 0;
  // Bytes that aggregations move, by a closed form and not measured. They are the matrix as stored, every row
  // that is written (twice where it is added to), and the rows that are read. Of the latter, each counts once
  // in the least, and once for every arc in the most. Not counted for attention.
  std::int64_t sparseLeastBytes = 0, sparseMostBytes = 0;
  std::int64_t total() const { return sparse + dense; }
};
Work& work();

/// Threads the kernels use; results do not depend on it.
void setKernelThreads(int threads);
int kernelThreads();

}  // namespace halo
