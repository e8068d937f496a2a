// What methods of mini-batches count as their work, beside the closed form over the blocks of plain loops.
#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/engine/methods/minibatch/slow_sets.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

/// Of all ranks in an epoch: sums over neighbours and products, forward and backward; nothing goes back to
/// the features.
std::int64_t slowFlop(const SlowPlan& plan, const Dataset& set, const Trained& many, int epoch) {
  const slow::Rows rows = slowRows(set.arcs);
  const SlowSeeds seeds = slowSeeds(plan, set, many.owners, worldSize(), 1, epoch);
  const std::vector<Index>& d = many.model->widths();
  const bool sage = many.settings.model.kind == "graphsage";
  std::int64_t flop = 0;
  for (std::size_t t = 0; t < seeds.size(); ++t)
    for (const std::vector<int>& own : seeds[t]) {
      const slow::Batch batch =
          slow::batch(rows, own, {1, at(epoch) * seeds.size() + t}, plan.fanouts, plan.replace);
      for (std::size_t l = 1; l < d.size(); ++l) {
        const auto targets = std::ssize(batch.V[l]);
        std::int64_t nonzeros = sage ? 0 : targets;
        for (const auto& drawn : batch.E[l]) nonzeros += std::ssize(drawn);
        const std::int64_t product = 2 * (sage ? 2 : 1) * targets * d[l - 1] * d[l];
        flop += 2 * nonzeros * d[l - 1] * (l > 1 ? 2 : 1) + product * (l > 1 ? 3 : 2);
      }
    }
  return flop;
}

}  // namespace

TEST_CASE("work of mini-batches is the closed form over the blocks of plain loops", "[minibatch]") {
  std::map<std::string, int> runs;
  for (const Dataset& set : hardGraphs())
    for (const std::string method : {"minibatch", "distdglv2", "p3", "pagraph"})
      for (const std::string kind : {"gcn", "graphsage"})
        for (const bool replace : {false, true}) {
          const SlowPlan plan{.fanouts = {2, 3}, .replace = replace, .batch = 2};
          if (std::ranges::count(set.split, Split::train) < plan.batch) continue;
          CAPTURE(set.name, method, kind, replace);
          Trained many(MPI_COMM_WORLD, set, plan.settings(method, kind, 0.5),
                       scatteredOwners(set, worldSize()));
          for (int epoch = 0; epoch < 2; ++epoch) {
            many.method->runEpoch(epoch);
            CHECK(many.comm.sum(flopOf(many)) == slowFlop(plan, set, many, epoch));
          }
          ++runs[method];
        }
  CHECK(runs.size() == 4);
}

namespace {

/// The same of vertex sets, and of blocks whose sources a layer draws together.
std::int64_t slowFlop(const std::vector<SlowLayers>& passed, const Trained& many) {
  const std::vector<Index>& d = many.model->widths();
  const std::int64_t products = many.settings.model.kind == "graphsage" ? 2 : 1;
  std::int64_t flop = 0;
  for (const SlowLayers& blocks : passed)
    for (std::size_t l = 1; l < d.size(); ++l) {
      const std::int64_t nonzeros = std::ssize(blocks.P[l]), targets = std::ssize(blocks.V[l]);
      flop += 2 * nonzeros * d[l - 1] * (l > 1 ? 2 : 1);
      flop += 2 * products * targets * d[l - 1] * d[l] * (l > 1 ? 3 : 2);
    }
  return flop;
}

}  // namespace

TEST_CASE("work of samplers other than neighbours is the closed form over plain loops' sets",
          "[minibatch][sets]") {
  if (worldSize() > 1) return;  // one place is all there is
  std::map<std::string, int> runs;
  for (const Dataset& set : hardGraphs())
    for (const std::string sampler : {"uniform", "saint-node", "saint-edge", "saint-walk", "layer"})
      for (const std::string kind : {"gcn", "graphsage"})
        for (const int layers : {1, 3}) {
          CAPTURE(set.name, sampler, kind, layers);
          SlowSetPlan plan{.sampler = sampler};
          plan.budget = std::min(plan.budget, static_cast<int>(set.vertices()));
          if (std::ranges::count(set.split, Split::train) < plan.batch) plan.batch = 1;
          std::unique_ptr<Trained> trained;
          try {
            trained = std::make_unique<Trained>(MPI_COMM_SELF, set, plan.settings(kind, 0.5, layers),
                                                Owners(at(set.vertices()), 0));
          } catch (const InputError&) {
            continue;  // none of the training vertices can be drawn
          }
          const SlowSets slowly(plan, *trained, set);
          for (int epoch = 0; epoch < 2; ++epoch) {
            trained->method->runEpoch(epoch);
            CHECK(flopOf(*trained) == slowFlop(slowly.passedIn(epoch), *trained));
          }
          ++runs[sampler];
        }
  CHECK(runs.size() == 5);
  for (const auto& [sampler, count] : runs) CHECK(count > 20);
}
