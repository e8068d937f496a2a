#pragma once

#include <vector>

#include "engine/methods/worker/worker_parts.h"
#include "engine/sampling/seed_order.h"

namespace halo {

/// Who has which training vertices.
struct TrainingVertices {
  std::vector<std::int64_t> byRank;  // how many
  std::vector<Vertex> own;           // this rank's, ascending
  std::vector<Vertex> vertices;      // ascending
  std::vector<std::int32_t> owners;  // of all
};
/// Collective, uncounted.
TrainingVertices trainingVertices(const WorkerParts& parts);

/// This rank's order of seeds.
SeedOrder seedOrder(const Communicator& comm, const SeedSettings& settings, const TrainingVertices& trained);

}  // namespace halo
