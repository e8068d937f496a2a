#include "engine/hybrid/batch_sizes.h"

#include <catch2/catch.hpp>

#include "datasets/generate/generate_arcs.h"
#include "engine/base/problem.h"
#include "tests/support/small_graphs.h"

using namespace halo;

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

}  // namespace

TEST_CASE("the same mini-batches for any number of threads", "[hybrid]") {
  const Csr A = randomUndirected(500, 3000, 8);
  const SampleRequest request{.batchSizes = {1, 40, 200}, .draws = 5, .scale = 2};
  const BatchSizes serial(A, request, 1), parallel(A, request, 4);
  for (const double seeds : {1.0, 7.5, 40.0, 199.0, 1000.0})
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
      CHECK(serial.sizeAt(seeds, draw).vertices == parallel.sizeAt(seeds, draw).vertices);
      CHECK(serial.sizeAt(seeds, draw).edges == parallel.sizeAt(seeds, draw).edges);
      CHECK(serial.sizeAt(seeds, draw).vertices.back() == Approx(seeds));
    }
  // draws differ, and the mean is theirs
  CHECK(serial.sizeAt(40, 0).vertices != serial.sizeAt(40, 1).vertices);
  double sum = 0;
  for (std::uint64_t draw = 0; draw < 5; ++draw) sum += serial.sizeAt(40, draw).vertices.front();
  CHECK(serial.mean(40).vertices.front() == Approx(sum / 5));
  CHECK(serial.sizeAt(40, 6).vertices == serial.sizeAt(40, 1).vertices);
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
  CHECK(BatchSizes(edgeless(20), request).sizeAt(0, 1).vertices == std::vector<double>{0, 0, 0});
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
