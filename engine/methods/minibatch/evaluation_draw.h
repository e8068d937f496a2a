#pragma once

#include <vector>

#include "engine/methods/minibatch/topology.h"
#include "engine/sampling/block_matrix.h"
#include "engine/sampling/neighbour.h"

namespace halo {

/// The graph that an epoch's sampled evaluation sees, layer by layer: drawn neighbours of all vertices. Draws
/// go by epoch, layer and vertex. So the outputs are those of a batch of all vertices, of which no rank holds
/// more than a layer of its own rows.
class EvaluationDraw {
 public:
  /// All outlive this. Holds 4 bytes a vertex of the whole graph, and a layer's draws.
  EvaluationDraw(const WorkerParts& parts, const Topology& topology, NeighbourSettings settings,
                 EdgeWeights weights);

  /// Block `layer`, 1 … L.
  void draw(std::int32_t epoch, int layer);
  const Csr& own() const { return own_; }    // own × own
  const Csr& halo() const { return halo_; }  // own × halo rows of the share
  std::size_t heldBytes() const;

 private:
  const WorkerParts& parts_;
  const Topology& topology_;
  NeighbourSettings settings_;
  EdgeWeights weights_;
  std::vector<Vertex> rows_, localOf_;  // 0 … own − 1; of a vertex its row here, own rows first; −1: none
  NeighbourDraw draw_;
  Blocks block_;  // the layer alone
  Csr weighted_, own_, halo_;
};

}  // namespace halo
