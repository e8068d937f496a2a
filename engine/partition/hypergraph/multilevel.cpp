#include "engine/partition/hypergraph/multilevel.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/partition/hypergraph/coarsen.h"

namespace halo {
namespace {

constexpr double kShrink = 2.5;  // nodes of a level for one of the next, at most
constexpr double kGrowth = 10;   // times the mean weight of a level a community of it may get, so that levels
                                 // do not get too few
constexpr double kStuck = 0.95;  // a level that keeps more than this share of nodes is not worth having

/// The part of each cluster, or the same for members as for clusters: owners[of[v]] ↔ owners[v].
Owners onClusters(const Owners& owners, const std::vector<Vertex>& cluster, Vertex clusters) {
  Owners coarse(at(clusters));
  for (std::size_t v = 0; v < owners.size(); ++v) coarse[at(cluster[v])] = owners[v];
  return coarse;
}

}  // namespace

Levels::Levels(const Hypergraph& finest, Vertex enough, const Owners* within, std::uint64_t seed)
    : finest_(finest) {
  Owners parts = within == nullptr ? Owners{} : *within;
  byNets(enough, std::max<std::int64_t>(1, totalWeight(finest.nodeWeight) / enough), parts, seed);
}

Levels::Levels(const Hypergraph& finest, const Affinity& graph, Vertex enough, std::int64_t heaviest,
               const Owners* within, std::uint64_t seed)
    : finest_(finest), graph_(&graph) {
  Owners parts = within == nullptr ? Owners{} : *within;
  byCommunities(enough, heaviest, parts, seed);
  byNets(enough, heaviest, parts, seed);
}

void Levels::byCommunities(Vertex enough, std::int64_t heaviest, Owners& parts, std::uint64_t seed) {
  while (coarsest().nodeCount() > enough) {
    const double mean = static_cast<double>(totalWeight(finest_.nodeWeight)) / coarsest().nodeCount();
    const std::int64_t most = std::min(heaviest, static_cast<std::int64_t>(std::ceil(kGrowth * mean)));
    Clusters clusters = communities(contractedGraph(), coarsest().nodeWeight, most,
                                    parts.empty() ? nullptr : &parts, seed + count());
    if (clusters.count > kStuck * coarsest().nodeCount()) break;
    contracted_ = contracted(contractedGraph(), clusters);
    ++contractions_;
    add(std::move(clusters), parts);
  }
}

void Levels::byNets(Vertex enough, std::int64_t heaviest, Owners& parts, std::uint64_t seed) {
  while (coarsest().nodeCount() > enough) {
    const auto fewest = std::max(enough, static_cast<Vertex>(coarsest().nodeCount() / kShrink));
    Clusters clusters =
        heavyConnectivity(coarsest(), heaviest, fewest, parts.empty() ? nullptr : &parts, seed + count());
    if (clusters.count > kStuck * coarsest().nodeCount()) break;
    add(std::move(clusters), parts);
  }
}

void Levels::add(Clusters clusters, Owners& parts) {
  if (!parts.empty()) parts = onClusters(parts, clusters.ofVertex, clusters.count);
  Hypergraph coarse = contracted(coarsest(), clusters.ofVertex, clusters.count);
  coarser_.push_back({std::move(coarse), std::move(clusters)});
}

Affinity Levels::coarsestGraph() const {
  HALO_CHECK(graph_ != nullptr);
  Affinity graph = contractedGraph();
  for (std::size_t level = contractions_; level < coarser_.size(); ++level)
    graph = contracted(graph, coarser_[level].clusters);
  return graph;
}

Owners Levels::toCoarsest(Owners owners) const {
  for (const Coarser& level : coarser_)
    owners = onClusters(owners, level.clusters.ofVertex, level.clusters.count);
  return owners;
}

Owners Levels::toFiner(const Owners& owners, std::size_t level) const {
  const std::vector<Vertex>& cluster = coarser_[level - 1].clusters.ofVertex;
  Owners finer(cluster.size());
  for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = owners[at(cluster[v])];
  return finer;
}

}  // namespace halo
