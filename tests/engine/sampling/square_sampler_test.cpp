#include "engine/sampling/square_sampler.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/base/parallel.h"
#include "engine/sampling/inclusion.h"
#include "engine/sampling/saint.h"
#include "engine/sampling/uniform.h"
#include "engine/sampling/walk.h"
#include "tests/engine/sampling/sampling_support.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr int kSets = 10'000;
constexpr double kExact = 1e-9;  // of the example's numbers

void checkInduced(const Csr& A, const SquareBlock& block, const std::set<int>& members) {
  CHECK(std::ranges::equal(block.vertices, members));
  std::vector<std::pair<int, int>> arcs;
  for (Index i = 0; i < block.arcs.rows(); ++i)
    for (const Vertex j : block.arcs.row(i)) arcs.push_back({block.vertices[at(i)], block.vertices[at(j)]});
  CHECK(arcs == slow::within(rowsOf(A), members));
  for (std::size_t k = 0; k < arcs.size(); ++k) CHECK(A.columns[at(block.places[k])] == arcs[k].second);
}

double valueOf(Vertex v) { return (v * 7 % 5) - 1.5; }

/// Over sets of `purpose`: shares with each vertex against λ_v, and the aggregator of `rule` given v.
void checkUnbiased(const SquareSampler& sampler, const Csr& A, EdgeRule rule, Purpose purpose) {
  const Degrees degrees(A);
  Numbering numbering(A.rows());
  SquareBlock block;
  Csr matrix;
  Buffer<double> room;
  std::vector<RunningMean> sums(at(A.rows()));
  for (std::uint64_t step = 0; step < kSets; ++step) {
    sampler.sample({.seed = 3, .step = step, .purpose = purpose}, numbering, block);
    weighSquare(sampler, block, degrees.matrix(rule), EdgeWeights::global, room, matrix);
    for (Index i = 0; i < matrix.rows(); ++i) {
      double sum = 0;
      for (Index k = matrix.offsets[at(i)]; k < matrix.offsets[at(i) + 1]; ++k)
        sum += static_cast<double>(matrix.values[at(k)]) * valueOf(block.vertices[at(matrix.columns[at(k)])]);
      sums[at(block.vertices[at(i)])].add(sum);
    }
  }
  for (Vertex v = 0; v < A.rows(); ++v) {
    const RunningMean& mean = sums[at(v)];
    const GlobalMatrix P = degrees.matrix(rule);
    double expected = includesItself(rule) ? P.entry(v, v) * valueOf(v) : 0;
    for (const Vertex u : A.row(v)) expected += P.entry(v, u) * valueOf(u);
    const double share = sampler.inclusion(v);
    CAPTURE(v, mean.count(), share, mean.mean(), expected);
    CHECK(std::abs(mean.count() / kSets - share) <= 4 * std::sqrt(share * (1 - share) / kSets));
    CHECK(std::abs(mean.mean() - expected) <= 4 * mean.error() + 1e-6);
  }
}

}  // namespace

