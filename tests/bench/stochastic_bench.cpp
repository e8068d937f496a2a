// Rows of mini-batches in 27 parts: stochastic hypergraph partitioning of a graph of com-Amazon's counts, by
// 2,524 batches of 20,000 vertices, beside its targets in time and memory:
// haloscope-benchmarks "[stochastic]".
#include <sys/resource.h>

#include <catch2/catch.hpp>

#include "datasets/generate/generate.h"
#include "engine/base/clock.h"
#include "engine/partition/contract/partitioner.h"

using namespace halo;

namespace {

constexpr int kParts = 27;
constexpr double kMostMinutes = 10, kMostGib = 4;

Csr amazon() {
  for (const GraphShape& shape : generatedShapes())
    if (shape.name == "com-amazon-like") return generate(shape, 1, /*seed=*/1).arcs;
  return {};
}

double peakGib() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / (1 << 20);
}

}  // namespace

TEST_CASE("stochastic hypergraph partitioning in 27 parts", "[!benchmark][stochastic]") {
  const std::string objective = GENERATE("sampled", "expected");
  const Csr arcs = amazon();
  REQUIRE(arcs.rows() > 300'000);
  PartitionRequest request;
  request.parts = kParts;
  request.imbalance = 0.01;
  request.parameters["batch_vertices"] = std::int64_t{20'000};
  request.parameters["objective"] = objective;
  if (objective == "sampled") request.parameters["batches"] = std::int64_t{2524};
  const std::int64_t begin = wallNs();
  const Owners owners = partition(arcs, "stochastic-hypergraph", request);
  const double minutes = static_cast<double>(wallNs() - begin) * 1e-9 / 60;
  WARN(objective << ": " << minutes << " min (at most " << kMostMinutes << "), peak of the process "
                 << peakGib() << " GiB (at most " << kMostGib << ")");
  CHECK(std::ssize(owners) == arcs.rows());
  CHECK(minutes <= kMostMinutes);
  CHECK(peakGib() <= kMostGib);
}
