#include "engine/sampling/block_matrix.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/sampling/layer_wise.h"
#include "engine/sampling/neighbour.h"
#include "tests/engine/sampling/sampling_support.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr int kDraws = 10'000;
constexpr EdgeRule kRules[] = {EdgeRule::symmetric, EdgeRule::mean, EdgeRule::ownMean, EdgeRule::sum};

/// P by its definition, as a table.
std::vector<std::vector<double>> dense(const Csr& A, EdgeRule rule) {
  const Degrees degrees(A);
  const auto n = at(A.rows());
  std::vector<std::vector<double>> P(n, std::vector<double>(n, 0));
  for (std::size_t v = 0; v < n; ++v) {
    for (const Vertex u : A.row(static_cast<Index>(v))) {
      const auto s = at(u);
      if (s == v) continue;
      P[v][s] += rule == EdgeRule::symmetric ? 1 / std::sqrt((degrees.in[v] + 1.0) * (degrees.out[s] + 1.0))
                 : rule == EdgeRule::mean    ? 1.0 / degrees.in[v]
                 : rule == EdgeRule::ownMean ? 1 / (degrees.in[v] + 1.0)
                                             : 1;
    }
    if (rule == EdgeRule::symmetric) P[v][v] = 1 / std::sqrt((degrees.in[v] + 1.0) * (degrees.out[v] + 1.0));
    if (rule == EdgeRule::ownMean) P[v][v] = 1 / (degrees.in[v] + 1.0);
  }
  return P;
}

double valueOf(Vertex v) { return (v * 7 % 11) - 4.5; }

/// Z of row i: the sum over its entries.
double product(const Csr& matrix, std::span<const Vertex> ids, Index i) {
  double sum = 0;
  for (Index k = matrix.offsets[at(i)]; k < matrix.offsets[at(i) + 1]; ++k)
    sum += static_cast<double>(matrix.values[at(k)]) * valueOf(ids[at(matrix.columns[at(k)])]);
  return sum;
}

}  // namespace

TEST_CASE("a full fan-out multiplies with the rows of P", "[sampling]") {
  for (const Csr& A : sampledGraphs()) {
    const SampledGraph graph(A);
    const Degrees degrees(A);
    std::vector<Vertex> all(at(A.rows()));
    std::iota(all.begin(), all.end(), 0);
    NeighbourSampler sampler(graph, {{kAllNeighbours}, false});
    Blocks blocks;
    sampler.sample(all, {}, blocks);
    for (const EdgeRule rule : kRules) {
      Csr matrix;
      weighNeighbours(blocks, 1, degrees.matrix(rule), EdgeWeights::global, matrix);
      CHECK(matrix.nonzeros() == blocks.sampledArcs() + (includesItself(rule) ? A.rows() : 0));
      const auto P = dense(A, rule);
      for (Index v = 0; v < A.rows(); ++v) {
        double expected = 0;
        for (Vertex u = 0; u < A.rows(); ++u) expected += P[at(v)][at(u)] * valueOf(u);
        CHECK(product(matrix, blocks.at(0), v) == Approx(expected).epsilon(1e-5).margin(1e-5));
      }
    }
    Csr pattern;
    weighNeighbours(blocks, 1, degrees.matrix(EdgeRule::attention), EdgeWeights::global, pattern);
    CHECK_FALSE(pattern.weighted());
    CHECK(pattern.nonzeros() == blocks.sampledArcs() + A.rows());
  }
}

TEST_CASE("weights of the block's own arcs are means of what is drawn", "[sampling]") {
  const Csr A = star(30);
  const SampledGraph graph(A);
  const Degrees degrees(A);
  NeighbourSampler sampler(graph, {{4}, false});
  Blocks blocks;
  sampler.sample(std::vector<Vertex>{0, 5}, {}, blocks);
  for (const auto& [rule, hub, leaf] : {std::tuple{EdgeRule::symmetric, 0.2, 0.5},
                                        {EdgeRule::ownMean, 0.2, 0.5},
                                        {EdgeRule::mean, 0.25, 1.0},
                                        {EdgeRule::sum, 1.0, 1.0}}) {
    Csr matrix;
    weighNeighbours(blocks, 1, degrees.matrix(rule), EdgeWeights::block, matrix);
    for (Index k = 0; k < matrix.nonzeros(); ++k)
      CHECK(static_cast<double>(matrix.values[at(k)]) == Approx(k < matrix.offsets[1] ? hub : leaf));
  }
}

// 10,000 keyed draws of 3 of the example's 7 neighbours, and of samplers that are wrong
TEST_CASE("sampled sums are unbiased with the variance of their closed form", "[sampling]") {
  const std::vector<double> values = {1, -2, 4, 0.5, 3, 7, -1};
  constexpr double d = 7, k = 3;
  slow::Rows rows(8);
  rows[7] = {0, 1, 2, 3, 4, 5, 6};
  const Csr A = csrOf(rows);
  const SampledGraph graph(A);
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  double squares = 0;
  for (const double x : values) squares += (x - sum / d) * (x - sum / d);
  const bool replace = GENERATE(false, true);
  NeighbourSampler sampler(graph, {{3}, replace});
  Blocks blocks;
  Csr matrix;
  const Degrees degrees(A);
  std::vector<double> counts(7, 0);
  double scaled = 0, withoutFactor = 0, withoutLast = 0;
  for (std::uint64_t step = 0; step < kDraws; ++step) {
    sampler.sample(std::vector<Vertex>{7}, {.seed = 1, .step = step}, blocks);
    weighNeighbours(blocks, 1, degrees.matrix(EdgeRule::sum), EdgeWeights::global, matrix);
    for (Index i = 0; i < 3; ++i) {
      const Vertex u = blocks.vertices[at(matrix.columns[at(i)])];
      ++counts[at(u)];
      const double x = values[at(u)];
      scaled += static_cast<double>(matrix.values[at(i)]) * x;
      withoutFactor += x;
      withoutLast += d / k * values[at(u == 6 ? 0 : u)];
    }
  }
  const double variance = replace ? d * squares / k : d * d * (1 - k / d) * (squares / (d - 1)) / k;
  const auto z = [&](double all) { return (all / kDraws - sum) / std::sqrt(variance / kDraws); };
  CAPTURE(replace, z(scaled), z(withoutFactor), z(withoutLast));
  CHECK(std::abs(z(scaled)) <= 4);
  CHECK(std::abs(z(withoutFactor)) > 4);
  CHECK(std::abs(z(withoutLast)) > 4);
  const std::vector<double> expected(7, kDraws * k / d);
  const auto Q = [&](const std::vector<double>& met) {
    return chiSquare(met, expected) * (replace ? 1 : (d - 1) / (d - k));
  };
  std::vector<double> wrong = counts;
  wrong[0] += std::exchange(wrong[6], 0);
  CAPTURE(Q(counts), Q(wrong));
  CHECK(Q(counts) < 22.46);  // of six degrees of freedom, once in a thousand times
  CHECK(Q(wrong) > 22.46);
}

