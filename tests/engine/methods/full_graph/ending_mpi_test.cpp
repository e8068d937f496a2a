// However a training ends, nothing is on its way any more when its method goes: what it would arrive in goes
// with it.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

TEST_CASE("when a run that diverged ends, nothing is under way any more, whatever its method", "[ending]") {
  const Dataset set = hardGraphs()[0];
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (worldSize() > 1 && !entry.distributed) continue;
    RunSettings run = settingsFor(std::string(name), "gcn", 3, 8);
    run.cluster.workers = worldSize();
    run.training.optimizer = "sgd";
    run.training.learningRate = sizeof(Scalar) == 8 ? 1e300 : 1e30;
    if (!refusals(entry, run).empty()) continue;
    CAPTURE(name);
    Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
    double loss = 0;
    for (int epoch = 0; epoch < 20 && std::isfinite(loss); ++epoch) loss = many.method->runEpoch(epoch);
    CHECK_FALSE(std::isfinite(loss));
    many.method->finish();
    CHECK(many.comm.underWay() == 0);
  }
}
