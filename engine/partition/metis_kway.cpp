// METIS, k-way (Karypis and Kumar 1998): few cut edges ("metis") or few halo rows ("metis-volume").
//
// METIS wants an undirected graph without loops, so directed arcs get their inverse first; what is
// reported is measured on the graph itself. It is not called where it fails or cannot help: one part,
// no edges, or at least as many parts as vertices.
#include "engine/base/index.h"
#include "engine/partition/connectivity/metis.h"

namespace halo {
namespace {

constexpr Parameter kParameters[] = {kBalanceParameter};

/// At least as many parts as vertices, or nothing to cut.
Owners spread(Index vertices, Index parts) {
  Owners owners(at(vertices));
  for (Index v = 0; v < vertices; ++v)
    owners[at(v)] = static_cast<std::int32_t>(parts >= vertices ? v : v * parts / vertices);
  return owners;
}

Owners kway(const Csr& arcs, const PartitionRequest& request, MetisObjective objective) {
  if (request.parts == 1) return Owners(at(arcs.rows()), 0);
  if (request.parts >= arcs.rows()) return spread(arcs.rows(), request.parts);
  Owners owners = metisParts(arcs, balanceWeights(arcs, request.parameters), request.parts, request.imbalance,
                             request.seed, objective);
  return owners.empty() ? spread(arcs.rows(), request.parts) : owners;
}

Owners kwayCut(const Csr& arcs, const PartitionRequest& request) {
  return kway(arcs, request, MetisObjective::cut);
}
Owners kwayVolume(const Csr& arcs, const PartitionRequest& request) {
  return kway(arcs, request, MetisObjective::volume);
}

const Registered<PartitionerEntry> cut{
    {{"metis", "few cut edges (METIS, k-way)", "Karypis and Kumar 1998", kParameters}, kwayCut}};
const Registered<PartitionerEntry> volume{
    {{"metis-volume", "few halo rows in total (METIS, k-way, objective volume)",
      "Karypis and Kumar 1998; METIS 5 manual, objtype", kParameters},
     kwayVolume}};

}  // namespace
}  // namespace halo
