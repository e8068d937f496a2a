// The invariants of point-to-point messages taken as they arrive. That both accumulations give
// what one worker gives stands among the identity tests.
#include <catch2/catch.hpp>
#include <cmath>

#include "engine/partition/contract/quality.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

RunSettings p2p(const std::string& accumulation, const std::string& order = "auto") {
  // graphsage propagates along the arcs themselves, with no loop of its own
  RunSettings run = settingsFor("p2p", "graphsage", 3, 7, 0.5);
  run.parameters.insert_or_assign("accumulation", Value(accumulation));
  run.model.order = order;
  return run;
}

/// Gradients of the last epoch, then the weights it left.
std::vector<Scalar> trainedFor(int epochs, const Dataset& set, const RunSettings& run) {
  Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  for (int epoch = 0; epoch < epochs; ++epoch) many.method->runEpoch(epoch);
  std::vector<Scalar> all;
  for (const auto& [name, weight] : many.model->weights())
    all.insert(all.end(), weight->gradient.values().begin(), weight->gradient.values().end());
  for (const auto& [name, weight] : many.model->weights())
    all.insert(all.end(), weight->value.values().begin(), weight->value.values().end());
  return all;
}

}  // namespace

TEST_CASE("p2p moves the connectivity of the partition, to the element and message", "[p2p][volume]") {
  for (const Dataset& set : hardGraphs()) {
    CAPTURE(set.name);
    Trained many(MPI_COMM_WORLD, set, p2p("arrival"), scatteredOwners(set, worldSize()));
    many.method->runEpoch(0);
    const PartitionQuality quality = measure(set.arcs, /*directed=*/true, many.owners, worldSize());
    const std::vector<Index>& d = many.model->widths();
    std::int64_t elements = 0, messages = 0;
    for (const auto& [key, flow] : measuredOf(many)) {
      if (std::get<2>(key) < 0) continue;  // gradients of the weights
      messages += flow.first;
      elements += flow.second / static_cast<std::int64_t>(sizeof(Scalar));
    }
    CHECK(many.comm.sum(elements) == quality.volume * (d[0] + d[1] + d[2] + d[1] + d[2] + d[3]));
    CHECK(many.comm.sum(messages) == 2 * 3 * quality.messages);
  }
}

TEST_CASE("the order of arrival changes nothing beyond rounding, and a fixed order not even that", "[p2p]") {
  const Dataset set = hardGraphs()[0];
  CHECK(trainedFor(5, set, p2p("fixed")) == trainedFor(5, set, p2p("fixed")));
  const auto fixed = trainedFor(1, set, p2p("fixed")), arrival = trainedFor(1, set, p2p("arrival"));
  const double tolerance = sizeof(Scalar) == 8 ? 1e-12 : 1e-5;
  double worst = 0;
  for (std::size_t i = 0; i < fixed.size() / 2; ++i)  // the gradients: Adam magnifies the smallest of them
    worst = larger(worst, std::abs(static_cast<double>(fixed[i]) - static_cast<double>(arrival[i])));
  CHECK(worst <= tolerance);
}

TEST_CASE("order auto updates last with p2p and keeps no aggregated rows; a named order is taken", "[p2p]") {
  const Dataset set = hardGraphs()[0];
  const Owners owners = scatteredOwners(set, worldSize());
  Trained automatic(MPI_COMM_WORLD, set, p2p("arrival"), owners);
  Trained named(MPI_COMM_WORLD, set, p2p("arrival", "aggregate-first"), owners);
  for (int l = 0; l < 3; ++l) {
    CHECK(automatic.model->layer(l).order() == Order::updateLast);
    CHECK(named.model->layer(l).order() == Order::aggregateFirst);
  }
  CHECK(automatic.method->runEpoch(0) == Approx(named.method->runEpoch(0)).epsilon(1e-5));
  if (worldSize() == 1)  // Z of two layers (those of widths d_0 and 7) less
    CHECK(automatic.method->memoryBytes() < named.method->memoryBytes());
}