TEST_CASE("node and edge weights are those of the worked example", "[sampling]") {
  const Csr A = chordedRing();
  const SampledGraph graph(A);
  const Degrees degrees(A);
  const SaintNodeSampler node(graph, degrees.matrix(EdgeRule::mean), 4);
  const SaintEdgeSampler edge(graph, degrees.matrix(EdgeRule::mean), 4);
  const auto near = [](double value) { return Approx(value).epsilon(kExact).margin(0); };
  for (Vertex v = 0; v < 6; ++v) {
    CAPTURE(v);
    const bool hub = v % 3 == 0;
    CHECK(node.weights().probability(v) == near(hub ? 0.22916666666666666 : 0.13541666666666666));
    CHECK(node.inclusion(v) == near(hub ? 0.6469453411337769 : 0.44123726126588414));
    CHECK(edge.met(v) == near(hub ? 0.3888888888888889 : 0.3055555555555556));
    CHECK(edge.inclusion(v) == near(hub ? 0.8605300259106843 : 0.7674319606386222));
  }
  CHECK(node.meanVertices() == near(3.0588397273310903));
  CHECK(edge.meanVertices() == near(4.790787894375857));
  const std::vector<Arc> pairs = {{0, 1}, {1, 2}, {0, 3}, {2, 3}, {3, 4}, {0, 5}, {4, 5}};
  REQUIRE(std::ranges::equal(edge.pairs(), pairs));
  const double shares[] = {0.1388888888888889, 0.16666666666666669, 0.11111111111111112, 0.1388888888888889,
                           0.1388888888888889, 0.1388888888888889,  0.16666666666666669};
  for (std::size_t e = 0; e < pairs.size(); ++e)
    CHECK(edge.weights().probability(static_cast<Index>(e)) == near(shares[e]));
  // both of 0 and 1, of 0 and 3, of 1 and 2
  SquareBlock block;
  block.vertices.resize(6);
  std::iota(block.vertices.begin(), block.vertices.end(), 0);
  Numbering numbering(6);
  induce(graph, numbering, block);
  Buffer<double> factors;
  node.factors(block, factors);  // arcs of row 0 are from 1, 3, 5, of row 1 from 0, 2
  CHECK(factors[0] == near(0.6469453411337769 / 0.2512001696928047));
  CHECK(factors[1] == near(0.6469453411337769 / 0.3799758722752699));
  CHECK(factors[4] == near(0.44123726126588414 / 0.16516242792576918));
  edge.factors(block, factors);
  CHECK(factors[0] == near(0.8605300259106843 / 0.6669804288599298));
  CHECK(factors[1] == near(0.8605300259106843 / 0.7334057308337143));
  CHECK(factors[4] == near(0.7674319606386222 / 0.6301237901996647));
}

TEST_CASE("inclusion keeps its digits where probabilities are tiny or certain", "[sampling]") {
  CHECK(metOnce(1e-12, 1000) == Approx(1e-9).epsilon(1e-8));
  CHECK(metBoth(1e-9, 2e-9, 0, 1000) == Approx(1000.0 * 999 * 2e-18).epsilon(1e-5));
  CHECK(metBoth(1e-9, 2e-9, 5e-10, 1000) == Approx(5e-7).epsilon(1e-5));
  CHECK(metOnce(1, 3) == 1);
  CHECK(metOnce(0, 3) == 0);
  CHECK(metBoth(1, 0.3, 0.3, 2) == Approx(1 - 0.7 * 0.7));
  CHECK(metBoth(0.3, 1, 0.3, 2) == Approx(1 - 0.7 * 0.7));
  CHECK(metBoth(0.5, 0.5, 0, 1) == Approx(0).margin(1e-15));
  CHECK(metBoth(0.5, 0.5, 0.5, 1) == Approx(0.5));
}

