// Minimum vertex covers and the splits they give, against definitions.
#include "engine/partition/halo/cover.h"
#include "engine/base/index.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <map>

#include "engine/partition/halo/cut.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

/// Bipartite: each of rows × cols edges present with probability `density`.
Csr randomBipartite(Index rows, Index cols, double density, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::generate, 5);
  Csr edges;
  edges.cols = cols;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = 0; c < cols; ++c)
      if (random.uniform() < density) {
        edges.columns.push_back(static_cast<Vertex>(c));
        edges.values.push_back(static_cast<Scalar>(edges.columns.size()));
      }
    edges.offsets.push_back(static_cast<Index>(edges.columns.size()));
  }
  return edges;
}

/// The size of a smallest cover, by trying every set of rows: the columns that the others need come along.
int smallestCover(const Csr& edges) {
  int best = static_cast<int>(edges.rows());
  for (unsigned chosen = 0; chosen < 1U << edges.rows(); ++chosen) {
    std::uint64_t columns = 0;
    for (Index r = 0; r < edges.rows(); ++r)
      if ((chosen >> r & 1U) == 0)
        for (const Vertex c : edges.row(r)) columns |= std::uint64_t{1} << c;
    best = std::min(best, std::popcount(chosen) + std::popcount(columns));
  }
  return best;
}

Csr completeBipartite(Index rows, Index cols) { return randomBipartite(rows, cols, 2.0, 1); }

/// Edge and weight, by source and destination, of both halves.
std::multimap<std::pair<Vertex, Vertex>, Scalar> edgesOf(const CutSplit& split) {
  std::multimap<std::pair<Vertex, Vertex>, Scalar> all;
  const auto value = [](const Csr& A, Index e) { return A.values[at(e)]; };
  for (std::size_t i = 0; i < split.pre.size(); ++i)
    for (Index e = split.preEdges.offsets[i]; e < split.preEdges.offsets[i + 1]; ++e)
      all.insert({{split.preEdges.columns[at(e)], split.pre[i]}, value(split.preEdges, e)});
  for (std::size_t i = 0; i < split.post.size(); ++i)
    for (Index e = split.postEdges.offsets[i]; e < split.postEdges.offsets[i + 1]; ++e)
      all.insert({{split.post[i], split.postEdges.columns[at(e)]}, value(split.postEdges, e)});
  return all;
}

}  // namespace

TEST_CASE("a minimum cover touches every edge and no set of vertices is smaller", "[cover]") {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    PhiloxStream random(seed, Purpose::generate, 6);
    const auto rows = static_cast<Index>(random.below(10)), cols = static_cast<Index>(random.below(13));
    const Csr edges = randomBipartite(rows, cols, random.uniform(), seed);
    CAPTURE(seed, rows, cols);
    const Cover cover = minimumCover(edges);
    const auto size = std::ranges::count(cover.rows, 1) + std::ranges::count(cover.columns, 1);
    REQUIRE(size == cover.size);
    REQUIRE(size == smallestCover(edges));
    for (Index r = 0; r < rows; ++r)
      for (const Vertex c : edges.row(r)) REQUIRE((cover.rows[at(r)] == 1 || cover.columns[at(c)] == 1));
  }
}

TEST_CASE("the cover of a long path needs long alternating paths and gets them", "[cover]") {
  // row i touches columns i − 1 and i, and a greedy choice takes column i − 1: wrong for every row but the
  // last
  const Vertex n = 20000;
  Csr edges;
  edges.cols = n;
  for (Vertex r = 0; r < n; ++r) {
    if (r + 1 < n) edges.columns.push_back(r + 1);
    edges.columns.push_back(r == 0 ? 0 : r);
    std::ranges::sort(edges.columns.begin() + edges.offsets.back(), edges.columns.end());
    edges.offsets.push_back(static_cast<Index>(edges.columns.size()));
  }
  CHECK(minimumCover(edges).size == n);
  edges.columns.push_back(0);  // one more row that only column 0 serves: every row would have to move
  edges.offsets.push_back(static_cast<Index>(edges.columns.size()));
  CHECK(minimumCover(edges).size == n);
}

TEST_CASE("a star of cut edges is one row, a complete block the smaller side", "[cover]") {
  for (const auto how : {CutAggregation::hybrid, CutAggregation::post})
    CHECK(splitCut(completeBipartite(1, 40), how).rows() == 1);
  CHECK(splitCut(completeBipartite(1, 40), CutAggregation::pre).rows() == 40);
  for (const auto how : {CutAggregation::hybrid, CutAggregation::pre})
    CHECK(splitCut(completeBipartite(40, 1), how).rows() == 1);
  CHECK(splitCut(completeBipartite(7, 5), CutAggregation::hybrid).rows() == 5);
  CHECK(splitCut(completeBipartite(4, 9), CutAggregation::hybrid).rows() == 4);
}

TEST_CASE("every cut edge stands in exactly one half, with its weight, and hybrid rows are the cover",
          "[cover]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Csr edges = randomBipartite(30, 25, 0.02 * static_cast<double>(seed % 12), seed);
    for (const auto how : {CutAggregation::pre, CutAggregation::post, CutAggregation::hybrid}) {
      CAPTURE(seed, static_cast<int>(how));
      const CutSplit split = splitCut(edges, how);
      const auto splitEdges = edgesOf(split);
      REQUIRE(static_cast<Index>(splitEdges.size()) == edges.nonzeros());
      for (Index r = 0; r < edges.rows(); ++r)
        for (Index e = edges.offsets[at(r)]; e < edges.offsets[at(r) + 1]; ++e) {
          const auto edge = splitEdges.find({static_cast<Vertex>(r), edges.columns[at(e)]});
          REQUIRE(edge != splitEdges.end());
          CHECK(edge->second == edges.values[at(e)]);
        }
      CHECK(std::ranges::is_sorted(split.pre));
      CHECK(std::ranges::is_sorted(split.post));
      for (std::size_t i = 0; i < split.pre.size(); ++i)
        CHECK(split.preEdges.degree(static_cast<Index>(i)) > 0);
      for (std::size_t i = 0; i < split.post.size(); ++i)
        CHECK(split.postEdges.degree(static_cast<Index>(i)) > 0);
      if (how == CutAggregation::hybrid) CHECK(split.rows() == minimumCover(edges).size);
    }
  }
}

TEST_CASE("rows counted from the owners are those of the ranks' splits", "[cover]") {
  const Csr graph = randomDirected(120, 700, 8);
  const int parts = 5;
  Owners owners;
  for (Index v = 0; v < 120; ++v)
    owners.push_back(static_cast<std::int32_t>(v * v % 4));  // part 4 stays empty
  for (const auto how : {CutAggregation::pre, CutAggregation::post, CutAggregation::hybrid}) {
    const auto counted = cutRows(graph, owners, parts, how);
    std::vector<std::vector<std::int64_t>> split(5, std::vector<std::int64_t>(5, 0));
    for (int rank = 0; rank < parts; ++rank) {
      const LocalGraph local = localGraph(graph, owners, rank, parts);
      const auto splits = splitHalo(local, how);
      for (std::size_t p = 0; p < splits.size(); ++p)
        split[at(local.peers[p].rank)][at(rank)] = splits[p].rows();
    }
    CHECK(counted == split);
  }
}

}  // namespace halo
