#include "engine/partition/stochastic/expected_rows.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/base/index.h"
#include "engine/partition/contract/quality.h"
#include "engine/sampling/uniform.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

Owners randomOwners(Index nodes, int parts, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 3);
  Owners owners;
  for (Index v = 0; v < nodes; ++v)
    owners.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(parts))));
  return owners;
}

/// Rows that each part sends where only vertices of `batch` are there: the definition, with sets.
std::vector<double> rowsOf(const Csr& arcs, const Owners& owners, int parts, const std::vector<bool>& batch) {
  std::set<std::pair<Vertex, std::int32_t>> rows;  // of a vertex, to a part
  for (Index v = 0; v < arcs.rows(); ++v)
    for (const Vertex u : arcs.row(v))
      if (batch[at(v)] && batch[at(u)] && owners[at(u)] != owners[at(v)]) rows.insert({u, owners[at(v)]});
  std::vector<double> sent(at(parts), 0.0);
  for (const auto& [vertex, part] : rows) ++sent[at(owners[at(vertex)])];
  return sent;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Arcs whose ends are in two parts.
double cutArcs(const Csr& arcs, const Owners& owners) {
  double cut = 0;
  for (Index v = 0; v < arcs.rows(); ++v)
    for (const Vertex u : arcs.row(v)) cut += owners[at(u)] != owners[at(v)];
  return cut;
}

}  // namespace

TEST_CASE("the rows expected of uniform batches are the mean over all batches there are",
          "[partition][stochastic]") {
  const std::vector<Csr> graphs{randomDirected(11, 40, 3), randomUndirected(12, 30, 4), star(10), path(7),
                                edgeless(4)};
  for (const Csr& arcs : graphs) {
    const auto n = static_cast<int>(arcs.rows());
    for (const int parts : {1, 2, 3, 5}) {
      const Owners owners = randomOwners(n, parts, 5);
      std::vector<std::vector<double>> sums(at(n) + 1, std::vector<double>(at(parts), 0.0));
      std::vector<double> batches(at(n) + 1, 0.0);
      for (std::uint32_t set = 0; set < 1U << n; ++set) {
        std::vector<bool> batch;
        for (int v = 0; v < n; ++v) batch.push_back((set >> v & 1U) != 0);
        const auto size = at(std::popcount(set));
        ++batches[size];
        const std::vector<double> rows = rowsOf(arcs, owners, parts, batch);
        for (std::size_t p = 0; p < rows.size(); ++p) sums[size][p] += rows[p];
      }
      for (Index size = 1; size <= n; ++size) {
        CAPTURE(n, parts, size);
        const std::vector<double> expected = expectedRows(arcs, owners, parts, size);
        for (std::size_t p = 0; p < expected.size(); ++p)
          CHECK(expected[p] == Approx(sums[at(size)][p] / batches[at(size)]).epsilon(1e-12).margin(1e-13));
      }
    }
  }
}

TEST_CASE("drawn batches have the rows that are expected of them", "[partition][stochastic]") {
  const Csr arcs = randomDirected(300, 2400, 7);
  const int parts = 4, draws = 10'000;
  const Owners owners = randomOwners(arcs.rows(), parts, 8);
  const SampledGraph graph(arcs);
  for (const Index size : {20, 90}) {
    const UniformSampler sampler(graph, size);
    Numbering numbering(arcs.rows());
    SquareBlock block;
    double mean = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
      sampler.sample({9, static_cast<std::uint64_t>(i), Purpose::hypergraph}, numbering, block);
      std::set<std::pair<Vertex, std::int32_t>> rows;
      for (Index v = 0; v < block.arcs.rows(); ++v) {
        const std::int32_t reader = owners[at(block.vertices[at(v)])];
        for (const Vertex u : block.arcs.row(v))
          if (owners[at(block.vertices[at(u)])] != reader) rows.insert({u, reader});
      }
      const auto count = static_cast<double>(rows.size());
      const double off = count - mean;
      mean += off / (i + 1);
      squares += off * (count - mean);
    }
    const double sigma = std::sqrt(squares / (draws - 1) / draws);
    const double expected = sum(expectedRows(arcs, owners, parts, size));
    CAPTURE(size, mean, expected, sigma);
    CHECK(std::abs(mean - expected) <= 4 * sigma);
  }
}

TEST_CASE("a batch of all vertices has the halo rows of the graph", "[partition][stochastic]") {
  for (const Csr& arcs : {randomDirected(80, 500, 1), randomUndirected(60, 300, 2), star(40)}) {
    const Owners owners = randomOwners(arcs.rows(), 5, 3);
    const PartitionQuality quality = measure(arcs, true, owners, 5);
    const std::vector<double> rows = expectedRows(arcs, owners, 5, arcs.rows());
    CHECK(sum(rows) == Approx(static_cast<double>(quality.volume)).epsilon(1e-12));
    CHECK(*std::ranges::max_element(rows) == Approx(static_cast<double>(quality.maxVolume)).epsilon(1e-12));
  }
}

TEST_CASE("rows of small batches are the arcs cut, of two vertices exactly", "[partition][stochastic]") {
  const Csr arcs = randomDirected(5000, 40'000, 4);
  const Owners owners = randomOwners(arcs.rows(), 6, 5);
  const auto n = static_cast<double>(arcs.rows());
  const auto overCut = [&](Index batch) {
    const auto b = static_cast<double>(batch);
    return sum(expectedRows(arcs, owners, 6, batch)) / (b * (b - 1) / (n * (n - 1)) * cutArcs(arcs, owners));
  };
  CHECK(overCut(2) == Approx(1).epsilon(1e-12));
  CHECK(overCut(3) == Approx(1).epsilon(1e-3));
  CHECK(overCut(2) > overCut(50));
  CHECK(overCut(50) > overCut(500));
  CHECK(overCut(50) > 0.98);
}

TEST_CASE("chances of consumers in a batch are exact at both ends", "[partition][stochastic]") {
  CHECK(chancesOfAny(10, 10, 3) == std::vector<double>{0, 1, 1, 1});
  CHECK(chancesOfAny(10, 1, 2) == std::vector<double>{0, 0, 0});
  const std::vector<double> chances = chancesOfAny(100'000'000, 2, 3);
  for (std::size_t c = 1; c < chances.size(); ++c)
    CHECK(chances[c] == Approx(static_cast<double>(c) / 99'999'999).epsilon(1e-14));
  // 1 − C(8 − c, 4) / C(8, 4) with n = 9 and b = 5
  CHECK(chancesOfAny(9, 5, 3)[1] == Approx(1 - 35 / 70.0));
  CHECK(chancesOfAny(9, 5, 3)[3] == Approx(1 - 5 / 70.0));
}

}  // namespace halo