TEST_CASE("square blocks are those of the slow twin", "[sampling]") {
  for (const Csr& A : sampledGraphs()) {
    const SampledGraph graph(A);
    const Degrees degrees(A);
    const slow::Rows rows = rowsOf(A);
    const auto n = static_cast<int>(A.rows());
    const GlobalMatrix P = degrees.matrix(EdgeRule::symmetric);
    Numbering numbering(A.rows());
    SquareBlock block;
    CAPTURE(n);
    const SaintNodeSampler node(graph, P, 20);
    const SaintEdgeSampler edge(graph, P, 9);
    for (const std::uint64_t step : {0U, 5U}) {
      const DrawKey key{.seed = 8, .step = step, .purpose = Purpose::subgraph};
      for (const int b : {1, (n + 1) / 2, n}) {
        UniformSampler(graph, b).sample(key, numbering, block);
        checkInduced(A, block, slow::uniform(n, b, 8, step));
      }
      std::vector<double> p(rows.size(), 0);
      for (int v = 0; v < n; ++v)
        for (const int u : slow::others(rows, v)) p[at(u)] += std::pow(P.entry(v, u), 2);
      std::map<std::pair<int, int>, double> weightOf;
      std::vector<std::pair<int, int>> pairs;  // in the order of the arcs that stand for them
      for (int v = 0; v < n; ++v)
        for (const int u : slow::others(rows, v)) {
          const auto& back = rows[at(u)];
          if (u > v && std::ranges::find(back, v) != back.end()) continue;
          if (weightOf.emplace(std::minmax(u, v), 0).second) pairs.push_back(std::minmax(u, v));
        }
      for (int v = 0; v < n; ++v) {
        const std::vector<int> row = slow::others(rows, v);
        for (const int u : std::set<int>(row.begin(), row.end()))
          weightOf[std::minmax(u, v)] += P.entry(v, u);
      }
      std::vector<double> weights;
      for (const auto& pair : pairs) weights.push_back(weightOf[pair]);
      std::set<int> ofNodes, ofEdges;
      for (std::uint32_t i = 0; i < 20 && !pairs.empty(); ++i)
        ofNodes.insert(slow::byWeight(p, slow::word({8, step, 14}, step, i, 0)));
      for (std::uint32_t i = 0; i < 9 && !pairs.empty(); ++i) {
        const auto& [u, v] = pairs[at(slow::byWeight(weights, slow::word({8, step, 14}, step, i, 0)))];
        ofEdges.insert({u, v});
      }
      node.sample(key, numbering, block);
      checkInduced(A, block, ofNodes);
      edge.sample(key, numbering, block);
      checkInduced(A, block, ofEdges);
      const std::vector<Vertex> train = {0, static_cast<Vertex>(n - 1)};
      const WalkSampler walk(graph, train, {.roots = 4, .depth = 3, .coverage = 2, .seed = 1});
      walk.sample({.seed = 8, .step = step, .purpose = Purpose::walk}, numbering, block);
      checkInduced(A, block, slow::walks(rows, train, 4, 3, {8, step, 15}));
    }
  }
}

TEST_CASE("aggregators over sampled sets are unbiased", "[sampling]") {
  const Csr A = chordedRing();
  const SampledGraph graph(A);
  const Degrees degrees(A);
  const EdgeRule rule = GENERATE(EdgeRule::mean, EdgeRule::symmetric);
  const GlobalMatrix P = degrees.matrix(rule);
  SECTION("uniform") { checkUnbiased(UniformSampler(graph, 4), A, rule, Purpose::subgraph); }
  SECTION("node") { checkUnbiased(SaintNodeSampler(graph, P, 4), A, rule, Purpose::subgraph); }
  SECTION("edge") { checkUnbiased(SaintEdgeSampler(graph, P, 4), A, rule, Purpose::subgraph); }
  SECTION("edge of a directed graph") {
    const Csr directed = csrOf({{1, 3}, {2}, {0, 1}, {2, 4}, {3, 5}, {0}});
    const SampledGraph itsGraph(directed);
    const Degrees itsDegrees(directed);
    checkUnbiased(SaintEdgeSampler(itsGraph, itsDegrees.matrix(rule), 5), directed, rule, Purpose::subgraph);
  }
}

TEST_CASE("raw draws follow their weights, and a weight off by a twentieth shows", "[sampling]") {
  const Csr A = chordedRing();
  const SampledGraph graph(A);
  const Degrees degrees(A);
  const SaintNodeSampler node(graph, degrees.matrix(EdgeRule::mean), 4);
  const SaintEdgeSampler edge(graph, degrees.matrix(EdgeRule::mean), 4);
  constexpr std::uint64_t kRaw = 200'000;
  for (const WeightedDraw* right : {&node.weights(), &edge.weights()}) {
    const auto size = at(right->size());
    std::vector<double> weights, expected;
    for (std::size_t i = 0; i < size; ++i) weights.push_back(right->probability(static_cast<Index>(i)));
    for (const double weight : weights) expected.push_back(kRaw * weight);
    weights[0] *= 1.05;
    WeightedDraw wrong;
    wrong.assign(weights);
    const auto tested = [&](const WeightedDraw& draws) {
      std::vector<double> counts(size, 0);
      for (std::uint64_t i = 0; i < kRaw; ++i)
        ++counts[at(draws.draw(drawnWord({.seed = 6, .purpose = Purpose::subgraph}, 0, i)))];
      return chiSquare(counts, expected);
    };
    const double limit = size == 6 ? 20.52 : 22.46;
    CAPTURE(size, tested(*right), tested(wrong));
    CHECK(tested(*right) < limit);
    CHECK(tested(wrong) > limit);
  }
}

