#include "engine/sampling/neighbour.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "tests/engine/sampling/sampling_support.h"

using namespace halo;
using namespace halo::test;

namespace {

std::vector<int> slowFanouts(const Fanouts& fanouts) {
  std::vector<int> slow;
  for (const std::int32_t fanout : fanouts) slow.push_back(fanout == kAllNeighbours ? slow::kAll : fanout);
  return slow;
}

std::vector<Vertex> everyThird(const Csr& A) {
  std::vector<Vertex> seeds;
  for (Index v = A.rows() - 1; v >= 0; v -= 3) seeds.push_back(static_cast<Vertex>(v));
  return seeds;
}

void checkEqual(const Blocks& blocks, const slow::Batch& expected) {
  REQUIRE(blocks.layers() + 1 == static_cast<int>(expected.V.size()));
  for (int l = 0; l <= blocks.layers(); ++l) {
    const std::span<const Vertex> V = blocks.at(l);
    CHECK(std::vector<int>(V.begin(), V.end()) == expected.V[at(l)]);
    if (l == 0) continue;
    CHECK(rowsOf(blocks.block(l)) == expected.E[at(l)]);
    CHECK(blocks.block(l).cols == static_cast<Index>(expected.V[at(l) - 1].size()));
  }
}

bool same(const Blocks& a, const Blocks& b) {
  bool equal = a.vertices == b.vertices && a.layers() == b.layers();
  for (int l = 1; equal && l <= a.layers(); ++l)
    equal = a.block(l).offsets == b.block(l).offsets && a.block(l).columns == b.block(l).columns;
  return equal;
}

}  // namespace

TEST_CASE("the slow twin has the random numbers of Random123's own test", "[sampling]") {
  // kat_vectors of Random123: counter and key of zeros, ten rounds
  CHECK(slow::philox(0, 0, {0, 0, 0, 0}) ==
        std::array<std::uint32_t, 4>{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U});
}

TEST_CASE("sampled blocks are those of the slow twin", "[sampling]") {
  const bool replace = GENERATE(false, true);
  for (const Csr& A : sampledGraphs()) {
    const SampledGraph graph(A);
    for (const Fanouts& fanouts : {Fanouts{3}, Fanouts{25, 10}, Fanouts{1, 2, 4}, Fanouts{40, kAllNeighbours},
                                   Fanouts{kAllNeighbours, 5}, Fanouts{33, 1024}}) {
      NeighbourSampler sampler(graph, {fanouts, replace});
      Blocks blocks;
      for (const std::uint64_t step : {0U, 1U, 77U}) {
        const std::vector<Vertex> seeds = everyThird(A);
        sampler.sample(seeds, {.seed = 9 + (step << 40), .step = step}, blocks);
        CAPTURE(A.rows(), replace, fanouts, step);
        checkEqual(blocks,
                   slow::batch(rowsOf(A), seeds, {9 + (step << 40), step, 5}, slowFanouts(fanouts), replace));
      }
    }
  }
}

TEST_CASE("the example's ring gives its blocks", "[sampling]") {
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 8; ++v) arcs.push_back({v, static_cast<Vertex>((v + 1) % 8)});
  const Csr ring = symmetrised(buildCsr(8, arcs, false));
  const SampledGraph graph(ring);
  NeighbourSampler sampler(graph, {{kAllNeighbours, kAllNeighbours}, false});
  Blocks blocks;
  sampler.sample(std::vector<Vertex>{0, 1}, {}, blocks);
  const auto list = [&](int l) { return std::vector<Vertex>(blocks.at(l).begin(), blocks.at(l).end()); };
  CHECK(list(2) == std::vector<Vertex>{0, 1});
  CHECK(list(1) == std::vector<Vertex>{0, 1, 7, 2});
  CHECK(list(0) == std::vector<Vertex>{0, 1, 7, 2, 6, 3});
  CHECK(blocks.block(2).nonzeros() == 4);
  CHECK(blocks.block(1).nonzeros() == 8);
  CHECK(blocks.sampledArcs() == 12);
}

