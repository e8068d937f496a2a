#include "engine/partition/quality.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace halo {
namespace {

/// The vertices of each part, ascending, one part after the other.
struct ByPart {
  std::vector<std::size_t> begin;  // parts + 1
  std::vector<Vertex> vertices;
};

ByPart byPart(const Owners& owners, int parts) {
  ByPart grouped{std::vector<std::size_t>(static_cast<std::size_t>(parts) + 1, 0),
                 std::vector<Vertex>(owners.size())};
  for (const auto part : owners) ++grouped.begin[static_cast<std::size_t>(part) + 1];
  std::partial_sum(grouped.begin.begin(), grouped.begin.end(), grouped.begin.begin());
  auto next = grouped.begin;
  for (std::size_t v = 0; v < owners.size(); ++v)
    grouped.vertices[next[static_cast<std::size_t>(owners[v])]++] = static_cast<Vertex>(v);
  return grouped;
}

std::int64_t largest(const std::vector<std::int64_t>& values) { return *std::ranges::max_element(values); }

}  // namespace

PartitionQuality measure(const Csr& arcs, bool directed, const Owners& owners, int parts) {
  HALO_CHECK(parts >= 1 && static_cast<Index>(owners.size()) == arcs.rows());
  const auto n = owners.size(), P = static_cast<std::size_t>(parts);
  PartitionQuality q;
  q.parts = parts;
  for (auto* each : {&q.vertices, &q.nonzeros, &q.boundary, &q.remote}) each->assign(P, 0);
  std::vector<std::int64_t> sent(P, 0), peers(P, 0);  // rows, receivers
  std::vector<std::int32_t> neededBy(n, -1);          // the last part found to need v
  std::vector<std::int32_t> sendsTo(P, -1);           // the last part found to receive from a part
  std::vector<std::uint8_t> isBoundary(n, 0);
  std::int64_t cutArcs = 0;

  const ByPart grouped = byPart(owners, parts);
  for (std::size_t p = 0; p < P; ++p) {
    const auto part = static_cast<std::int32_t>(p);
    q.vertices[p] = static_cast<std::int64_t>(grouped.begin[p + 1] - grouped.begin[p]);
    for (std::size_t i = grouped.begin[p]; i < grouped.begin[p + 1]; ++i) {
      q.nonzeros[p] += arcs.degree(grouped.vertices[i]);
      for (const Vertex u : arcs.row(grouped.vertices[i])) {
        const std::int32_t owner = owners[static_cast<std::size_t>(u)];
        if (owner == part) continue;
        ++cutArcs;
        if (std::exchange(neededBy[static_cast<std::size_t>(u)], part) == part) continue;
        const auto o = static_cast<std::size_t>(owner);
        ++q.remote[p];
        ++sent[o];
        if (!std::exchange(isBoundary[static_cast<std::size_t>(u)], 1)) ++q.boundary[o];
        if (std::exchange(sendsTo[o], part) != part) ++peers[o];
      }
    }
  }
  q.cut = directed ? cutArcs : cutArcs / 2;
  q.volume = std::reduce(sent.begin(), sent.end());
  q.maxVolume = largest(sent);
  q.messages = std::reduce(peers.begin(), peers.end());
  q.maxMessages = largest(peers);
  if (n > 0) {
    q.imbalance = static_cast<double>(largest(q.vertices)) * parts / static_cast<double>(n) - 1;
    q.replication = static_cast<double>(static_cast<std::int64_t>(n) + q.volume) / static_cast<double>(n);
  } else {
    q.replication = 1;
  }
  return q;
}

}  // namespace halo