TEST_CASE("weighted draws leave out what has no weight", "[sampling]") {
  WeightedDraw draws;
  for (const auto& weights : {std::vector<double>{0, 0, 3, 0, 1, 0}, std::vector<double>(1000, 1.0), {5}}) {
    draws.assign(weights);
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += draws.probability(static_cast<Index>(i));
    CHECK(sum == Approx(1).epsilon(1e-14));
    for (const std::uint64_t word : {std::uint64_t{0}, std::uint64_t{0x4123456789ABCDEF},
                                     std::uint64_t{0xC123456789ABCDEF}, std::uint64_t{0xFFF123456789ABCD}}) {
      const Index drawn = draws.draw(word);
      CHECK(drawn == slow::byWeight(weights, word));
      CHECK(draws.probability(drawn) > 0);
    }
  }
  draws.assign(std::vector<double>{0, 0});
  CHECK_FALSE(draws.possible());
  draws.assign({});
  CHECK_FALSE(draws.possible());
}

TEST_CASE("counted normalisers of walks agree with those of other sets", "[sampling]") {
  const Csr A = chordedRing();
  const SampledGraph graph(A);
  const std::vector<Vertex> train = {0, 1, 2, 4};
  // ten thousand sets of some four vertices
  const WalkSampler sampler(graph, train, {.roots = 2, .depth = 2, .coverage = 6500, .seed = 1});
  const WalkSampler others(graph, train, {.roots = 2, .depth = 2, .coverage = 6500, .seed = 2});
  CHECK(sampler.preSampled() > 9000);
  const auto differ = [](double a, double sizeOfA, double b, double sizeOfB) {
    const double share = (a + b) / 2;
    return std::abs(a - b) <= 4 * std::sqrt(share * (1 - share) * (1 / sizeOfA + 1 / sizeOfB));
  };
  for (Vertex v = 0; v < 6; ++v) {
    CAPTURE(v);
    CHECK(differ(sampler.inclusion(v), static_cast<double>(sampler.preSampled()), others.inclusion(v),
                 static_cast<double>(others.preSampled())));
    for (Index k = A.offsets[at(v)]; k < A.offsets[at(v) + 1]; ++k)
      CHECK(differ(static_cast<double>(sampler.metBoth(k)) / sampler.met(v), sampler.met(v),
                   static_cast<double>(others.metBoth(k)) / others.met(v), others.met(v)));
  }
  CHECK(sampler.meanVertices() * static_cast<double>(sampler.preSampled()) >= 6500 * 6);
}

TEST_CASE("vertices that no set can have are counted", "[sampling]") {
  // 3 has no arc, 2 is read by nobody
  const Csr A = csrOf({{1}, {0}, {0, 1}, {}});
  const SampledGraph graph(A);
  const Degrees degrees(A);
  const std::vector<Vertex> train = {0, 1, 2, 3};
  const GlobalMatrix P = degrees.matrix(EdgeRule::mean);
  CHECK(neverDrawn(SaintNodeSampler(graph, P, 5), train) == 2);
  CHECK(neverDrawn(SaintEdgeSampler(graph, P, 5), train) == 1);
  CHECK(neverDrawn(UniformSampler(graph, 1), train) == 0);
  const std::vector<Vertex> root = {2};
  const WalkSampler walk(graph, root, {.roots = 1, .depth = 1, .coverage = 1});
  CHECK(walk.inclusion(3) == 0);
  CHECK(walk.inclusion(0) > 0);
  const Csr none = edgeless(3);
  const SampledGraph bare(none);
  const Degrees zeros(none);
  CHECK(neverDrawn(SaintNodeSampler(bare, zeros.matrix(EdgeRule::mean), 5), std::vector<Vertex>{0, 2}) == 2);
  CHECK(iterationsToMeet(10, 5) == 2);
  CHECK(iterationsToMeet(11, 5) == 3);
}

