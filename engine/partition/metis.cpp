#include "engine/partition/metis.h"

#include <metis.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <numeric>

#include "engine/base/problem.h"
#include "engine/partition/communities.h"

namespace halo {
namespace {

/// The graph in METIS's own types.
struct MetisGraph {
  std::vector<idx_t> offsets, columns, edgeWeights;  // edgeWeights: empty if all are 1
  std::vector<real_t> shares;                        // of the parts; empty if equal
};

/// `whole`: what METIS adds up, such as "arcs".
void checkWidth(std::int64_t count, const std::string& whole = "arcs") {
  if (count <= std::numeric_limits<idx_t>::max()) return;
  throw EnvironmentError(
      "METIS: the graph has " + std::to_string(count) + " " + whole +
      ", but the METIS on this machine counts in " + std::to_string(IDXTYPEWIDTH) + " bits, at most " +
      std::to_string(std::numeric_limits<idx_t>::max()) +
      "; choose partition.method = \"block\", or install a METIS built with IDXTYPEWIDTH 64");
}

MetisGraph undirected(const Csr& arcs) {
  checkWidth(arcs.nonzeros());
  const Csr edges = affinityOf(arcs).edges;
  checkWidth(edges.nonzeros());
  return {{edges.offsets.begin(), edges.offsets.end()}, {edges.columns.begin(), edges.columns.end()}, {}, {}};
}

/// METIS prints what it cannot do to the standard output, which may be read by a program: while this lives,
/// that is the standard error.
class OutputAside {
 public:
  OutputAside() {
    std::fflush(stdout);
    kept_ = ::dup(STDOUT_FILENO);
    if (kept_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputAside() {
    std::fflush(stdout);
    if (kept_ < 0) return;
    ::dup2(kept_, STDOUT_FILENO);
    ::close(kept_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int kept_;
};

Owners partGraph(MetisGraph& graph, const Weights& weights, idx_t parts, double imbalance, std::uint64_t seed,
                 mobjtype_et objective) {
  // METIS adds these up without a look at its width, and the edges' below
  checkWidth(totalWeight(weights), "as the sum of its vertices' weights");
  std::vector<idx_t> vertexWeights(weights.begin(), weights.end());
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_OBJTYPE] = objective;
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7FFFFFFFU);
  options[METIS_OPTION_UFACTOR] = std::max(1, static_cast<int>(std::lround(imbalance * 1000)));
  options[METIS_OPTION_NUMBERING] = 0;

  auto vertices = static_cast<idx_t>(weights.size());
  idx_t constraints = 1, reached = 0;
  std::vector<idx_t> part(static_cast<std::size_t>(vertices));
  static std::mutex onlyOne;  // METIS draws from C's rand() and sets signal handlers: both are the process's
  const std::scoped_lock lock(onlyOne);
  const OutputAside aside;
  const int status = METIS_PartGraphKway(
      &vertices, &constraints, graph.offsets.data(), graph.columns.data(), vertexWeights.data(), nullptr,
      graph.edgeWeights.empty() ? nullptr : graph.edgeWeights.data(), &parts,
      graph.shares.empty() ? nullptr : graph.shares.data(), nullptr, options, &reached, part.data());
  if (status == METIS_ERROR_MEMORY)
    throw EnvironmentError("METIS: not enough memory to partition this graph");
  if (status != METIS_OK) throw EnvironmentError("METIS: stopped with status " + std::to_string(status));
  return {part.begin(), part.end()};
}

}  // namespace

Owners metisParts(const Csr& arcs, const Weights& weights, int parts, double imbalance, std::uint64_t seed,
                  MetisObjective objective) {
  MetisGraph graph = undirected(arcs);
  if (graph.columns.empty()) return {};
  return partGraph(graph, weights, parts, imbalance, seed,
                   objective == MetisObjective::volume ? METIS_OBJTYPE_VOL : METIS_OBJTYPE_CUT);
}

Owners fewCutEdges(const Csr& edges, const Weights& weights, std::span<const float> shares, double imbalance,
                   std::uint64_t seed) {
  checkWidth(edges.nonzeros());
  const double whole = std::accumulate(edges.values.begin(), edges.values.end(), 0.0);  // of whole numbers
  checkWidth(static_cast<std::int64_t>(whole), "as the sum of its edges' weights");
  MetisGraph graph{{edges.offsets.begin(), edges.offsets.end()},
                   {edges.columns.begin(), edges.columns.end()},
                   {edges.values.begin(), edges.values.end()},
                   {shares.begin(), shares.end()}};
  return partGraph(graph, weights, static_cast<idx_t>(shares.size()), imbalance, seed, METIS_OBJTYPE_CUT);
}

}  // namespace halo
