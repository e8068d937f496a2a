// METIS, k-way (Karypis and Kumar 1998): few cut edges ("metis") or few halo rows ("metis-volume").
//
// METIS wants an undirected graph without loops, so directed arcs get their inverse first; what is
// reported is measured on the graph itself. It is not called where it fails or cannot help: one part,
// no edges, or at least as many parts as vertices.
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/problem.h"
#include "engine/partition/partitioner.h"

namespace halo {
namespace {

/// The graph in METIS's own types.
struct MetisGraph {
  std::vector<idx_t> offsets, columns;
};

void checkWidth(Index nonzeros) {
  if (nonzeros <= std::numeric_limits<idx_t>::max()) return;
  throw EnvironmentError(
      "METIS: the graph has " + std::to_string(nonzeros) + " arcs, but the METIS on this machine counts in " +
      std::to_string(IDXTYPEWIDTH) + " bits, at most " + std::to_string(std::numeric_limits<idx_t>::max()) +
      "; choose partition.method = \"block\", or install a METIS built with IDXTYPEWIDTH 64");
}

MetisGraph undirected(const Csr& arcs) {
  checkWidth(arcs.nonzeros());
  const Csr both = symmetrised(arcs);
  checkWidth(both.nonzeros());
  MetisGraph graph;
  graph.offsets.reserve(both.offsets.size());
  graph.columns.reserve(both.columns.size());
  graph.offsets.push_back(0);
  for (Index v = 0; v < both.rows(); ++v) {
    for (const Vertex u : both.row(v))
      if (u != v) graph.columns.push_back(u);
    graph.offsets.push_back(static_cast<idx_t>(graph.columns.size()));
  }
  return graph;
}

/// At least as many parts as vertices, or nothing to cut.
Owners spread(Index vertices, Index parts) {
  Owners owners(static_cast<std::size_t>(vertices));
  for (Index v = 0; v < vertices; ++v)
    owners[static_cast<std::size_t>(v)] =
        static_cast<std::int32_t>(parts >= vertices ? v : v * parts / vertices);
  return owners;
}

Owners kway(const Csr& arcs, const PartitionRequest& request, mobjtype_et objective) {
  auto vertices = static_cast<idx_t>(arcs.rows());
  if (request.parts == 1) return Owners(static_cast<std::size_t>(arcs.rows()), 0);
  if (request.parts >= vertices) return spread(vertices, request.parts);
  MetisGraph graph = undirected(arcs);
  if (graph.columns.empty()) return spread(vertices, request.parts);

  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_OBJTYPE] = objective;
  options[METIS_OPTION_SEED] = static_cast<idx_t>(request.seed & 0x7FFFFFFFU);
  options[METIS_OPTION_UFACTOR] = std::max(1, static_cast<int>(std::lround(request.imbalance * 1000)));
  options[METIS_OPTION_NUMBERING] = 0;

  idx_t constraints = 1, parts = request.parts, reached = 0;
  std::vector<idx_t> part(static_cast<std::size_t>(vertices));
  const int status =
      METIS_PartGraphKway(&vertices, &constraints, graph.offsets.data(), graph.columns.data(), nullptr,
                          nullptr, nullptr, &parts, nullptr, nullptr, options, &reached, part.data());
  if (status == METIS_ERROR_MEMORY)
    throw EnvironmentError("METIS: not enough memory to partition this graph");
  if (status != METIS_OK) throw EnvironmentError("METIS: stopped with status " + std::to_string(status));
  return {part.begin(), part.end()};
}

Owners fewCutEdges(const Csr& arcs, const PartitionRequest& request) {
  return kway(arcs, request, METIS_OBJTYPE_CUT);
}
Owners fewHaloRows(const Csr& arcs, const PartitionRequest& request) {
  return kway(arcs, request, METIS_OBJTYPE_VOL);
}

const Registered<PartitionerEntry> cut{
    {{"metis", "few cut edges (METIS, k-way)", "Karypis and Kumar 1998"}, fewCutEdges}};
const Registered<PartitionerEntry> volume{
    {{"metis-volume", "few halo rows in total (METIS, k-way, objective volume)",
      "Karypis and Kumar 1998; METIS 5 manual, objtype"},
     fewHaloRows}};

}  // namespace
}  // namespace halo
