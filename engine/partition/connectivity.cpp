// Our own partitioner of the communication volume Σ (λ − 1): several starts (METIS on the graph; METIS and
// recursive bisection on the coarsest of a hierarchy of clusters), refined by annealing and localised
// searches, the best of them refined again over a hierarchy of clusters inside its parts, as often as that
// pays. Two threads; decided by the seed alone.
#include <algorithm>
#include <cmath>
#include <future>
#include <utility>

#include "engine/base/problem.h"
#include "engine/partition/anneal.h"
#include "engine/partition/bisect.h"
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
    {"cycles",
     "how often, at most, the best start is coarsened and refined again; ends where that gains little",
     Integer{12, 0, 1000}},
    {"largest", "a part may send this many times the mean volume, where that adds at most 1 % to the total",
     Real{1.5, 1, 1e6}},
};

constexpr Vertex kNodesPerPart = 100;  // of the coarsest level
constexpr int kStarts = 4;             // METIS partitions of the coarsest level
constexpr RefineEffort kFinest{.rounds = 2, .seeds = 100};
constexpr Cooling kCooling{5, 0.5, 0.05};
constexpr Index kSparse =
    8;  // arcs a vertex, up to which METIS's volume refinement is quick for any number of parts
constexpr double kRoom = 0.8;     // of what is spare on a level may be used on the next coarser one
constexpr double kWorth = 0.006;  // a cycle that improves by less is the last

struct Volume {
  std::int64_t heaviest = -1;  // part, or the limit; -1: none yet
  std::int64_t connectivity = 0;
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
    Volume best;
    if (request_.parameters.text("start") == "hypergraph")
      best = fromHypergraph(seed(3));  // before there are two threads: Zoltan may start MPI
    auto coarse = std::async(std::launch::async, [this] { return fromCoarsest(seed(0)); });
    keep(fromMetis(MetisObjective::cut, seed(1)), best);
    if (arcs_.nonzeros() <= kSparse * arcs_.rows()) keep(fromMetis(MetisObjective::volume, seed(2)), best);
    keep(coarse.get(), best);
    for (std::int64_t cycle = 0; cycle < request_.parameters.integer("cycles"); ++cycle) {
      const std::int64_t before = best.connectivity;
      keep(again(best, seed(4 + static_cast<std::uint64_t>(cycle))), best);
      if (static_cast<double>(before - best.connectivity) <= kWorth * static_cast<double>(before)) break;
    }
    return levelled(std::move(best));
  }

 private:
  std::uint64_t seed(std::uint64_t stage) const {
    return request_.seed * 0x9E3779B97F4A7C15U + 1'000'000 * stage;
  }

  Volume measured(NetParts& state) const {
    const std::int64_t heaviest = std::max(limit_, *std::ranges::max_element(state.weights()));
    return {heaviest, state.connectivity(), state.takeOwners()};
  }
  /// The better balanced one where either breaks the limit, else the one of less volume.
  static void keep(Volume other, Volume& best) {
    if (other.heaviest < 0) return;  // there was nothing to start from
    if (best.heaviest < 0 ||
        std::pair(other.heaviest, other.connectivity) < std::pair(best.heaviest, best.connectivity))
      best = std::move(other);
  }

  Volume fromMetis(MetisObjective objective, std::uint64_t seed) const {
    Owners owners =
        metisParts(arcs_, graph_.nodeWeight, parts_, request_.imbalance, request_.seed, objective);
    if (owners.empty()) owners = spreadByWeight(graph_.nodeWeight, parts_);
    NetParts state(graph_, std::move(owners), parts_);
    rebalance(state, limit_);
    if (objective == MetisObjective::cut) anneal(state, limit_, kCooling, seed);
    refine(state, limit_, kFinest, seed + 1);
    return measured(state);
  }

  Volume fromHypergraph(std::uint64_t seed) const {
    PartitionRequest request = request_;
    std::erase_if(request.parameters, [](const auto& value) { return value.first != "balance"; });
    NetParts state(graph_, partition(arcs_, "hypergraph", request), parts_);
    rebalance(state, limit_);
    refine(state, limit_, kFinest, seed);
    return measured(state);
  }

  Volume fromCoarsest(std::uint64_t seed) const {
    const Levels levels(graph_, kNodesPerPart * parts_, nullptr, seed);
    const Hypergraph& coarsest = levels.graph(levels.count() - 1);
    const Csr edges = contractedArcs(symmetrised(arcs_), levels.coarsestNode(), coarsest.nodeCount());
    if (edges.nonzeros() == 0 || coarsest.nodeCount() <= parts_) return {};
    Volume start;
    const std::int64_t limit = limitOn(levels.count() - 1);
    for (std::uint64_t i = 0; i <= kStarts; ++i) {
      Owners owners = i < kStarts
                          ? fewCutEdges(edges, coarsest.nodeWeight, parts_, request_.imbalance, seed + i)
                          : recursivelyBisected(coarsest, parts_, limit, seed + i);
      NetParts state(coarsest, std::move(owners), parts_);
      rebalance(state, limit);
      refine(state, limit, {}, seed + i);
      keep(measured(state), start);
    }
    return uncoarsened(levels, std::move(start.owners), seed);
  }

  /// Coarsens and refines a partition again, clusters inside its parts.
  Volume again(const Volume& best, std::uint64_t seed) const {
    const Levels levels(graph_, kNodesPerPart * parts_, &best.owners, seed);
    return uncoarsened(levels, levels.toCoarsest(best.owners), seed);
  }

  /// What a part may weigh on a level. Where every part is full no single move is possible: coarse levels
  /// leave room for those of finer ones.
  std::int64_t limitOn(std::size_t level) const {
    const std::int64_t mean = (totalWeight(graph_.nodeWeight) + parts_ - 1) / parts_;
    const double spare = static_cast<double>(std::max<std::int64_t>(0, limit_ - mean));
    return limit_ - static_cast<std::int64_t>(spare * (1 - std::pow(kRoom, static_cast<double>(level))));
  }

  Volume uncoarsened(const Levels& levels, Owners owners, std::uint64_t seed) const {
    for (std::size_t level = levels.count(); level-- > 0;) {
      NetParts state(levels.graph(level), std::move(owners), parts_);
      rebalance(state, limitOn(level));
      refine(state, limitOn(level), level == 0 ? kFinest : RefineEffort{}, seed + 100 + level);
      if (level == 0) return measured(state);
      owners = levels.toFiner(state.owners(), level);
    }
    return {};
  }

  /// Bounds what one part sends, at the price of at most a hundredth of the volume.
  Owners levelled(Volume best) const {
    NetParts state(graph_, std::move(best.owners), parts_);
    const double most = request_.parameters.real("largest") * static_cast<double>(best.connectivity) / parts_;
    levelVolume(state, limit_, static_cast<std::int64_t>(most), best.connectivity + best.connectivity / 100);
    return state.takeOwners();
  }

  const Csr& arcs_;
  const Hypergraph& graph_;
  const PartitionRequest& request_;
  const int parts_;
  const std::int64_t limit_;
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
