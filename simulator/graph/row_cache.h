#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "datasets/graph/csr_rows.h"

namespace halo::sim {

/// A cache of rows of features with least recently used replacement, all rows of one size. Rows that are
/// smaller than what is fetched come by blocks of several.
struct RowCache {
  std::int64_t rowsPerBlock = 1;    // row v lies in block v / rowsPerBlock
  std::int64_t capacityBlocks = 0;  // that it holds; 0: none
};

/// Misses when rows are asked for in the order of the matrix's columns, row after row. They are counted for
/// each of the stretches [ends[i − 1], ends[i]) of the nonzeros (ends ascend; the last is matrix.nonzeros()).
/// The cache is empty at first. Exact: the nonzeros themselves are the list of what was used when. Cost: two
/// random accesses to 8 bytes a block a nonzero. Memory: 8 bytes a block.
std::vector<std::int64_t> lruMisses(const CsrRows& matrix, const RowCache& cache,
                                    std::span<const std::int64_t> ends);

/// An estimate of the same from the blocks with hash(block) in one of `oneOf` parts, in a cache as much
/// smaller. Stretch by stretch, the share of misses among their uses stands for all uses. oneOf: a power of
/// two; 1 is exact.
/// Source: Waldspurger et al., SHARDS, FAST 2015
std::vector<std::int64_t> sampledLruMisses(const CsrRows& matrix, const RowCache& cache,
                                           std::span<const std::int64_t> ends, std::int64_t oneOf);

/// Misses expected of `uses` of `blocks` blocks, each as likely as any other and independent of what came
/// before: no locality, no hubs.
std::int64_t expectedMisses(std::int64_t uses, double blocks, double capacityBlocks);

/// The definition: a list, the last used in front. The tests hold lruMisses against it.
std::vector<std::int64_t> lruMissesReference(const CsrRows& matrix, const RowCache& cache,
                                             std::span<const std::int64_t> ends);

/// Row ends that cut the nonzeros into `count` stretches of about equal size; the last is matrix.rows().
std::vector<std::int64_t> evenRows(const CsrRows& matrix, std::int64_t count);

}  // namespace halo::sim
