#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "engine/partition/contract/quality.h"
#include "engine/partition/halo/halo.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

Csr weighted(Csr graph) {
  const Matrix values = randomMatrix(1, graph.nonzeros(), 11);
  graph.values.assign(values.values().begin(), values.values().end());
  return graph;
}

/// Directed, with isolated vertices; parts 1 and P − 1 stay empty.
Owners unevenOwners(Index vertices, int parts, std::uint64_t seed) {
  Owners owners;
  for (Index v = 0; v < vertices; ++v) {
    const auto part =
        static_cast<std::int32_t>(philox(seed, Purpose::partition, static_cast<std::uint64_t>(v))[0] %
                                  static_cast<std::uint32_t>(parts));
    owners.push_back(part == 1 || part == parts - 1 ? 0 : part);
  }
  return owners;
}

/// B_ij by definition: rows owned by j that i needs, ascending.
std::vector<Vertex> needed(const Csr& graph, const Owners& owners, int i, int j) {
  std::set<Vertex> rows;
  for (Index v = 0; v < graph.rows(); ++v)
    if (owners.at(static_cast<std::size_t>(v)) == i)
      for (const Vertex u : graph.row(v))
        if (owners.at(static_cast<std::size_t>(u)) == j && i != j) rows.insert(u);
  return {rows.begin(), rows.end()};
}

struct Entry {
  Vertex row, column;
  Scalar value;
  auto operator<=>(const Entry&) const = default;
};

void collect(const Csr& share, const std::vector<Vertex>& rowIds, const std::vector<Vertex>& columnIds,
             std::vector<Entry>& entries) {
  REQUIRE(share.rows() == static_cast<Index>(rowIds.size()));
  REQUIRE(share.cols == static_cast<Index>(columnIds.size()));
  for (Index r = 0; r < share.rows(); ++r) {
    CHECK(std::ranges::is_sorted(share.row(r)));
    for (Index e = share.offsets[static_cast<std::size_t>(r)];
         e < share.offsets[static_cast<std::size_t>(r) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      entries.push_back({rowIds[static_cast<std::size_t>(r)],
                         columnIds[static_cast<std::size_t>(share.columns[at])],
                         share.weighted() ? share.values[at] : 1});
    }
  }
}

/// The laws of resources/design/methods.md, The halo plan, over all ranks together.
void checkLaws(const Csr& graph, const Owners& owners, int parts) {
  std::vector<LocalGraph> ranks;
  for (int rank = 0; rank < parts; ++rank) ranks.push_back(localGraph(graph, owners, rank, parts));
  std::vector<Entry> entries, expected;
  std::vector<Vertex> covered, all;
  Index sent = 0, received = 0;
  for (const LocalGraph& local : ranks) {
    CHECK(local.globalVertices == graph.rows());
    CHECK(std::ranges::is_sorted(local.owned));
    covered.insert(covered.end(), local.owned.begin(), local.owned.end());
    collect(local.own, local.owned, local.owned, entries);
    collect(local.halo, local.owned, local.haloIds, entries);
    sent += local.sendCount();
    received += static_cast<Index>(local.haloIds.size());
  }
  for (Index v = 0; v < graph.rows(); ++v) {
    all.push_back(static_cast<Vertex>(v));
    for (Index e = graph.offsets[static_cast<std::size_t>(v)];
         e < graph.offsets[static_cast<std::size_t>(v) + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      expected.push_back(
          {static_cast<Vertex>(v), graph.columns[at], graph.weighted() ? graph.values[at] : 1});
    }
  }
  std::ranges::sort(covered);
  CHECK(covered == all);  // every vertex has one owner
  std::ranges::sort(entries);
  std::ranges::sort(expected);
  CHECK(entries == expected);  // every nonzero stands in one share
  const Index volume = measure(graph, true, owners, parts).volume;
  CHECK(sent == volume);
  CHECK(received == volume);
}

void checkPairs(const Csr& graph, const Owners& owners, int parts) {
  for (int i = 0; i < parts; ++i) {
    const LocalGraph local = localGraph(graph, owners, i, parts);
    auto peer = local.peers.begin();
    Index begin = 0;
    for (int j = 0; j < parts; ++j) {
      CAPTURE(i, j);
      const auto sends = needed(graph, owners, j, i), receives = needed(graph, owners, i, j);
      if (sends.empty() && receives.empty()) continue;
      REQUIRE(peer != local.peers.end());
      REQUIRE(peer->rank == j);
      std::vector<Vertex> sentIds;
      for (const Vertex row : peer->sendRows)
        sentIds.push_back(local.owned.at(static_cast<std::size_t>(row)));
      CHECK(sentIds == sends);
      CHECK(peer->receiveBegin == begin);
      CHECK(peer->receiveCount == static_cast<Index>(receives.size()));
      CHECK(std::equal(receives.begin(), receives.end(), local.haloIds.begin() + begin));
      begin += peer->receiveCount;
      ++peer;
    }
    CHECK(peer == local.peers.end());
  }
}

}  // namespace

TEST_CASE("the shares of all ranks are the graph, and what one sends is what another needs",
          "[partition][halo]") {
  const int parts = GENERATE(1, 2, 3, 4, 7, 8);
  const bool withValues = GENERATE(false, true);
  const int kind = GENERATE(0, 1, 2, 3, 4, 5);
  CAPTURE(parts, withValues, kind);
  const Csr graphs[] = {
      randomDirected(60, 220, 1), randomUndirected(50, 120, 2), star(23), path(17), edgeless(5), edgeless(0)};
  const Csr graph = withValues ? weighted(graphs[kind]) : graphs[kind];
  const Owners owners = unevenOwners(graph.rows(), parts, 3);
  checkLaws(graph, owners, parts);
  checkPairs(graph, owners, parts);
}

TEST_CASE("self loops stay with their owner and duplicates of a need are sent once", "[partition][halo]") {
  // 0 and 1 on rank 0, both need 2 of rank 1; 2 has a loop
  const std::vector<Arc> arcs{{2, 0}, {2, 1}, {2, 2}, {0, 1}};
  const Csr graph = buildCsr(3, arcs, true);
  const LocalGraph local = localGraph(graph, {0, 0, 1}, 1, 2);
  CHECK(local.owned == std::vector<Vertex>{2});
  CHECK(local.own.nonzeros() == 1);
  CHECK(local.halo.nonzeros() == 0);
  REQUIRE(local.peers.size() == 1);
  CHECK(local.peers[0].sendRows == std::vector<Vertex>{0});
  CHECK(local.peers[0].receiveCount == 0);
}

}  // namespace halo
