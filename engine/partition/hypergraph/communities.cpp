#include "engine/partition/hypergraph/communities.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/index.h"
#include "engine/partition/hypergraph/shuffle.h"

namespace halo {
namespace {

constexpr int kPasses = 3;        // at most
constexpr double kMoving = 0.05;  // a pass that moves less than this share of the vertices is the last

class LocalMoves {
 public:
  LocalMoves(const Affinity& graph, const Weights& weight, std::int64_t heaviest, const Owners* within)
      : graph_(graph),
        weight_(weight),
        heaviest_(heaviest),
        within_(within),
        total_(
            static_cast<double>(std::accumulate(graph.degree.begin(), graph.degree.end(), std::int64_t{0}))),
        communityOf_(weight.size()),
        volume_(graph.degree),
        held_(weight.begin(), weight.end()),
        links_(weight.size(), 0) {
    std::iota(communityOf_.begin(), communityOf_.end(), 0);
  }

  std::vector<Vertex> run(std::uint64_t seed) {
    const std::vector<Vertex> order = shuffledInBlocks(static_cast<Vertex>(communityOf_.size()), seed);
    for (int pass = 0; pass < kPasses; ++pass) {
      std::size_t moved = 0;
      for (const Vertex v : order) moved += toBest(at(v));
      if (static_cast<double>(moved) <= kMoving * static_cast<double>(order.size())) break;
    }
    return std::move(communityOf_);
  }

 private:
  /// Whether it moved.
  bool toBest(std::size_t v) {
    countLinks(v);
    const auto own = at(communityOf_[v]);
    volume_[own] -= graph_.degree[v];
    held_[own] -= weight_[v];
    const double share = static_cast<double>(graph_.degree[v]) / total_;
    const auto value = [&](std::size_t community) {
      return static_cast<double>(links_[community]) - share * static_cast<double>(volume_[community]);
    };
    std::size_t best = own;
    double most = value(own);
    for (const Vertex candidate : linkedCommunities_) {
      const auto community = at(candidate);
      if (value(community) <= most || held_[community] + weight_[v] > heaviest_) continue;
      most = value(community);
      best = community;
    }
    for (const Vertex community : linkedCommunities_) links_[at(community)] = 0;
    volume_[best] += graph_.degree[v];
    held_[best] += weight_[v];
    communityOf_[v] = static_cast<Vertex>(best);
    return best != own;
  }

  void countLinks(std::size_t v) {
    linkedCommunities_.clear();
    for (auto e = at(graph_.edges.offsets[v]); e < at(graph_.edges.offsets[v + 1]); ++e) {
      const auto other = at(graph_.edges.columns[e]);
      if (within_ != nullptr && (*within_)[other] != (*within_)[v]) continue;
      std::int64_t& links = links_[at(communityOf_[other])];
      if (links == 0) linkedCommunities_.push_back(communityOf_[other]);
      links += graph_.edges.weighted() ? static_cast<std::int64_t>(graph_.edges.values[e]) : 1;
    }
  }

  const Affinity& graph_;
  const Weights& weight_;
  std::int64_t heaviest_;
  const Owners* within_;
  double total_;  // of all degrees
  std::vector<Vertex> communityOf_;
  std::vector<std::int64_t> volume_, held_;  // degrees, weights of a community's vertices
  std::vector<std::int64_t> links_;          // from the vertex in hand to a community; zero between calls
  std::vector<Vertex> linkedCommunities_;
};

/// The vertices of each cluster, one after the other, and where each cluster's begin.
struct Members {
  std::vector<std::size_t> begin;
  std::vector<Vertex> vertices;
};

Members membersOf(const Clusters& clusters) {
  Members members{std::vector<std::size_t>(at(clusters.count) + 1, 0),
                  std::vector<Vertex>(clusters.ofVertex.size())};
  for (const Vertex c : clusters.ofVertex) ++members.begin[at(c) + 1];
  std::partial_sum(members.begin.begin(), members.begin.end(), members.begin.begin());
  auto next = members.begin;
  for (std::size_t v = 0; v < clusters.ofVertex.size(); ++v)
    members.vertices[next[at(clusters.ofVertex[v])]++] = static_cast<Vertex>(v);
  return members;
}

}  // namespace

Affinity affinityOf(const Csr& arcs) {
  const Csr both = symmetrised(arcs);
  Affinity graph;
  graph.edges.cols = both.cols;
  graph.edges.offsets.reserve(both.offsets.size());
  graph.edges.columns.reserve(both.columns.size());
  for (Index v = 0; v < both.rows(); ++v) {
    const auto begin = static_cast<Index>(graph.edges.columns.size());
    for (const Vertex u : both.row(v))
      if (u != v) graph.edges.columns.push_back(u);
    graph.edges.offsets.push_back(static_cast<Index>(graph.edges.columns.size()));
    graph.degree.push_back(graph.edges.offsets.back() - begin);
  }
  return graph;
}

Clusters communities(const Affinity& graph, const Weights& weight, std::int64_t heaviest,
                     const Owners* within, std::uint64_t seed) {
  return numbered(LocalMoves(graph, weight, heaviest, within).run(seed));
}

Affinity contracted(const Affinity& graph, const Clusters& clusters) {
  const Members members = membersOf(clusters);
  const auto count = at(clusters.count);
  Affinity coarse;
  coarse.edges.cols = clusters.count;
  coarse.degree.assign(count, 0);
  std::vector<std::int64_t> sums(count, 0);
  std::vector<Vertex> neighbours;
  for (std::size_t c = 0; c < count; ++c) {
    neighbours.clear();
    for (std::size_t i = members.begin[c]; i < members.begin[c + 1]; ++i) {
      const auto v = at(members.vertices[i]);
      coarse.degree[c] += graph.degree[v];
      for (auto e = at(graph.edges.offsets[v]); e < at(graph.edges.offsets[v + 1]); ++e) {
        const Vertex other = clusters.ofVertex[at(graph.edges.columns[e])];
        if (other == static_cast<Vertex>(c)) continue;
        std::int64_t& sum = sums[at(other)];
        if (sum == 0) neighbours.push_back(other);
        sum += graph.edges.weighted() ? static_cast<std::int64_t>(graph.edges.values[e]) : 1;
      }
    }
    std::ranges::sort(neighbours);
    for (const Vertex other : neighbours) {
      coarse.edges.columns.push_back(other);
      coarse.edges.values.push_back(static_cast<Scalar>(std::exchange(sums[at(other)], 0)));
    }
    coarse.edges.offsets.push_back(static_cast<Index>(coarse.edges.columns.size()));
  }
  return coarse;
}

}  // namespace halo
