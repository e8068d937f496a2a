// What methods of mini-batches say that they hold.
#include "tests/engine/methods/minibatch/held_memory.h"
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

#ifndef __SANITIZE_ADDRESS__  // has its own malloc

TEST_CASE("a larger mini-batch takes the memory more that it says it holds", "[minibatch][memory]") {
  constexpr Index kAll = 3000, kWidth = 150;  // no buffer so large that its alignment counts
  const Dataset set = datasetOf("wide", buildCsr(kAll, randomArcs(kAll, 15000, 9), false), true, kWidth, 8);
  for (const auto& [method, kind] : std::map<std::string, std::string>{
           {"minibatch", "gcn"}, {"distdglv2", "graphsage"}, {"p3", "graphsage"}, {"pagraph", "gcn"}}) {
    CAPTURE(method, kind);
    const auto heldWith = [&](int globalBatch) {
      const SlowPlan plan{.fanouts = {5, 5}, .globalBatch = globalBatch};
      RunSettings run = plan.settings(method, kind, 0.5);
      run.model.hidden = 64;
      return heldBy(set, run);
    };
    heldWith(1200);  // what MPI keeps is there from now on
    const Held small = heldWith(400), large = heldWith(1200);
    if (!large.owns) continue;
    CAPTURE(small.told, large.told, small.taken, large.taken);
    CHECK(large.told - small.told == Approx(large.taken - small.taken).epsilon(0.05));
  }
}

#endif
