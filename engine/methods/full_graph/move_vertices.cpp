#include "engine/methods/full_graph/move_vertices.h"

#include <utility>

#include "engine/base/index.h"
#include "engine/comm/exchange/row_directory.h"

namespace halo {
namespace {

/// The propagation matrix with the rows of `owned` alone, which are all that a rank's blocks are cut from.
Csr withRowsOf(const std::vector<Vertex>& owned, Csr rows) {
  Csr matrix{.cols = rows.cols};
  matrix.offsets.reserve(at(rows.cols) + 1);
  std::size_t next = 0;
  for (Vertex v = 0; v < static_cast<Vertex>(rows.cols); ++v) {
    if (next < owned.size() && owned[next] == v) ++next;
    matrix.offsets.push_back(rows.offsets[next]);
  }
  matrix.columns = std::move(rows.columns);
  matrix.values = std::move(rows.values);
  return matrix;
}

/// Needs all ranks for what they send: each is told by those who need it.
LocalGraph graphOf(Communicator& comm, const Csr& propagation, const Owners& owners) {
  LocalGraph graph = localGraph(propagation, owners, comm.rank(), comm.size());
  graph.peers = RowDirectory(comm, graph).plan(graph.haloIds);
  return graph;
}

}  // namespace

void moveVertices(Communicator& comm, Share& share, const Owners& owners) {
  HALO_CHECK(static_cast<Index>(owners.size()) == share.graph.globalVertices);
  HALO_CHECK(share.features.rows() == static_cast<Index>(share.graph.owned.size()));
  std::vector<Vertex> owned;
  for (std::size_t v = 0; v < owners.size(); ++v)
    if (owners[v] == comm.rank()) owned.push_back(static_cast<Vertex>(v));
  const bool weighted = comm.anywhere(share.graph.own.weighted() || share.graph.halo.weighted());
  RowDirectory directory(comm, share.graph);
  Csr rows = directory.propagationRows(owned);
  if (!weighted) rows.values = {};
  share.features = directory.rows(share.features, owned);
  if (share.multiLabel)
    share.multiLabels = directory.rows(share.multiLabels, owned);
  else
    share.labels = directory.elements(share.labels, owned);
  for (auto* chosen : {&share.train, &share.valid, &share.test}) *chosen = directory.elements(*chosen, owned);
  share.graph = graphOf(comm, withRowsOf(owned, std::move(rows)), owners);
}

}  // namespace halo
