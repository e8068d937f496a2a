// What mini-batches tell of themselves.
#include "engine/base/index.h"
#include "engine/methods/minibatch/pull_counts.h"
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

class Heard final : public IterationListener {
 public:
  void onIteration(const Iteration& iteration) override { all.push_back(iteration); }
  std::vector<Iteration> all;
};

}  // namespace

TEST_CASE("iterations and blocks say what batches read", "[minibatch]") {
  const SlowPlan plan{.fanouts = {2, 3}, .batch = 3};
  for (const Dataset& set : hardGraphs()) {
    const Owners owners = scatteredOwners(set, worldSize());
    const auto trained = std::ranges::count(set.split, Split::train);
    if (trained < plan.batch || slowSeeds(plan, set, owners, worldSize(), 1, 0).empty()) continue;
    CAPTURE(set.name);
    Heard heard;
    Trained many(MPI_COMM_WORLD, set, plan.settings("minibatch", "gcn", 0.0), owners);
    many.parts->listener = &heard;
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      heard.all.clear();
      const double loss = many.method->runEpoch(static_cast<std::int32_t>(epoch));
      REQUIRE(std::ssize(heard.all) == many.method->iterations());
      std::int64_t arcs = 0;
      double weighted = 0;
      for (std::size_t t = 0; t < heard.all.size(); ++t) {
        const Iteration& iteration = heard.all[t];
        CHECK(iteration.epoch == epoch);
        CHECK(iteration.number == static_cast<std::int64_t>(t));
        CHECK(iteration.step == epoch * many.method->iterations() + iteration.number);
        CHECK(iteration.beginNs < iteration.endNs);
        arcs += iteration.arcs;
        const std::int64_t seeds = many.comm.sum(iteration.seeds);
        weighted += many.comm.sum(iteration.loss) * static_cast<double>(seeds);
      }
      CHECK(weighted / static_cast<double>(trained) == Approx(loss).epsilon(1e-6));
      const std::vector<BlockRow> blocks = many.method->batchSums().blocks;
      REQUIRE(blocks.size() == plan.fanouts.size());
      std::int64_t drawn = 0, seeds = 0;
      for (const BlockRow& block : blocks) drawn += block.arcs;
      for (const Iteration& iteration : heard.all) seeds += iteration.seeds;
      CHECK(drawn == arcs);
      CHECK(blocks.back().targets == seeds);
      CHECK(blocks[0].targets == blocks[1].sources);
      CHECK(blocks[0].remoteTargets == blocks[1].remoteSources);
      // what the tables of pulls say
      const std::vector<RowTable> pulls =
          slowPulls(plan, set, owners, worldSize(), 1, static_cast<int>(epoch));
      const PullTables tables(pulls);
      const auto ofRank = [&](const RowTable& table) {
        std::int64_t sum = 0;
        for (const std::int64_t rows : table[at(many.comm.rank())]) sum += rows;
        return sum;
      };
      CHECK(blocks[0].remoteSources == ofRank(tables.vertices(0)));
      CHECK(blocks[0].remoteTargets == ofRank(tables.vertices(1)));
      CHECK(blocks[0].remoteArcs == ofRank(tables.arcs(1)));
    }
  }
}
