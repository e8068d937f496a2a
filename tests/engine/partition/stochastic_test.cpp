#include <catch2/catch.hpp>
#include <numeric>

#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/partition/contract/balance.h"
#include "engine/partition/contract/balance_of.h"
#include "engine/partition/contract/quality.h"
#include "tests/engine/sampling/sampling_support.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

constexpr const char* kMethod = "stochastic-hypergraph";

PartitionRequest requestFor(int parts, Values parameters) {
  PartitionRequest request;
  request.parts = parts;
  request.parameters = std::move(parameters);
  return request;
}

std::vector<std::string> refusedIn(const Csr& arcs, Values parameters) {
  try {
    partition(arcs, kMethod, requestFor(3, std::move(parameters)));
  } catch (const InputError& error) {
    std::vector<std::string> messages;
    for (const Problem& problem : error.problems()) messages.push_back(describe(problem));
    return messages;
  }
  return {};
}

}  // namespace

TEST_CASE("vertices weigh the nonzeros of their rows with the arc to themselves", "[partition][stochastic]") {
  Values parameters;
  parameters["balance"] = std::string("nonzeros-self");
  CHECK(balanceWeights(star(5), parameters) == Weights{5, 2, 2, 2, 2});
  CHECK(balanceWeights(edgeless(3), parameters) == Weights{1, 1, 1});
  CHECK(balanceWeights(test::csrOf({{0, 1}, {0}}), parameters) == Weights{2, 2});  // it stands there once
  CHECK(balanceOf(kMethod, {}) == "nonzeros-self");

  const Csr arcs = randomUndirected(600, 2500, 3);
  for (const char* method : {kMethod, "connectivity", "hypergraph"}) {
    PartitionRequest request = requestFor(5, parameters);
    request.imbalance = 0.01;
    const Owners owners = partition(arcs, method, request);
    const Weights weights = balanceWeights(arcs, parameters);
    CHECK(std::ranges::max(partWeights(weights, owners, 5)) <= partLimit(weights, 5, 0.01));
  }
}

TEST_CASE("what stochastic-hypergraph cannot do is refused by key, all at once", "[partition][stochastic]") {
  const Csr arcs = path(30);
  Values values;
  values["batch_vertices"] = std::int64_t{31};
  CHECK(refusedIn(arcs, values) ==
        std::vector<std::string>{"partition.batch_vertices: 31 is more than the 30 vertices; at most 30"});
  values["sampler"] = std::string("saint-node");
  CHECK(refusedIn(arcs, values).empty());  // with replacement there may be more draws
  values["objective"] = std::string("expected");
  values["batches"] = std::int64_t{4};
  CHECK(
      refusedIn(arcs, values) ==
      std::vector<std::string>{
          "partition.objective: expected cannot be used with sampler = \"saint-node\"; uniform has a closed "
          "form, or objective = \"sampled\"",
          "partition.batches: 4 cannot be used with objective = \"expected\", which draws none; 0"});
  CHECK(refusedIn(arcs, {{"batch_vertices", std::int64_t{1}}}) ==
        std::vector<std::string>{
            "partition.batch_vertices: 1 cannot be used: a batch of one vertex has no arc; 2 or more"});
  CHECK(partitionProblems(kMethod, {{"batch_vertices", std::int64_t{31}}}).empty());  // nobody knows yet
  CHECK(refusedIn(arcs, {}).empty());                                                 // a default is cut
}

TEST_CASE("the numbers of batches that were worked out are told", "[partition][stochastic]") {
  const auto figuresOf = [](const Csr& arcs, Values parameters) {
    std::vector<double> values;
    for (const PartitionFigure& figure :
         partitionFigures(arcs, kMethod, requestFor(3, std::move(parameters))))
      values.push_back(figure.value);
    return values;
  };
  // all of 30 vertices: ρ₂ is 1, and 4 ln(20) / 0.5 are 24 nets
  CHECK(figuresOf(path(30), {}) == std::vector<double>{9, 1, 9});
  // 9 / (10 · 9 / (30 · 29)) and 24 / 10
  CHECK(figuresOf(path(30), {{"batch_vertices", std::int64_t{10}}}) == std::vector<double>{87, 3, 87});
  CHECK(figuresOf(path(30), {{"batch_vertices", std::int64_t{10}}, {"batches", std::int64_t{5}}}) ==
        std::vector<double>{5, 3, 87});
  CHECK(figuresOf(path(30), {{"objective", std::string("expected")}}).empty());
  CHECK(figuresOf(path(3), {}).empty());  // a part for each vertex
}

TEST_CASE("stochastic-hypergraph divides by every sampler, objective and start, the same each time",
          "[partition][stochastic]") {
  const std::string sampler = GENERATE("uniform", "saint-node"), objective = GENERATE("sampled", "expected"),
                    start = GENERATE("metis", "hypergraph");
  const std::int64_t batches = GENERATE(1, 40);
  if (sampler == "saint-node" && objective == "expected") return;
  for (const Csr& arcs :
       {randomUndirected(300, 900, 1), randomDirected(300, 900, 2), star(200), grid(15, 12), edgeless(40)}) {
    Values values{{"sampler", sampler}, {"objective", objective}, {"start", start}};
    values["batch_vertices"] = std::int64_t{20};
    if (objective == "sampled") values["batches"] = batches;
    const PartitionRequest request = requestFor(4, values);
    const Owners owners = partition(arcs, kMethod, request);
    CHECK(owners == partition(arcs, kMethod, request));
    const PartitionQuality quality = measure(arcs, true, owners, 4);
    CHECK(std::ranges::all_of(quality.vertices, [](auto count) { return count > 0; }));
    Values balance;
    balance["balance"] = std::string("nonzeros-self");
    const Weights weights = balanceWeights(arcs, balance);
    const std::int64_t heaviest = std::ranges::max(partWeights(weights, owners, 4));
    CHECK(heaviest <= partLimit(weights, 4, request.imbalance));
  }
}

TEST_CASE("batches of all vertices are divided as the graph is", "[partition][stochastic]") {
  const Csr arcs = randomUndirected(500, 1500, 4);
  Values balance;
  balance["balance"] = std::string("nonzeros-self");
  const auto volume = [&](const char* method, Values values) {
    return static_cast<double>(
        measure(arcs, false, partition(arcs, method, requestFor(4, std::move(values))), 4).volume);
  };
  const double halo = volume("connectivity", balance);
  CHECK(volume(kMethod, {}) <= 1.03 * halo);
  CHECK(volume(kMethod, {{"objective", std::string("expected")}}) <= 1.03 * halo);
}

}  // namespace halo
