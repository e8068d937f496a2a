#include "engine/methods/minibatch/topology.h"

#include "engine/base/index.h"

namespace halo {

EdgeRule edgeRule(Propagation propagation) {
  switch (propagation) {
    case Propagation::symmetric:
      return EdgeRule::symmetric;
    case Propagation::mean:
      return EdgeRule::mean;
    case Propagation::ownMean:
      return EdgeRule::ownMean;
    case Propagation::sum:
      return EdgeRule::sum;
    case Propagation::attention:
      break;
  }
  return EdgeRule::attention;
}

Topology::Topology(WorkerParts& parts)
    : owned_(parts.share.graph.owned),
      rule_(edgeRule(parts.model.propagation())),
      directory_(parts.comm, parts.share.graph),
      rows_(rowsFrom(directory_)),
      graph_(rows_, owned_) {
  shareDegrees(parts.comm);
}

// The sampler reads the pattern alone; blocks get values of their own.
Csr Topology::rowsFrom(RowDirectory& directory) const {
  Csr rows = directory.propagationRows(owned_);
  rows.values = Buffer<Scalar>();
  return rows;
}

void Topology::shareDegrees(Communicator& comm) {
  const auto shared = [&](const auto& note) {
    std::vector<std::int64_t> degrees(at(graph_.vertices()), 0);
    note(degrees);
    comm.sum(degrees);
    return std::vector<Vertex>(degrees.begin(), degrees.end());
  };
  inDegrees_ = shared([&](std::vector<std::int64_t>& degrees) {
    for (std::size_t row = 0; row < owned_.size(); ++row)
      degrees[at(owned_[row])] = graph_.degree(static_cast<Index>(row));
  });
  outDegrees_ = shared([&](std::vector<std::int64_t>& degrees) {
    for (std::size_t row = 0; row < owned_.size(); ++row)
      for (const Vertex u : rows_.row(static_cast<Index>(row)))
        if (u != owned_[row]) ++degrees[at(u)];
  });
}

std::size_t Topology::heldBytes() const {
  const std::size_t directory =
      directory_.owners().size() * (sizeof(Owners::value_type) + sizeof(Vertex));  // and rows at owners
  return halo::heldBytes(rows_.offsets) + halo::heldBytes(rows_.columns) + halo::heldBytes(inDegrees_) +
         halo::heldBytes(outDegrees_) + directory;
}

}  // namespace halo
