#pragma once

#include <cstdint>
#include <vector>

namespace halo {

/// What is trained. Layer l = 1 … L has f^(l−1) inputs and f^l outputs.
struct HybridWork {
  std::vector<std::int64_t> widths = {100, 256, 47};  // f^0 … f^L
  bool concatenates = false;                          // GraphSAGE: a vertex's own row beside the aggregate
  std::int64_t trainVertices = 0;
  int elementBytes = 4;
  int hostTrafficFactor = 1;  // of features in host memory: 1 read; 2 and written gathered; 3 and read by DMA
  bool sendsTopology = false;  // 8 bytes a sampled edge go to the card too
  bool twoProducts = false;    // GIN: the update's output by f^l × f^l once more
};

}  // namespace halo
