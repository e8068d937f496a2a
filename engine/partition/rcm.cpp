// Consecutive vertices in reverse Cuthill–McKee order: what MixGCN orders the graph by, as a partition. Far
// cheaper than METIS, since it is one breadth-first search, and worse by as much as graphs are no bands.
#include "datasets/graph/order.h"
#include "engine/base/index.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {
namespace {

Owners rcm(const Csr& arcs, const PartitionRequest& request) {
  const std::vector<Vertex> order = rcmOrder(arcs);
  Owners owners(order.size());
  const Index count = arcs.rows();
  for (Index part = 0; part < request.parts; ++part)
    for (Index i = count * part / request.parts; i < count * (part + 1) / request.parts; ++i)
      owners[at(order[at(i)])] = static_cast<std::int32_t>(part);
  return owners;
}

const Registered<PartitionerEntry> self{
    {{"rcm", "consecutive vertices in reverse Cuthill-McKee order, equally many for each part",
      "MixGCN 3.2.2 (order)"},
     rcm}};

}  // namespace
}  // namespace halo
