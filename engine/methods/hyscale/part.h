#pragma once

#include <vector>

#include "engine/base/matrix.h"
#include "engine/kernels/opencl/card_memory.h"
#include "engine/sampling/blocks.h"

namespace halo::hyscale {

/// What one trainer does of a batch. Kept from batch to batch: what has grown stays.
struct Part {
  std::vector<Vertex> seeds;
  Blocks blocks;
  Matrix gathered, rows;               // X of V^0: in the host's memory, and where it is trained on
  CardMatrix cardRows;                 // the latter on a card of OpenCL
  std::vector<std::int64_t> sampleNs;  // by layer: CPU time of its draws
  std::vector<Index> nonzeros;         // by layer: of the matrices that were multiplied with
  double loss = 0;                     // mean over the seeds
  bool isEmpty() const { return seeds.empty(); }
};

}  // namespace halo::hyscale
