#include "engine/partition/halo/boundary_sample.h"
#include "engine/base/index.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/kernels/sparse/spmm.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("a sample holds the whole part of rate times rows, as the decimals say", "[bns]") {
  CHECK(sampleSize(0.1, false, 30) == 3);
  CHECK(sampleSize(0.29, false, 100) == 29);  // 28.999999999999996 in binary
  CHECK(sampleSize(0.7, false, 2'000'000'010) == 1'400'000'007);
  CHECK(sampleSize(0.1, false, 9) == 0);
  CHECK(sampleSize(0.1, true, 9) == 1);
  CHECK(sampleSize(0.1, true, 0) == 0);
  CHECK(sampleSize(0, true, 9) == 0);
  CHECK(sampleSize(1, false, 9) == 9);
}

TEST_CASE("a sample is ascending, without repeats, and another one for every key", "[bns]") {
  for (const Index rows : {0, 1, 2, 7, 100}) {
    for (const Index count : {Index{0}, rows / 3, rows}) {
      std::vector<Index> positions{5, 5};
      drawSample({1, 0, 0, 1}, rows, count, positions);
      CAPTURE(rows, count);
      CHECK(static_cast<Index>(positions.size()) == count);
      CHECK(std::ranges::adjacent_find(positions, std::ranges::greater_equal{}) == positions.end());
      CHECK(std::ranges::all_of(positions, [&](Index p) { return p >= 0 && p < rows; }));
    }
  }
  std::vector<Index> sample, other;
  drawSample({1, 3, 2, 5}, 1000, 100, sample);
  for (const SampleKey key :
       {SampleKey{2, 3, 2, 5}, {1, 4, 2, 5}, {1, 3, 3, 5}, {1, 3, 2, 6}, {1, 3, 5, 2}}) {
    drawSample(key, 1000, 100, other);
    CHECK(sample != other);
  }
  drawSample({1, 3, 2, 5}, 1000, 100, other);
  CHECK(sample == other);
}

TEST_CASE("every pair of rows is sampled equally often", "[bns]") {
  // 20,000 samples of 3 of 7: a pair is in each with probability 3·2 / (7·6) = 1/7
  constexpr int kDraws = 20'000;
  int together[7][7] = {};
  std::vector<Index> positions;
  for (std::uint32_t epoch = 0; epoch < kDraws; ++epoch) {
    drawSample({11, epoch, 0, 1}, 7, 3, positions);
    for (const Index a : positions)
      for (const Index b : positions) ++together[a][b];
  }
  const auto expected = [&](double share) {
    return std::pair(kDraws * share, std::sqrt(kDraws * share * (1 - share)));
  };
  for (int a = 0; a < 7; ++a) {
    for (int b = 0; b < 7; ++b) {
      const auto [mean, deviation] = expected(a == b ? 3.0 / 7 : 1.0 / 7);
      CAPTURE(a, b);
      CHECK(std::abs(together[a][b] - mean) <= 4 * deviation);
    }
  }
}

TEST_CASE("the scaled sample is an unbiased estimate of the aggregate", "[bns]") {
  // 10,000 draws with seed 1: each element's mean within 4 standard errors of the exact aggregate, and the
  // mean of the unscaled sample is not
  constexpr int kDraws = 10'000, kParts = 3;
  const Dataset set = hardGraphs()[0];
  Owners owners;
  for (Vertex v = 0; v < set.vertices(); ++v) owners.push_back(v % kParts);
  const LocalGraph graph = localGraph(set.arcs, owners, 0, kParts);
  Matrix Y(graph.halo.cols, 1), rows, exact, once;
  PhiloxStream random(3, Purpose::shuffle, 0);
  for (Scalar& y : Y.values()) y = static_cast<Scalar>(random.uniform() + 0.5);
  spmmReference(graph.halo, Y, exact);
  SampledHalo sample(graph, 0.3, false);
  std::vector<double> sum(at(exact.rows()), 0), squares = sum;
  for (int epoch = 0; epoch < kDraws; ++epoch) {
    sample.drawSent(1, epoch);
    sample.drawReceived(1, epoch);
    sample.cut();
    rows.resize(sample.halo().cols, 1);
    for (std::size_t p = 0; p < graph.peers.size(); ++p)
      for (std::size_t k = 0; k < sample.received()[p].size(); ++k)
        rows(sample.peers()[p].receiveBegin + static_cast<Index>(k), 0) =
            Y(graph.peers[p].receiveBegin + sample.received()[p][k], 0);
    spmmReference(sample.halo(), rows, once);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const auto z = static_cast<double>(once(static_cast<Index>(i), 0));
      sum[i] += z;
      squares[i] += z * z;
    }
  }
  int biasedUnscaled = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double mean = sum[i] / kDraws,
                 error = std::sqrt(std::max(0.0, squares[i] / kDraws - mean * mean) / kDraws);
    const auto expected = static_cast<double>(exact(static_cast<Index>(i), 0));
    CAPTURE(i, mean, expected, error);
    CHECK(std::abs(mean - expected) <= 4 * error + 1e-6);
    biasedUnscaled += expected > 0 && std::abs(0.3 * mean - expected) > 4 * error;
  }
  CHECK(biasedUnscaled > 0);
}

TEST_CASE("what a rank cuts from its halo is the adjoint of what it returns, and the peers agree", "[bns]") {
  constexpr int kParts = 3;
  const Dataset set = hardGraphs()[0];
  const Csr propagation = set.arcs;
  Owners owners;
  for (Vertex v = 0; v < set.vertices(); ++v) owners.push_back(v % kParts);
  std::vector<LocalGraph> graphs;
  for (int rank = 0; rank < kParts; ++rank) graphs.push_back(localGraph(propagation, owners, rank, kParts));
  for (const LocalGraph& graph : graphs) {
    SampledHalo sample(graph, 0.4, true);
    sample.drawSent(5, 7);
    sample.drawReceived(5, 7);
    sample.cut();
    const Csr back = transpose(sample.halo());
    CHECK(back.offsets == sample.transposed().offsets);
    CHECK(back.columns == sample.transposed().columns);
    CHECK(back.values == sample.transposed().values);
    CHECK(sample.halo().cols == receiveCount(sample.peers()));
    for (std::size_t p = 0; p < graph.peers.size(); ++p) {
      const LocalGraph& peer = graphs[at(graph.peers[p].rank)];
      SampledHalo peerSample(peer, 0.4, true);
      peerSample.drawSent(5, 7);
      const auto me = std::ranges::find(peer.peers, graph.rank, &HaloPeer::rank) - peer.peers.begin();
      CHECK(peerSample.sent()[at(me)] == sample.received()[p]);
    }
  }
}
