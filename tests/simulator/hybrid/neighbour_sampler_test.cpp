#include "simulator/hybrid/neighbour_sampler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "datasets/generate/generate_arcs.h"
#include "engine/base/problem.h"
#include "tests/support/small_graphs.h"

using namespace halo;
using namespace halo::sim;

namespace {

Csr replica(const std::string& name, double vertices) {
  for (const GraphShape& shape : generatedShapes())
    if (shape.name == name)
      return plantCommunities(shape, planGraph(shape, vertices / static_cast<double>(shape.vertices)), 1, {},
                              0)
          .arcs;
  FAIL("no shape " << name);
  return {};
}

bool hasArc(const Csr& A, const Arc& arc) {
  const auto row = A.row(arc.target);
  return std::ranges::binary_search(row, arc.source);
}

}  // namespace

TEST_CASE("a sample has at most the fan-out of each vertex, of arcs that are there", "[hybrid]") {
  const Csr A = randomUndirected(200, 2000, 5);
  const std::vector<int> fanouts = {3, 7};
  NeighbourSampler sampler(A, fanouts, 11);
  const std::vector<Vertex> seeds = {4, 90, 17, 150};
  const BatchSize size = sampler.sample(seeds, 2);

  std::set<Vertex> met(seeds.begin(), seeds.end());
  std::vector<double> vertices = {static_cast<double>(met.size())}, edges;
  for (std::size_t hop = 0; hop < fanouts.size(); ++hop) {
    const std::set<Vertex> targets = met;
    std::map<Vertex, std::set<Vertex>> drawn;
    for (const Arc& arc : sampler.arcs()[hop]) {
      CHECK(hasArc(A, arc));
      CHECK(targets.contains(arc.target));
      CHECK(drawn[arc.target].insert(arc.source).second);  // without replacement
      met.insert(arc.source);
    }
    for (const Vertex v : targets)
      CHECK(static_cast<Index>(drawn[v].size()) == std::min<Index>(A.degree(v), fanouts[hop]));
    vertices.push_back(static_cast<double>(met.size()));
    edges.push_back(static_cast<double>(sampler.arcs()[hop].size()));
  }
  std::ranges::reverse(vertices);
  std::ranges::reverse(edges);
  CHECK(size.vertices == vertices);
  CHECK(size.edges == edges);
}

TEST_CASE("fan-outs above every degree give the whole neighbourhood", "[hybrid]") {
  const Csr A = grid(9, 9);
  NeighbourSampler sampler(A, {10, 10}, 1);
  const BatchSize size = sampler.sample(std::vector<Vertex>{40}, 0);  // the middle
  CHECK(size.vertices == std::vector<double>{13, 5, 1});
  CHECK(size.edges == std::vector<double>{20, 4});
}

TEST_CASE("every neighbour is drawn equally often", "[hybrid]") {
  const Csr A = star(21);  // the middle has 20
  NeighbourSampler sampler(A, {5}, 3);
  std::map<Vertex, int> times;
  constexpr int kRounds = 8000;
  for (int round = 0; round < kRounds; ++round) {
    sampler.sample(std::vector<Vertex>{0}, static_cast<std::uint64_t>(round));
    for (const Arc& arc : sampler.arcs()[0]) ++times[arc.source];
  }
  REQUIRE(times.size() == 20);
  // binomial, 8000 rounds with probability 1/4: mean 2000, deviation 38.7; 4.5 of them
  for (const auto& [vertex, count] : times) CHECK(count == Approx(2000).margin(174));
}

TEST_CASE("the same mini-batches for any number of threads", "[hybrid]") {
  const Csr A = randomUndirected(500, 3000, 8);
  const SampleRequest request{.batchSizes = {1, 40, 200}, .draws = 5, .scale = 2};
  const BatchSizes one(A, request, 1), four(A, request, 4);
  for (const double seeds : {1.0, 7.5, 40.0, 199.0, 1000.0})
    for (std::uint64_t which = 0; which < 5; ++which) {
      CHECK(one.of(seeds, which).vertices == four.of(seeds, which).vertices);
      CHECK(one.of(seeds, which).edges == four.of(seeds, which).edges);
      CHECK(one.of(seeds, which).vertices.back() == Approx(seeds));
    }
  // draws differ, and the mean is theirs
  CHECK(one.of(40, 0).vertices != one.of(40, 1).vertices);
  double sum = 0;
  for (std::uint64_t which = 0; which < 5; ++which) sum += one.of(40, which).vertices.front();
  CHECK(one.mean(40).vertices.front() == Approx(sum / 5));
  CHECK(one.of(40, 6).vertices == one.of(40, 1).vertices);
}

TEST_CASE("a replica of a tenth of the vertices draws mini-batches of the same size", "[hybrid]") {
  const SampleRequest full{.batchSizes = {512}, .draws = 6};
  SampleRequest tenth = full;
  tenth.scale = 10;
  const BatchSize large = BatchSizes(replica("products-like", 60000), full).mean(512);
  const BatchSize small = BatchSizes(replica("products-like", 6000), tenth).mean(512);
  for (std::size_t l = 0; l < 3; ++l) CHECK(small.vertices[l] == Approx(large.vertices[l]).epsilon(0.1));
  for (std::size_t l = 0; l < 2; ++l) CHECK(small.edges[l] == Approx(large.edges[l]).epsilon(0.1));
}

TEST_CASE("graphs without vertices or arcs give mini-batches of nothing", "[hybrid]") {
  const SampleRequest request{.batchSizes = {10}, .draws = 2};
  CHECK(BatchSizes(edgeless(0), request).mean(10).vertices == std::vector<double>{0, 0, 0});
  const BatchSize alone = BatchSizes(edgeless(20), request).mean(10);
  CHECK(alone.vertices == std::vector<double>{10, 10, 10});
  CHECK(alone.edges == std::vector<double>{0, 0});
  CHECK(BatchSizes(edgeless(20), request).of(0, 1).vertices == std::vector<double>{0, 0, 0});
}

TEST_CASE("samples that cannot be are refused by name", "[hybrid]") {
  const auto refusal = [](const SampleRequest& request) {
    try {
      BatchSizes(path(5), request);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Contains;
  CHECK_THAT(refusal({.fanouts = {0}, .batchSizes = {1}}),
             Contains("sample.fanouts: 0 cannot be used; 1 to 1024"));
  CHECK_THAT(refusal({.fanouts = {}, .batchSizes = {}}),
             Contains("sample.fanouts: empty") && Contains("sample.batch_sizes: empty"));
  CHECK_THAT(refusal({.batchSizes = {4, 2}}), Contains("sample.batch_sizes: not ascending"));
  CHECK_THAT(refusal({.batchSizes = {0, 2}}), Contains("sample.batch_sizes: 0 cannot be used"));
  CHECK_THAT(refusal({.batchSizes = {2}, .draws = 0, .scale = 0.5}),
             Contains("sample.draws: 0 cannot be used") && Contains("sample.scale: 0.5 cannot be used"));
  CHECK_THAT(refusal({.batchSizes = {1'000'000'000}}), Contains("too many to be told apart"));
}
