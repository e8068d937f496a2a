#include "engine/partition/hypergraph/coarsen.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "engine/base/philox.h"
#include "engine/partition/hypergraph/shuffle.h"

namespace halo {
namespace {

constexpr std::size_t kLargestRated = 100;  // pins; a larger net says little about who belongs together

/// Clusters while they grow: a node's cluster is named by its first member.
class Growth {
 public:
  Growth(const Hypergraph& graph, std::int64_t heaviest, const Owners* within)
      : graph_(graph),
        heaviest_(heaviest),
        within_(within),
        clusterOf_(static_cast<std::size_t>(graph.nodeCount())),
        weight_(graph.nodeWeight.begin(), graph.nodeWeight.end()),
        joined_(clusterOf_.size(), 0),
        rating_(clusterOf_.size(), 0),
        waiting_(clusterOf_.size(), -1),
        linkedClusters_(clusterOf_.size() + 1) {
    std::iota(clusterOf_.begin(), clusterOf_.end(), 0);
  }

  /// Whether `node`, alone so far, joined another cluster.
  bool join(Vertex node) {
    const auto at = static_cast<std::size_t>(node);
    if (joined_[at]) return false;
    const Vertex cluster = bestRated(node);
    if (cluster < 0) return false;
    clusterOf_[at] = cluster;
    weight_[static_cast<std::size_t>(cluster)] += graph_.nodeWeight[at];
    joined_[at] = joined_[static_cast<std::size_t>(cluster)] = 1;
    return true;
  }

  Clusters finish() { return numbered(std::move(clusterOf_)); }

 private:
  Vertex bestRated(Vertex node) {
    std::size_t count = 0;
    for (const Vertex net : graph_.netsOf(node)) {
      const auto pins = graph_.pinsOf(net);
      if (pins.size() > kLargestRated) continue;
      const float share = static_cast<float>(graph_.netWeight[static_cast<std::size_t>(net)]) /
                          static_cast<float>(pins.size() - 1);
      for (const Vertex pin : pins) {  // without a branch: chance decides whether a cluster was seen before
        const Vertex cluster = clusterOf_[static_cast<std::size_t>(pin)];
        float& rating = rating_[static_cast<std::size_t>(cluster)];
        linkedClusters_[count] = cluster;
        count += rating == 0;
        rating += share;
      }
    }
    const std::int64_t room = heaviest_ - graph_.nodeWeight[static_cast<std::size_t>(node)];
    Vertex best = -1, preferred = -1;
    float most = 0, mostPreferred = 0;
    for (const Vertex cluster : std::span(linkedClusters_).first(count)) {
      const auto at = static_cast<std::size_t>(cluster);
      const float rating = std::exchange(rating_[at], 0.0F);
      if (cluster == node) continue;
      if (within_ != nullptr && (*within_)[at] != (*within_)[static_cast<std::size_t>(node)]) continue;
      if (weight_[at] > room) {
        if (rating <= mostPreferred) continue;
        mostPreferred = rating;
        preferred = cluster;
        continue;
      }
      if (rating < most) continue;
      if (best >= 0 && rating == most && weight_[at] >= weight_[static_cast<std::size_t>(best)]) continue;
      most = rating;
      best = cluster;
    }
    // no room there: with others that preferred the same, as leaves of one hub
    if (best < 0 && preferred >= 0) {
      Vertex& waiting = waiting_[static_cast<std::size_t>(preferred)];
      if (waiting >= 0 && weight_[static_cast<std::size_t>(waiting)] <= room) return waiting;
      waiting = node;
    }
    return best;
  }

  const Hypergraph& graph_;
  std::int64_t heaviest_;
  const Owners* within_;
  std::vector<Vertex> clusterOf_;
  std::vector<std::int64_t> weight_;
  std::vector<std::uint8_t> joined_;  // part of a cluster of several
  std::vector<float> rating_;
  std::vector<Vertex> waiting_;  // for each cluster without room, who last found none
  std::vector<Vertex> linkedClusters_;
};

}  // namespace

Clusters numbered(std::vector<Vertex> clusters) {
  std::vector<Vertex> number(clusters.size(), -1);
  Vertex count = 0;
  for (Vertex& cluster : clusters) {
    Vertex& renumbered = number[static_cast<std::size_t>(cluster)];
    if (renumbered < 0) renumbered = count++;
    cluster = renumbered;
  }
  return {std::move(clusters), count};
}

Clusters heavyConnectivity(const Hypergraph& graph, std::int64_t heaviest, Vertex fewest,
                           const Owners* within, std::uint64_t seed) {
  Growth growth(graph, heaviest, within);
  const std::vector<Vertex> order = shuffledInBlocks(graph.nodeCount(), seed);
  const std::int64_t mayJoin = graph.nodeCount() - fewest;
  std::int64_t joined = 0;
  for (std::size_t turn = 0; turn < order.size(); ++turn) {
    // each block has its share of what may join: the last ones would else be left as they are
    const std::size_t visited = std::min(order.size(), (turn / kShuffleBlock + 1) * kShuffleBlock);
    const std::int64_t allowed = mayJoin * static_cast<std::int64_t>(visited) / graph.nodeCount();
    if (joined < allowed) joined += growth.join(order[turn]);
  }
  return growth.finish();
}

}  // namespace halo