TEST_CASE("every sampled arc is an arc, and none is drawn twice without replacement", "[sampling]") {
  const Csr A = randomDirected(300, 9000, 5);
  const SampledGraph graph(A);
  NeighbourSampler sampler(graph, {{12, 40}, false});
  Blocks blocks;
  sampler.sample(everyThird(A), {}, blocks);
  for (int l = 1; l <= 2; ++l) {
    const std::span<const Vertex> targets = blocks.at(l), sources = blocks.at(l - 1);
    CHECK(std::ranges::equal(targets, sources.first(targets.size())));
    for (std::size_t i = 0; i < targets.size(); ++i) {
      std::set<Vertex> once;
      for (const Vertex column : blocks.block(l).row(static_cast<Index>(i))) once.insert(sources[at(column)]);
      const Index degree = A.degree(targets[i]);
      CHECK(std::ssize(once) == std::min<Index>(l == 1 ? 12 : 40, degree));
      CHECK(std::ranges::includes(A.row(targets[i]), once));
    }
  }
}

TEST_CASE("a fan-out of the largest degree is the full neighbourhood", "[sampling]") {
  const Csr A = randomUndirected(80, 500, 6);
  Index most = 0;
  for (Index v = 0; v < A.rows(); ++v) most = std::max(most, A.degree(v));
  const SampledGraph graph(A);
  NeighbourSampler bounded(graph,
                           {{static_cast<std::int32_t>(most), static_cast<std::int32_t>(most)}, false});
  NeighbourSampler all(graph, {{kAllNeighbours, kAllNeighbours}, false});
  Blocks blocks, full;
  bounded.sample(everyThird(A), {.step = 3}, blocks);
  all.sample(everyThird(A), {.step = 8}, full);
  CHECK(same(blocks, full));
}

TEST_CASE("a batch is the same on any number of threads", "[sampling]") {
  const Csr A = randomDirected(2000, 60000, 7);
  const SampledGraph graph(A);
  std::vector<std::vector<Vertex>> seeds;
  std::vector<NeighbourBatch> batches;
  for (Vertex b = 0; b < 12; ++b) {
    seeds.emplace_back(50);
    std::iota(seeds.back().begin(), seeds.back().end(), b * 50);
  }
  for (std::uint64_t b = 0; b < seeds.size(); ++b) batches.push_back({seeds[b], {.seed = 4, .step = b}});
  std::vector<Blocks> once(batches.size());
  NeighbourTeam(graph, {}, 1).sample(batches, once);
  for (const int threads : {2, 3, 16}) {
    std::vector<Blocks> again(batches.size());
    NeighbourTeam team(graph, {}, threads);
    team.sample(batches, again);
    team.sample(batches, again);  // into what is there
    for (std::size_t b = 0; b < batches.size(); ++b) CHECK(same(once[b], again[b]));
  }
}

TEST_CASE("owners that draw for others make the block of one process", "[sampling]") {
  const Csr A = randomDirected(200, 5000, 8);
  const NeighbourSettings settings{{6, 9, 4}, false};
  const std::vector<Vertex> seeds = everyThird(A);
  const DrawKey key{.seed = 2, .step = 5};
  const SampledGraph graph(A);
  Blocks expected, joined;
  NeighbourSampler(graph, settings).sample(seeds, key, expected);
  for (const int ranks : {2, 3, 7}) {
    // rank r keeps the rows of vertices r, r + ranks, … in falling order, so no row has its vertex's number
    std::vector<std::vector<Vertex>> ids(at(ranks));
    for (Index v = A.rows() - 1; v >= 0; --v) ids[at(v % ranks)].push_back(static_cast<Vertex>(v));
    std::vector<Csr> parts;
    for (const auto& own : ids) {
      slow::Rows rows;
      for (const Vertex v : own) rows.emplace_back(A.row(v).begin(), A.row(v).end());
      parts.push_back(csrOf(rows));
      parts.back().cols = A.cols;
    }
    BlockNumbering numbering(A.rows());
    numbering.begin(seeds);
    joined.arcs.resize(3);
    for (int layer = 3; layer >= 1; --layer) {
      Csr& block = joined.arcs[at(layer) - 1];
      block.offsets.assign(1, 0);
      block.columns.clear();
      for (const Vertex v : numbering.targets()) {  // a message of one vertex each
        const auto rank = at(v % ranks);
        const auto row = static_cast<Vertex>(std::ranges::find(ids[rank], v) - ids[rank].begin());
        Csr answer;
        NeighbourDraw()(SampledGraph(parts[rank], ids[rank]), settings, key, layer, std::span(&v, 1),
                        std::span(&row, 1), answer);
        block.columns.insert(block.columns.end(), answer.columns.begin(), answer.columns.end());
        block.offsets.push_back(static_cast<Index>(block.columns.size()));
      }
      numbering.add(block);
    }
    numbering.finish(joined.vertices);
    CHECK(same(joined, expected));
  }
}

