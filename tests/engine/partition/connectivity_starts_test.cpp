// What the partitioner `connectivity` starts from, and what it bounds, whole partitions at a time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <span>

#include "engine/partition/contract/quality.h"
#include "engine/partition/hypergraph/hypergraph.h"
#include "engine/partition/hypergraph/shuffle.h"
#include "tests/support/small_graphs.h"

namespace halo {
namespace {

PartitionRequest requestFor(int parts) {
  PartitionRequest request;
  request.parts = parts;
  request.parameters["balance"] = std::string("nonzeros");
  return request;
}

/// Groups of vertices that read the same rows, of vertices anywhere: no neighbours of one another, so that a
/// hierarchy of communities does not see them. `hub`: all read vertex 0 too.
Csr coReaders(bool hub) {
  constexpr Vertex kVertices = 1100;
  constexpr std::size_t kGroups = 22, kSources = 60, kReaders = 25, kSize = kVertices / kGroups;
  PhiloxStream random(31, Purpose::shuffle, 5);
  std::vector<Vertex> vertices(kVertices);
  std::iota(vertices.begin(), vertices.end(), 0);
  shuffle(vertices, random);
  std::vector<Arc> arcs;
  for (std::size_t group = 0; group < kGroups; ++group) {
    const auto members = std::span(vertices).subspan(group * kSize, kSize);
    for (std::size_t s = 0; s < kSources; ++s) {
      const auto source = static_cast<Vertex>(random.below(kVertices));
      for (std::size_t r = 0; r < kReaders; ++r) arcs.push_back({source, members[random.below(kSize)]});
    }
  }
  for (Vertex v = 1; hub && v < kVertices; ++v) arcs.push_back({0, v});
  return buildCsr(kVertices, arcs, /*keepSelfLoops=*/false);
}

}  // namespace

TEST_CASE("where communities hide who belongs together, there is a third start",
          "[partition][connectivity]") {
  const bool hub = GENERATE(true, false), directed = GENERATE(true, false);
  CAPTURE(hub, directed);
  const Csr graph = directed ? coReaders(hub) : symmetrised(coReaders(hub));
  const PartitionRequest request = requestFor(4);
  const std::int64_t volume = measure(graph, true, partition(graph, "connectivity", request), 4).volume,
                     zoltans = measure(graph, true, partition(graph, "hypergraph", request), 4).volume;
  CHECK(volume <= zoltans);
  if (directed)
    CHECK(zoltans * 4 < measure(graph, true, partition(graph, "metis-volume", request), 4).volume * 3);
}

namespace {

/// Sites of six pages that read one another, pages of sites of the same topic, and page 0.
Csr web() {
  constexpr Vertex kSites = 240, kSize = 6, kTopics = 12;
  PhiloxStream random(32, Purpose::shuffle, 6);
  std::vector<Arc> arcs;
  for (Vertex site = 0; site < kSites; ++site)
    for (Vertex page = site * kSize; page < (site + 1) * kSize; ++page) {
      for (Vertex other = site * kSize; other < (site + 1) * kSize; ++other) arcs.push_back({other, page});
      const auto near = static_cast<Vertex>(random.below(kSites / kTopics)) * kTopics + site % kTopics;
      arcs.push_back({near * kSize, page});
      arcs.push_back({0, page});
    }
  return buildCsr(kSites * kSize, arcs, /*keepSelfLoops=*/false);
}

}  // namespace

TEST_CASE("where most vertices read what others read, groups of them are Zoltan's start",
          "[partition][connectivity]") {
  const Csr graph = web();
  const PartitionRequest request = requestFor(GENERATE(4, 12));
  const Owners result = partition(graph, "connectivity", request);
  CHECK(result == partition(graph, "connectivity", request));
  const auto volume = [&](const Owners& owners) {
    return measure(graph, true, owners, request.parts).volume;
  };
  CHECK(volume(result) <= volume(partition(graph, "hypergraph", request)));
}

TEST_CASE("where no vertex can move alone, connectivity leaves no more rows than Zoltan",
          "[partition][connectivity]") {
  const Csr graph = grid(60, 60);
  PartitionRequest request = requestFor(GENERATE(4, 16, 17, 32));
  request.imbalance = GENERATE(0, 0.001, 0.003);
  const auto volume = [&](const char* method) {
    return measure(graph, true, partition(graph, method, request), request.parts).volume;
  };
  CHECK(volume("connectivity") <= volume("hypergraph"));
}

TEST_CASE("Zoltan divides nodes by the weights of their nets", "[partition][connectivity]") {
  Hypergraph chain;
  chain.nodeWeight.assign(8, 1);
  for (Vertex v = 0; v + 1 < 8; ++v) {
    chain.pins.insert(chain.pins.end(), {v, v + 1});
    chain.netBegin.push_back(std::ssize(chain.pins));
    chain.netWeight.push_back(v == 3 ? 100 : 2 + v % 2);  // the middle, where equal weights would be cut
  }
  completeNodes(chain, 8);
  PartitionRequest request = requestFor(2);
  request.imbalance = 0.25;  // five nodes and three
  const Owners owners = find<PartitionerEntry>("hypergraph")->divideNets(chain, request);
  CHECK(connectivity(chain, owners, 2) <= 3);
  CHECK(std::ranges::max(partWeights(chain.nodeWeight, owners, 2)) <= 5);
}

TEST_CASE("no part of connectivity sends far more than the mean, nor holds a vertex too many",
          "[partition][connectivity]") {
  const Csr graph = GENERATE(symmetrised(coReaders(true)), symmetrised(coReaders(false)),
                             randomUndirected(500, 2500, 15));  // with a hub and without
  const int parts = GENERATE(4, 7);
  const PartitionRequest request = requestFor(parts);
  const Owners owners = partition(graph, "connectivity", request);
  const PartitionQuality quality = measure(graph, false, owners, parts),
                         metis = measure(graph, false, partition(graph, "metis-volume", request), parts);
  const Weights weights = balanceWeights(graph, request.parameters);
  CHECK(static_cast<double>(std::ranges::max(partWeights(weights, owners, parts))) * parts <=
        (1 + request.imbalance) * static_cast<double>(totalWeight(weights)));
  CHECK(static_cast<double>(quality.maxVolume) <= 1.1 * static_cast<double>(quality.volume) / parts + 1);
  CHECK(quality.maxVolume <= metis.maxVolume);
}

}  // namespace halo
