#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/partition/contract/partitioner.h"

namespace halo {

/// Rows that batches sent, on average.
struct MeasuredRows {
  double mean = 0;           // of all parts together
  double sigma = 0;          // of the mean
  std::vector<double> sent;  // by part
};

/// What partitions cost in the same drawn batches: uniform ones of `batch` vertices, by the keys that
/// training draws square blocks with, steps 0 … draws − 1. Element i is of partitions[i].
/// 1 ≤ batch ≤ vertices, draws ≥ 2.
std::vector<MeasuredRows> measuredRows(const Csr& arcs, std::span<const Owners> partitions, int parts,
                                       Index batch, std::int64_t draws, std::uint64_t seed);

}  // namespace halo