TEST_CASE("who owns no vertex has a graph to draw from, without rows", "[sampling]") {
  Csr none;
  none.cols = 9;
  const SampledGraph graph(none);
  CHECK(graph.vertices() == 9);
  NeighbourDraw draw;
  Csr drawn;
  draw(graph, {{2}}, {}, 1, {}, {}, drawn);
  CHECK(drawn.rows() == 0);
  CHECK(drawn.nonzeros() == 0);
}

TEST_CASE("keys of steps, layers, purposes and seeds draw apart", "[sampling]") {
  const Csr A = star(1000);
  const SampledGraph graph(A);
  const auto drawn = [&](const DrawKey& key, int layer) {
    Csr out;
    const Vertex hub = 0;
    NeighbourDraw()(graph, {{20, 20}, false}, key, layer, std::span(&hub, 1), {}, out);
    return std::vector<Vertex>(out.columns.begin(), out.columns.end());
  };
  const auto first = drawn({}, 2);
  CHECK(first == drawn({}, 2));
  CHECK(first != drawn({}, 1));
  CHECK(first != drawn({.step = 1}, 2));
  CHECK(first != drawn({.seed = 2}, 2));
  CHECK(first != drawn({.purpose = Purpose::evaluate}, 2));
}

TEST_CASE("batches without seeds and of all vertices are sampled", "[sampling]") {
  const Csr A = randomDirected(50, 400, 9);
  const SampledGraph graph(A);
  NeighbourSampler sampler(graph, {});
  Blocks blocks;
  sampler.sample({}, {}, blocks);
  CHECK(blocks.vertices.empty());
  CHECK(blocks.sampledArcs() == 0);
  CHECK(blocks.block(1).rows() == 0);
  std::vector<Vertex> all(50);
  std::iota(all.begin(), all.end(), 0);
  sampler.sample(all, {}, blocks);
  CHECK(std::ranges::equal(blocks.at(0), all));
}

TEST_CASE("a batch no larger than one before takes no new memory", "[sampling]") {
  const Csr A = randomDirected(3000, 60000, 10);
  const SampledGraph graph(A);
  NeighbourSampler sampler(graph, {{5, 5}, false});
  Blocks blocks;
  std::vector<Vertex> seeds(400);
  std::iota(seeds.begin(), seeds.end(), 0);
  sampler.sample(seeds, {.step = 0}, blocks);
  const auto bytes = sampler.heldBytes() + blocks.heldBytes();
  for (std::uint64_t step = 1; step < 40; ++step) {
    sampler.sample(std::span(seeds).first(200 - step), {.step = step}, blocks);
    CHECK(sampler.heldBytes() + blocks.heldBytes() == bytes);
  }
}

TEST_CASE("numbers stay right where the marks of batches run out", "[sampling]") {
  Numbering numbering(10, ~std::uint32_t{0} - 25);  // room for two batches of ten
  for (int batch = 0; batch < 6; ++batch) {
    numbering.begin();
    numbering.reserve(10);
    CAPTURE(batch);
    for (Vertex v = 0; v < 10; ++v) CHECK(numbering.find(v) == -1);
    for (Vertex v = 0; v < 10; ++v) CHECK(numbering.number((v + batch) % 10) == v);
    CHECK(numbering.number(static_cast<Vertex>(batch)) == 0);
    CHECK(numbering.met() == 10);
  }
}

TEST_CASE("sampling stops where somebody asks", "[sampling]") {
  const Csr A = randomUndirected(3000, 400'000, 11);
  const SampledGraph graph(A);
  NeighbourSampler sampler(graph, {{kAllNeighbours, kAllNeighbours}, false});
  Blocks blocks;
  std::vector<Vertex> all(3000);
  std::iota(all.begin(), all.end(), 0);
  struct Stopped {};
  CHECK_THROWS_AS(sampler.sample(all, {}, blocks, [] { throw Stopped(); }), Stopped);
  sampler.sample(std::span(all).first(3), {}, blocks);  // and goes on after that
  CHECK(blocks.block(2).rows() == 3);
}
