#pragma once

#include <cstdint>
#include <vector>

#include "engine/partition/contract/partitioner.h"

namespace halo {

/// What a partition costs, exactly, in integers. Vertex v is needed by every part that owns an out-neighbour
/// of v.
struct PartitionQuality {
  int parts = 1;
  std::int64_t cut =
      0;  // edges between parts (an undirected edge counts once, an arc of a directed graph once)
  std::int64_t volume = 0;       // R = Σ_v (λ_v − 1): halo rows in total
  std::int64_t maxVolume = 0;    // largest number of rows one part sends
  std::int64_t messages = 0;     // M: ordered pairs of parts that exchange rows
  std::int64_t maxMessages = 0;  // most peers one part sends to
  double imbalance = 0;          // largest part ÷ mean part − 1, by vertices
  double replication = 0;        // (n + R) / n
  std::vector<std::int64_t> vertices, nonzeros, boundary,
      remote;  // of each part: owned; stored arcs; owned rows sent to
               // somebody; halo rows received
};

PartitionQuality measure(const Csr& arcs, bool directed, const Owners& owners, int parts);

}  // namespace halo
