#include "engine/partition/contract/quality.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "engine/base/index.h"

namespace halo {
namespace {

/// The vertices of each part, ascending, one part after the other.
struct ByPart {
  std::vector<std::size_t> begin;  // parts + 1
  std::vector<Vertex> vertices;
};

ByPart byPart(const Owners& owners, int parts) {
  ByPart grouped{std::vector<std::size_t>(at(parts) + 1, 0), std::vector<Vertex>(owners.size())};
  for (const auto part : owners) ++grouped.begin[at(part) + 1];
  std::partial_sum(grouped.begin.begin(), grouped.begin.end(), grouped.begin.begin());
  auto next = grouped.begin;
  for (std::size_t v = 0; v < owners.size(); ++v)
    grouped.vertices[next[at(owners[v])]++] = static_cast<Vertex>(v);
  return grouped;
}

std::int64_t largest(const std::vector<std::int64_t>& values) { return *std::ranges::max_element(values); }

/// Goes over the arcs, part after part, and counts.
class Survey {
 public:
  Survey(const Csr& arcs, const Owners& owners, std::size_t parts)
      : arcs_(arcs),
        owners_(owners),
        sent_(parts, 0),
        peers_(parts, 0),
        neededBy_(owners.size(), -1),
        sendsTo_(parts, -1),
        isBoundary_(owners.size(), 0) {
    q_.parts = static_cast<int>(parts);
    for (auto* each : {&q_.vertices, &q_.nonzeros, &q_.boundary, &q_.remote}) each->assign(parts, 0);
  }

  void add(std::int32_t part, std::span<const Vertex> vertices) {
    const auto p = at(part);
    q_.vertices[p] = std::ssize(vertices);
    for (const Vertex v : vertices) {
      q_.nonzeros[p] += arcs_.degree(v);
      for (const Vertex u : arcs_.row(v))
        if (const std::int32_t owner = owners_[at(u)]; owner != part) addCut(part, at(owner), at(u));
    }
  }

  PartitionQuality quality(bool directed) {
    const std::size_t n = owners_.size();
    q_.cut = directed ? cutArcs_ : cutArcs_ / 2;
    q_.volume = std::reduce(sent_.begin(), sent_.end());
    q_.maxVolume = largest(sent_);
    q_.messages = std::reduce(peers_.begin(), peers_.end());
    q_.maxMessages = largest(peers_);
    q_.replication = 1;
    if (n > 0) {
      q_.imbalance = static_cast<double>(largest(q_.vertices)) * q_.parts / static_cast<double>(n) - 1;
      q_.replication = static_cast<double>(static_cast<std::int64_t>(n) + q_.volume) / static_cast<double>(n);
    }
    return std::move(q_);
  }

 private:
  /// An arc from u, of another part, to a vertex of `part`.
  void addCut(std::int32_t part, std::size_t owner, std::size_t u) {
    ++cutArcs_;
    if (std::exchange(neededBy_[u], part) == part) return;
    ++q_.remote[at(part)];
    ++sent_[owner];
    if (!std::exchange(isBoundary_[u], 1)) ++q_.boundary[owner];
    if (std::exchange(sendsTo_[owner], part) != part) ++peers_[owner];
  }

  const Csr& arcs_;
  const Owners& owners_;
  PartitionQuality q_;
  std::vector<std::int64_t> sent_, peers_;  // rows, receivers
  std::vector<std::int32_t> neededBy_;      // the last part found to need v
  std::vector<std::int32_t> sendsTo_;       // the last part found to receive from a part
  std::vector<std::uint8_t> isBoundary_;
  std::int64_t cutArcs_ = 0;
};

}  // namespace

PartitionQuality measure(const Csr& arcs, bool directed, const Owners& owners, int parts) {
  HALO_CHECK(parts >= 1 && static_cast<Index>(owners.size()) == arcs.rows());
  const ByPart grouped = byPart(owners, parts);
  Survey survey(arcs, owners, at(parts));
  for (std::int32_t part = 0; part < parts; ++part) {
    const auto p = at(part);
    survey.add(
        part, std::span(grouped.vertices).subspan(grouped.begin[p], grouped.begin[p + 1] - grouped.begin[p]));
  }
  return survey.quality(directed);
}

}  // namespace halo
