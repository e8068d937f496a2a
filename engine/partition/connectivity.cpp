// Our own partitioner of the communication volume Σ (λ − 1): several starts (METIS on the graph; METIS on the
// coarsest of a hierarchy of clusters), refined by annealing and localised searches, the best of them refined
// again over a hierarchy of clusters inside its parts. Decided by the seed, one thread.
#include <algorithm>
#include <utility>

#include "engine/base/problem.h"
#include "engine/partition/anneal.h"
#include "engine/partition/level_volume.h"
#include "engine/partition/metis.h"
#include "engine/partition/multilevel.h"
#include "engine/partition/refine.h"

namespace halo {
namespace {

constexpr std::string_view kFirst[] = {"metis", "hypergraph"};
constexpr Parameter kParameters[] = {
    balanceParameter("nonzeros"),
    {"start", "metis, or hypergraph: from METIS and from Zoltan's partition, which takes longer",
     Choice{"metis", kFirst}},
    {"cycles", "how often the best start is coarsened and refined again", Integer{1, 0, 1000}},
    {"largest", "a part may send this many times the mean volume, where that adds at most 1 % to the total",
     Real{1.5, 1, 1e6}},
};

constexpr Vertex kNodesPerPart = 100;  // of the coarsest level
constexpr int kStarts = 2;             // METIS partitions of the coarsest level
const RefineEffort kFinest{.rounds = 2};
constexpr Cooling kCooling{10, 0.5, 0.05};
constexpr Index kSparse =
    8;  // arcs a vertex, up to which METIS's volume refinement is quick for any number of parts

struct Volume {
  std::int64_t connectivity = -1;  // -1: none yet
  std::int64_t heaviest = 0;       // part, or the limit
  Owners owners;
};

class Search {
 public:
  Search(const Csr& arcs, const Hypergraph& graph, const PartitionRequest& request)
      : arcs_(arcs),
        graph_(graph),
        request_(request),
        parts_(request.parts),
        limit_(partLimit(graph.nodeWeight, parts_, request.imbalance)) {}

  Owners run() {
    fromMetis(MetisObjective::cut);
    if (request_.parameters.text("start") == "hypergraph") fromHypergraph();
    if (arcs_.nonzeros() <= kSparse * arcs_.rows()) fromMetis(MetisObjective::volume);
    fromCoarsest();
    for (std::int64_t cycle = 0; cycle < request_.parameters.integer("cycles"); ++cycle) again();
    level();
    return std::move(best_.owners);
  }

 private:
  std::uint64_t nextSeed() { return request_.seed * 0x9E3779B97F4A7C15U + 1000 * ++seeds_; }

  /// The better balanced one if the other breaks the limit, else the one of less volume.
  void keep(const NetParts& state) {
    const std::int64_t heaviest = std::max(limit_, *std::ranges::max_element(state.weights()));
    if (best_.connectivity >= 0 &&
        std::pair(heaviest, state.connectivity()) >= std::pair(best_.heaviest, best_.connectivity))
      return;
    best_ = {state.connectivity(), heaviest, state.owners()};
  }

  void fromMetis(MetisObjective objective) {
    Owners owners =
        metisParts(arcs_, graph_.nodeWeight, parts_, request_.imbalance, request_.seed, objective);
    if (owners.empty()) owners = spreadByWeight(graph_.nodeWeight, parts_);
    NetParts state(graph_, std::move(owners), parts_);
    rebalance(state, limit_);
    keep(state);
    if (objective == MetisObjective::cut) anneal(state, limit_, kCooling, nextSeed());
    refine(state, limit_, kFinest, nextSeed());
    keep(state);
  }

  void fromHypergraph() {
    PartitionRequest request = request_;
    std::erase_if(request.parameters, [](const auto& value) { return value.first != "balance"; });
    NetParts state(graph_, partition(arcs_, "hypergraph", request), parts_);
    rebalance(state, limit_);
    refine(state, limit_, kFinest, nextSeed());
    keep(state);
  }

  void fromCoarsest() {
    const Levels levels(graph_, kNodesPerPart * parts_, nullptr, nextSeed());
    const Hypergraph& coarsest = levels.graph(levels.count() - 1);
    const Csr edges = contractedArcs(symmetrised(arcs_), levels.coarsestNode(), coarsest.nodeCount());
    if (edges.nonzeros() == 0 || coarsest.nodeCount() <= parts_) return;
    Volume start;
    for (int i = 0; i < kStarts; ++i) {
      const std::uint64_t seed = nextSeed();
      NetParts state(coarsest, fewCutEdges(edges, coarsest.nodeWeight, parts_, request_.imbalance, seed),
                     parts_);
      rebalance(state, limit_);
      refine(state, limit_, {}, seed);
      if (start.connectivity < 0 || state.connectivity() < start.connectivity)
        start = {state.connectivity(), 0, state.owners()};
    }
    uncoarsen(levels, std::move(start.owners));
  }

  /// Coarsens and refines the best partition again, clusters inside its parts.
  void again() {
    const Levels levels(graph_, kNodesPerPart * parts_, &best_.owners, nextSeed());
    uncoarsen(levels, levels.toCoarsest(best_.owners));
  }

  void uncoarsen(const Levels& levels, Owners owners) {
    for (std::size_t level = levels.count(); level-- > 0;) {
      NetParts state(levels.graph(level), std::move(owners), parts_);
      rebalance(state, limit_);
      refine(state, limit_, level == 0 ? kFinest : RefineEffort{}, nextSeed());
      if (level == 0) keep(state);
      owners = state.takeOwners();
      if (level > 0) owners = levels.toFiner(owners, level);
    }
  }

  /// Bounds what one part sends, at the price of at most a hundredth of the volume.
  void level() {
    NetParts state(graph_, best_.owners, parts_);
    const double most =
        request_.parameters.real("largest") * static_cast<double>(best_.connectivity) / parts_;
    levelVolume(state, limit_, static_cast<std::int64_t>(most),
                best_.connectivity + best_.connectivity / 100);
    best_.owners = state.takeOwners();
  }

  const Csr& arcs_;
  const Hypergraph& graph_;
  const PartitionRequest& request_;
  const int parts_;
  const std::int64_t limit_;
  Volume best_;
  std::uint64_t seeds_ = 0;
};

Owners connectivityParts(const Csr& arcs, const PartitionRequest& request) {
  Weights weights = balanceWeights(arcs, request.parameters);
  if (request.parts == 1) return Owners(weights.size(), 0);
  if (request.parts >= arcs.rows()) return spreadByWeight(weights, request.parts);
  const Hypergraph graph = columnNets(arcs, std::move(weights));
  if (graph.netCount() == 0) return spreadByWeight(graph.nodeWeight, request.parts);
  return Search(arcs, graph, request).run();
}

const Registered<PartitionerEntry> self{
    {{"connectivity", "fewest halo rows in total (multilevel, localised searches)",
      "ours; Fiduccia and Mattheyses 1982; Sanders and Schulz 2011", kParameters},
     connectivityParts}};

}  // namespace
}  // namespace halo
