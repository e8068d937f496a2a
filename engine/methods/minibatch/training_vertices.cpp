#include "engine/methods/minibatch/training_vertices.h"

#include "engine/base/index.h"

namespace halo {

TrainingVertices trainingVertices(const WorkerParts& parts) {
  const LocalGraph& graph = parts.share.graph;
  std::vector<std::int64_t> ownerOf(at(graph.globalVertices), 0);  // plus 1; 0: no training vertex
  TrainingVertices trained;
  for (std::size_t row = 0; row < graph.owned.size(); ++row) {
    if (parts.share.train[row] == 0) continue;
    trained.own.push_back(graph.owned[row]);
    ownerOf[at(graph.owned[row])] = parts.comm.rank() + 1;
  }
  parts.comm.sum(ownerOf);
  trained.byRank.assign(at(parts.comm.size()), 0);
  for (std::size_t v = 0; v < ownerOf.size(); ++v) {
    if (ownerOf[v] == 0) continue;
    trained.vertices.push_back(static_cast<Vertex>(v));
    trained.owners.push_back(static_cast<std::int32_t>(ownerOf[v] - 1));
    ++trained.byRank[at(ownerOf[v] - 1)];
  }
  return trained;
}

SeedOrder seedOrder(const Communicator& comm, const SeedSettings& settings, const TrainingVertices& trained) {
  if (settings.seeds == SeedChoice::own)
    return SeedOrder::own(settings, comm.rank(), trained.own, trained.byRank);
  return SeedOrder::global(settings, comm.rank(), comm.size(), trained.vertices, trained.owners);
}

}  // namespace halo
