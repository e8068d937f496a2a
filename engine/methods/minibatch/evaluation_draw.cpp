#include "engine/methods/minibatch/evaluation_draw.h"

#include <numeric>

#include "engine/base/index.h"

namespace halo {
namespace {

/// The columns [begin, begin + count) of A.
void cutColumns(const Csr& A, Index begin, Index count, Csr& out) {
  out.cols = count;
  out.offsets.assign(1, 0);
  out.columns.clear();
  out.values.clear();
  for (Index row = 0; row < A.rows(); ++row) {
    for (Index e = A.offsets[at(row)]; e < A.offsets[at(row) + 1]; ++e) {
      const Index column = A.columns[at(e)] - begin;
      if (column < 0 || column >= count) continue;
      out.columns.push_back(static_cast<Vertex>(column));
      if (A.weighted()) out.values.push_back(A.values[at(e)]);
    }
    out.offsets.push_back(std::ssize(out.columns));
  }
}

}  // namespace

EvaluationDraw::EvaluationDraw(const WorkerParts& parts, const Topology& topology, NeighbourSettings settings,
                               EdgeWeights weights)
    : parts_(parts),
      topology_(topology),
      settings_(std::move(settings)),
      weights_(weights),
      rows_(topology.owned().size()),
      localOf_(at(topology.graph().vertices()), -1) {
  std::iota(rows_.begin(), rows_.end(), Vertex{0});
  const LocalGraph& graph = parts.share.graph;
  for (const auto* ids : {&graph.owned, &graph.haloIds})
    for (const Vertex v : *ids) {
      localOf_[at(v)] = static_cast<Vertex>(block_.vertices.size());
      block_.vertices.push_back(v);
    }
  block_.arcs.resize(1);
}

void EvaluationDraw::draw(std::int32_t epoch, int layer) {
  const DrawKey key{parts_.settings.training.seed, static_cast<std::uint64_t>(epoch), Purpose::evaluate};
  Csr& arcs = block_.arcs.front();
  draw_(topology_.graph(), settings_, key, layer, topology_.owned(), rows_, arcs);
  for (Vertex& column : arcs.columns) column = localOf_[at(column)];
  arcs.cols = std::ssize(block_.vertices);
  weighNeighbours(block_, 1, topology_.matrix(), weights_, weighted_);
  const Index own = std::ssize(rows_);
  cutColumns(weighted_, 0, own, own_);
  cutColumns(weighted_, own, weighted_.cols - own, halo_);
}

std::size_t EvaluationDraw::heldBytes() const {
  std::size_t bytes = halo::heldBytes(rows_) + halo::heldBytes(localOf_) + draw_.heldBytes();
  bytes += block_.heldBytes();
  for (const Csr* A : {&weighted_, &own_, &halo_})
    bytes += halo::heldBytes(A->offsets) + halo::heldBytes(A->columns) + halo::heldBytes(A->values);
  return bytes;
}

}  // namespace halo