TEST_CASE("degrees within a square block make its own weights", "[sampling]") {
  const Csr A = chordedRing();
  const SampledGraph graph(A);
  const Degrees degrees(A);
  const UniformSampler all(graph, 6);
  Numbering numbering(6);
  SquareBlock block;
  Buffer<double> room;
  all.sample({.purpose = Purpose::subgraph}, numbering, block);
  for (const EdgeRule rule : {EdgeRule::symmetric, EdgeRule::mean, EdgeRule::ownMean, EdgeRule::sum}) {
    Csr blockWeights, globalWeights;
    weighSquare(all, block, degrees.matrix(rule), EdgeWeights::block, room, blockWeights);
    weighSquare(all, block, degrees.matrix(rule), EdgeWeights::global, room, globalWeights);
    CHECK(
        std::ranges::equal(blockWeights.values, globalWeights.values));  // of all vertices they are the same
  }
  UniformSampler(graph, 1).sample({.purpose = Purpose::subgraph}, numbering, block);
  Csr matrix;
  weighSquare(all, block, degrees.matrix(EdgeRule::mean), EdgeWeights::block, room, matrix);
  CHECK(matrix.nonzeros() == 0);
}

TEST_CASE("a set is the same on any thread, and takes no new memory a second time", "[sampling]") {
  const Csr A = randomDirected(2000, 40'000, 4);
  const SampledGraph graph(A);
  const Degrees degrees(A);
  const SaintNodeSampler sampler(graph, degrees.matrix(EdgeRule::mean), 300);
  Numbering numbering(A.rows());
  std::vector<SquareBlock> once(12), beside(12);
  const auto sample = [&](std::int64_t i, Numbering& numbers, SquareBlock& block) {
    const auto step = static_cast<std::uint64_t>(i);
    sampler.sample({.seed = 1, .step = step, .purpose = Purpose::subgraph}, numbers, block);
  };
  for (int i = 0; i < 12; ++i) sample(i, numbering, once[at(i)]);
  parallelBlocks(
      12, 3,
      [&](std::int64_t begin, std::int64_t end) {
        Numbering own(A.rows());
        for (std::int64_t i = begin; i < end; ++i) sample(i, own, beside[at(i)]);
      },
      4);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(once[i].vertices == beside[i].vertices);
    CHECK(once[i].arcs.columns == beside[i].arcs.columns);
  }
  const auto bytes = once[5].heldBytes() + numbering.heldBytes();
  sample(5, numbering, once[5]);
  CHECK(once[5].heldBytes() + numbering.heldBytes() == bytes);
}

TEST_CASE("drawing sets stops where somebody asks", "[sampling]") {
  const Csr A = randomUndirected(2000, 250'000, 3);
  const SampledGraph graph(A);
  const Degrees degrees(A);
  struct Stopped {};
  const auto stop = [] { throw Stopped(); };
  CHECK_THROWS_AS(SaintNodeSampler(graph, degrees.matrix(EdgeRule::mean), 5, stop), Stopped);
  CHECK_THROWS_AS(SaintEdgeSampler(graph, degrees.matrix(EdgeRule::mean), 5, stop), Stopped);
  CHECK_THROWS_AS(WalkSampler(graph, std::vector<Vertex>{1}, {.roots = 70'000}, stop), Stopped);
}
