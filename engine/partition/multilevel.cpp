#include "engine/partition/multilevel.h"

#include <algorithm>
#include <numeric>

#include "engine/partition/coarsen.h"

namespace halo {
namespace {

constexpr double kShrink = 2.5;  // nodes of a level for one of the next, at most
constexpr double kStuck = 0.95;  // a level that keeps more than this share of nodes is not worth having

/// The part of each cluster, or the same for members as for clusters: owners[of[v]] ↔ owners[v].
Owners onClusters(const Owners& owners, const std::vector<Vertex>& cluster, Vertex clusters) {
  Owners coarse(static_cast<std::size_t>(clusters));
  for (std::size_t v = 0; v < owners.size(); ++v) coarse[static_cast<std::size_t>(cluster[v])] = owners[v];
  return coarse;
}

}  // namespace

Levels::Levels(const Hypergraph& finest, Vertex enough, const Owners* within, std::uint64_t seed)
    : finest_(finest) {
  const std::int64_t heaviest = std::max<std::int64_t>(1, totalWeight(finest.nodeWeight) / enough);
  Owners parts = within == nullptr ? Owners{} : *within;
  for (std::uint64_t level = 0; graph(level).nodeCount() > enough; ++level) {
    const Hypergraph& fine = graph(level);
    const auto fewest = std::max(enough, static_cast<Vertex>(fine.nodeCount() / kShrink));
    Clusters clusters =
        heavyConnectivity(fine, heaviest, fewest, within == nullptr ? nullptr : &parts, seed + level);
    if (clusters.count > kStuck * fine.nodeCount()) break;
    if (within != nullptr) parts = onClusters(parts, clusters.of, clusters.count);
    Hypergraph coarse = contracted(fine, clusters.of, clusters.count);
    coarser_.push_back({std::move(coarse), std::move(clusters.of)});
  }
}

std::vector<Vertex> Levels::coarsestNode() const {
  std::vector<Vertex> node(static_cast<std::size_t>(finest_.nodeCount()));
  std::iota(node.begin(), node.end(), 0);
  for (const Coarser& level : coarser_)
    for (Vertex& at : node) at = level.cluster[static_cast<std::size_t>(at)];
  return node;
}

Owners Levels::toCoarsest(Owners owners) const {
  for (const Coarser& level : coarser_) owners = onClusters(owners, level.cluster, level.graph.nodeCount());
  return owners;
}

Owners Levels::toFiner(const Owners& owners, std::size_t level) const {
  const std::vector<Vertex>& cluster = coarser_[level - 1].cluster;
  Owners finer(cluster.size());
  for (std::size_t v = 0; v < finer.size(); ++v) finer[v] = owners[static_cast<std::size_t>(cluster[v])];
  return finer;
}

Csr contractedArcs(const Csr& arcs, const std::vector<Vertex>& cluster, Vertex clusters) {
  const auto count = static_cast<std::size_t>(clusters);
  std::vector<std::size_t> begin(count + 1, 0);  // the members of each cluster, one after the other
  for (const Vertex c : cluster) ++begin[static_cast<std::size_t>(c) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Vertex> members(cluster.size());
  auto next = begin;
  for (std::size_t v = 0; v < cluster.size(); ++v)
    members[next[static_cast<std::size_t>(cluster[v])]++] = static_cast<Vertex>(v);

  Csr coarse;
  coarse.cols = clusters;
  std::vector<std::int32_t> sums(count, 0);
  std::vector<Vertex> seen;
  for (std::size_t c = 0; c < count; ++c) {
    seen.clear();
    for (std::size_t i = begin[c]; i < begin[c + 1]; ++i)
      for (const Vertex u : arcs.row(members[i])) {
        const Vertex other = cluster[static_cast<std::size_t>(u)];
        if (other != static_cast<Vertex>(c) && sums[static_cast<std::size_t>(other)]++ == 0)
          seen.push_back(other);
      }
    std::ranges::sort(seen);
    for (const Vertex other : seen) {
      coarse.columns.push_back(other);
      coarse.values.push_back(static_cast<Scalar>(std::exchange(sums[static_cast<std::size_t>(other)], 0)));
    }
    coarse.offsets.push_back(static_cast<Index>(coarse.columns.size()));
  }
  return coarse;
}

}  // namespace halo
