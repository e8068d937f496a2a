#include "engine/partition/stochastic/batch_nets.h"

#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "engine/base/index.h"
#include "engine/partition/stochastic/batch_counts.h"
#include "engine/sampling/uniform.h"
#include "tests/engine/sampling/sampling_support.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

using Nets = std::map<std::set<Vertex>, std::int64_t>;  // weights

Nets mapOf(const Hypergraph& graph) {
  Nets nets;
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    const auto pins = graph.pinsOf(net);
    const auto [entry, fresh] =
        nets.emplace(std::set<Vertex>(pins.begin(), pins.end()), graph.netWeight[at(net)]);
    CHECK(fresh);
    CHECK(entry->first.size() == pins.size());
  }
  return nets;
}

/// The definition: every batch's net of every vertex, one by one.
std::vector<std::set<Vertex>> unmerged(const Csr& arcs, const SquareSampler& sampler, std::uint64_t seed,
                                       std::int64_t batches, std::int64_t& drawn) {
  std::vector<std::set<Vertex>> nets;
  Numbering numbering(arcs.rows());
  Buffer<Vertex> vertices;
  drawn = 0;
  for (std::int64_t i = 0; i < batches; ++i) {
    sampler.draw({seed, static_cast<std::uint64_t>(i), Purpose::hypergraph}, numbering, vertices);
    const std::set<Vertex> batch(vertices.begin(), vertices.end());
    std::map<Vertex, std::set<Vertex>> netOfVertex;
    for (const Vertex v : batch) netOfVertex[v].insert(v);
    for (const Vertex v : batch)
      for (const Vertex u : arcs.row(v))
        if (batch.contains(u)) netOfVertex[u].insert(v);
    drawn += std::ssize(batch);
    for (const auto& [vertex, net] : netOfVertex)
      if (net.size() > 1) nets.push_back(net);
  }
  return nets;
}

}  // namespace

TEST_CASE("batches have the nets of their induced subgraphs, equal ones merged", "[partition][stochastic]") {
  for (const Csr& arcs : {randomDirected(40, 200, 1), randomUndirected(30, 60, 2), star(20), path(12)}) {
    const SampledGraph graph(arcs);
    const test::Degrees degrees(arcs);
    const UniformSampler uniform(graph, 8);
    const SaintNodeSampler saint(graph, degrees.matrix(EdgeRule::symmetric), 9);
    for (const SquareSampler* sampler :
         {static_cast<const SquareSampler*>(&uniform), static_cast<const SquareSampler*>(&saint)}) {
      std::int64_t drawn = 0;
      const std::vector<std::set<Vertex>> slow = unmerged(arcs, *sampler, 3, 50, drawn);
      const BatchNets nets = netsOfBatches(*sampler, transpose(arcs), 3, 50, Weights(at(arcs.rows()), 1));
      CHECK(nets.nets == drawn);  // those of one vertex count
      CHECK(nets.kept == std::ssize(slow));
      Nets merged;
      for (const auto& net : slow) ++merged[net];
      CHECK(mapOf(nets.graph) == merged);

      // and so a partition costs the same
      PhiloxStream random(4, Purpose::shuffle, 3);
      Owners owners;
      for (Index v = 0; v < arcs.rows(); ++v) owners.push_back(static_cast<std::int32_t>(random.below(3)));
      std::int64_t cost = 0;
      for (const auto& net : slow) {
        std::set<std::int32_t> parts;
        for (const Vertex v : net) parts.insert(owners[at(v)]);
        cost += std::ssize(parts) - 1;
      }
      CHECK(connectivity(nets.graph, owners, 3) == cost);
    }
  }
}

TEST_CASE("a batch of all vertices has the column nets of the graph", "[partition][stochastic]") {
  const Csr arcs = randomDirected(50, 300, 5);
  const SampledGraph graph(arcs);
  const UniformSampler sampler(graph, arcs.rows());
  const Weights weights(at(arcs.rows()), 1);
  const Hypergraph columns = columnNets(arcs, weights);
  const Hypergraph nets = netsOfBatches(sampler, transpose(arcs), 1, 3, weights).graph;
  Nets expected;
  for (Vertex net = 0; net < columns.netCount(); ++net)
    expected[std::set<Vertex>(columns.pinsOf(net).begin(), columns.pinsOf(net).end())] += 3;
  CHECK(mapOf(nets) == expected);
}

TEST_CASE("nets that bound the error of a volume are those of the paper", "[partition][stochastic]") {
  CHECK(netsNeeded(27, 0.1, 0.5) == Approx(4050.230033845).epsilon(1e-9));
  CHECK(netsNeeded(27, 0.1, 0.5) == Approx(4050.2).epsilon(2e-5));
  CHECK(netsNeeded(27, 0.5, 0.1) == Approx(46856.7).epsilon(2e-6));
  CHECK(netsNeeded(1, 0.1, 0.5) == 0);
}

TEST_CASE("by default batches meet each arc nine times and have the nets that are needed",
          "[partition][stochastic]") {
  const BatchCounts amazon = batchCounts(netsNeeded(27, 0.1, 0.5), 20'000, arcInclusion(334'863, 20'000));
  CHECK(amazon.byNets == 1);
  CHECK(amazon.byArcs == 2524);
  CHECK(amazon.drawn == 2524);
  CHECK(arcInclusion(12, 12) == 1);
  CHECK(batchCounts(10, 12, 1).drawn == 9);
  CHECK(batchCounts(1000, 12, 1).drawn == 84);
  CHECK(batchCounts(1000, 0, 0).drawn == 1);  // nothing can be drawn
}

TEST_CASE("an arc is in the share of GraphSAINT's batches that its inclusion says",
          "[partition][stochastic]") {
  const Csr arcs = randomDirected(40, 200, 6);
  const SampledGraph graph(arcs);
  const test::Degrees degrees(arcs);
  const SaintNodeSampler sampler(graph, degrees.matrix(EdgeRule::symmetric), 15);
  Numbering numbering(arcs.rows());
  SquareBlock block;
  const int draws = 10'000;
  double mean = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    sampler.sample({2, static_cast<std::uint64_t>(i), Purpose::hypergraph}, numbering, block);
    const double share = static_cast<double>(block.arcs.nonzeros()) / static_cast<double>(arcs.nonzeros());
    const double off = share - mean;
    mean += off / (i + 1);
    squares += off * (share - mean);
  }
  CHECK(std::abs(mean - arcInclusion(sampler)) <= 4 * std::sqrt(squares / (draws - 1) / draws));
}

}  // namespace halo