TEST_CASE("hub rows of every way to find repeats draw each neighbour equally often", "[sampling]") {
  const Csr A = star(200);
  const SampledGraph graph(A);
  for (const std::int32_t fanout : {1, 31, 32, 33, 100, 198}) {
    NeighbourDraw draw;
    Csr out;
    std::vector<double> counts(199, 0);
    const Vertex hub = 0;
    constexpr int kHubDraws = 2000;
    for (std::uint64_t step = 0; step < kHubDraws; ++step) {
      draw(graph, {{fanout}, false}, {.step = step}, 1, std::span(&hub, 1), {}, out);
      for (const Vertex u : out.columns) ++counts[at(u) - 1];
    }
    const double d = 199, k = fanout;
    const double Q = chiSquare(counts, std::vector<double>(199, kHubDraws * k / d)) * (d - 1) / (d - k);
    CAPTURE(fanout, Q);
    CHECK(Q < chiSquareLimit(d - 1));
  }
}

TEST_CASE("layer-wise draws are unbiased", "[sampling]") {
  const Csr A = randomDirected(14, 60, 3);
  const SampledGraph graph(A);
  const Degrees degrees(A);
  const std::vector<Vertex> seeds = {3, 8, 11};
  for (const EdgeRule rule : kRules) {
    const auto P = dense(A, rule);
    LayerWiseSampler sampler(graph, degrees.matrix(rule), {6});
    LayerWiseBlocks drawn;
    Csr matrix;
    std::vector<RunningMean> means(seeds.size());
    for (std::uint64_t step = 0; step < kDraws; ++step) {
      sampler.sample(seeds, {.seed = 5, .step = step, .purpose = Purpose::subgraph}, drawn);
      weighByFactors(drawn.blocks.block(1), drawn.blocks.at(0), degrees.matrix(rule), drawn.factors[0],
                     drawn.own[0], matrix);
      for (std::size_t i = 0; i < seeds.size(); ++i)
        means[i].add(product(matrix, drawn.blocks.at(0), static_cast<Index>(i)));
    }
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      double expected = 0;
      for (Vertex u = 0; u < A.rows(); ++u) expected += P[at(seeds[i])][at(u)] * valueOf(u);
      CAPTURE(static_cast<int>(rule), i, means[i].mean(), expected);
      CHECK(std::abs(means[i].mean() - expected) <= 4 * means[i].error() + 1e-6);
    }
  }
}

TEST_CASE("layer-wise blocks are those of the slow twin", "[sampling]") {
  for (const Csr& A : sampledGraphs()) {
    const SampledGraph graph(A);
    const Degrees degrees(A);
    const auto P = dense(A, EdgeRule::ownMean);
    const slow::Rows rows = rowsOf(A);
    LayerWiseSampler sampler(graph, degrees.matrix(EdgeRule::ownMean), {4, 3});
    LayerWiseBlocks drawn;
    sampler.sample(std::vector<Vertex>{0}, {.seed = 2, .step = 6, .purpose = Purpose::subgraph}, drawn);
    std::vector<int> met = {0};
    for (int l = 2; l >= 1; --l) {
      const int s = l == 1 ? 4 : 3;
      std::vector<double> q(rows.size(), 0);
      for (const int v : met)
        for (std::size_t u = 0; u < rows.size(); ++u)
          for (const int w : rows[at(v)])
            if (w == static_cast<int>(u) && w != v) q[u] += std::pow(1 / (degrees.in[at(v)] + 1.0), 2);
      for (const int v : met) q[at(v)] += std::pow(P[at(v)][at(v)], 2);
      std::vector<int> times(rows.size(), 0);
      for (int i = 0; i < s; ++i)
        ++times[at(slow::byWeight(q, slow::word({2, 6, 14}, 6 * 2 + 2 - static_cast<std::uint64_t>(l),
                                                static_cast<std::uint32_t>(i), 0)))];
      const std::vector<int> targets = met;
      slow::Rows arcs;
      for (const int v : targets) {
        arcs.emplace_back();
        for (const int u : slow::others(rows, v)) {
          if (times[at(u)] == 0) continue;
          if (std::ranges::find(met, u) == met.end()) met.push_back(u);
          arcs.back().push_back(static_cast<int>(std::ranges::find(met, u) - met.begin()));
        }
      }
      CHECK(rowsOf(drawn.blocks.block(l)) == arcs);
      CHECK(std::ranges::equal(drawn.blocks.at(l - 1), met));
    }
  }
}
