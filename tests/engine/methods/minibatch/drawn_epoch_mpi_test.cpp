// Batches that are drawn by one process for who predicts, beside those of ranks that train on them.
#include <numeric>

#include "tests/engine/methods/minibatch/slow_batches.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr std::int64_t kAll = 1'000'000;  // iterations: more than any epoch here has

DrawnEpoch drawn(const Trained& many, const Dataset& set, std::int64_t epoch, std::int64_t most = kAll) {
  const MethodEntry& entry = *find<MethodEntry>(many.settings.method);
  REQUIRE(entry.draw != nullptr);
  return entry.draw({set.arcs, many.owners, worldSize(), set.split, many.settings, epoch, most});
}

std::vector<RowTable> sumOf(const std::vector<DrawnIteration>& iterations) {
  std::vector<RowTable> sum = iterations.front().decided;
  for (std::size_t t = 1; t < iterations.size(); ++t)
    for (std::size_t table = 0; table < sum.size(); ++table)
      for (std::size_t i = 0; i < sum[table].size(); ++i)
        for (std::size_t j = 0; j < sum[table][i].size(); ++j)
          sum[table][i][j] += iterations[t].decided[table][i][j];
  return sum;
}

std::vector<SlowPlan> plans() {
  const SlowPlan plain{.fanouts = {2, 3}, .batch = 3};
  std::vector<SlowPlan> all(5, plain);
  all[1].replace = true;
  all[2] = {.fanouts = {2, 2}, .global = true, .dropLast = true, .batch = 2};
  all[3].fanouts = {1, 2, 2};
  all[4].fanouts = {slow::kAll};
  return all;
}

/// use(many, set) of every method and plan that these training vertices allow.
template <class Use>
int eachRun(const Use& use) {
  int count = 0;
  for (const Dataset& set : hardGraphs())
    for (const auto& [name, entry] : registry<MethodEntry>())
      for (const SlowPlan& plan : plans()) {
        if (entry.draw == nullptr) continue;
        CAPTURE(set.name, name, plan.fanoutText(), plan.replace, plan.global, plan.dropLast);
        const RunSettings run = plan.settings(std::string(name), "graphsage", 0.5);
        if (!refusals(entry, run).empty()) continue;
        std::unique_ptr<Trained> many;
        try {
          many = std::make_unique<Trained>(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        } catch (const InputError&) {
          continue;  // a batch that these vertices do not fill, on every rank
        }
        use(*many, set);
        ++count;
      }
  return count;
}

}  // namespace

TEST_CASE("an epoch that is drawn beside training decides what training decides", "[minibatch][volume]") {
  const int count = eachRun([](Trained& many, const Dataset& set) {
    for (int epoch = 0; epoch < 2; ++epoch) {
      many.method->runEpoch(epoch);
      const DrawnEpoch beside = drawn(many, set, epoch);
      CHECK(beside.iterations == many.method->iterations());
      CHECK(std::ssize(beside.drawn) == beside.iterations);
      CHECK(sumOf(beside.drawn) == many.method->decided());
    }
  });
  CHECK(count > 40);
}

TEST_CASE("the numbers of drawn batches are those that training records", "[minibatch]") {
  eachRun([](Trained& many, const Dataset& set) {
    many.method->runEpoch(0);
    const BatchSums sums = many.method->batchSums();
    const DrawnEpoch beside = drawn(many, set, 0);
    const auto rank = at(many.comm.rank());
    const bool drawsSets =
        many.settings.method == "p2p-minibatch";  // each rank computes its own members alone
    for (const BlockRow& block : sums.blocks) {
      std::int64_t targets = 0, sources = 0, arcs = 0, served = 0, all = 0;
      for (const DrawnIteration& iteration : beside.drawn) {
        const auto l = at(block.layer);
        sources += iteration.vertices[l][rank];
        targets += drawsSets ? iteration.vertices.back()[rank] : iteration.vertices[l + 1][rank];
        arcs += iteration.arcs[l][rank];
        for (const std::int64_t count : iteration.served[l]) served += count;
        for (const std::int64_t count : iteration.arcs[l]) all += count;
      }
      CHECK(sources == block.sources);
      CHECK(targets == block.targets);
      CHECK(arcs == block.arcs);
      CHECK(served == all);
    }
  });
}

TEST_CASE("a few drawn iterations are some of the epoch's", "[minibatch]") {
  const Dataset set = hardGraphs().front();
  const SlowPlan plan{.fanouts = {2, 3}, .batch = 1};
  Trained many(MPI_COMM_WORLD, set, plan.settings("minibatch", "gcn", 0), scatteredOwners(set, worldSize()));
  const DrawnEpoch all = drawn(many, set, 1), sample = drawn(many, set, 1, 2);
  REQUIRE(all.iterations > 2);
  CHECK(sample.iterations == all.iterations);
  REQUIRE(sample.drawn.size() == 2);
  CHECK(sample.drawn[0].decided == all.drawn[0].decided);
  CHECK(sample.drawn[1].decided == all.drawn[at(all.iterations / 2)].decided);
}

TEST_CASE("rows that a drawn epoch says a cache misses are those that training counts", "[minibatch]") {
  int partly = 0;  // caches that keep some rows and miss others
  for (const Dataset& set : hardGraphs())
    for (const std::int64_t cacheMb : {0, 1}) {
      const SlowPlan plan{.fanouts = {2, 3}, .batch = 2};
      // so wide that a MiB keeps three rows
      Dataset wide = set;
      wide.features.setZero(set.vertices(), (Index{1} << 20) / static_cast<Index>(sizeof(Scalar)) / 3);
      RunSettings run = with(plan.settings("pagraph", "graphsage", 0), "cache_mb", cacheMb);
      run = with(run, "pcie_gbps", 1e6);
      CAPTURE(set.name, cacheMb);
      std::unique_ptr<Trained> many;
      try {
        many = std::make_unique<Trained>(MPI_COMM_WORLD, wide, run, scatteredOwners(set, worldSize()));
      } catch (const InputError&) {
        continue;  // a batch that these vertices do not fill, on every rank
      }
      many->method->runEpoch(0);
      const CacheRow counted = *many->method->batchSums().cache;
      const DrawnEpoch beside = find<MethodEntry>("pagraph")->draw(
          {set.arcs, many->owners, worldSize(), set.split, run, 0, kAll, wide.features.cols()});
      std::int64_t missed = 0;
      for (const DrawnIteration& iteration : beside.drawn) {
        missed += iteration.missed[at(many->comm.rank())];
        CHECK(iteration.linkNsPerByte == Approx(1e-6));
      }
      CHECK(missed == counted.misses);
      partly += counted.hits > 0 && counted.misses > 0 ? 1 : 0;
    }
  if (worldSize() == 1) CHECK(partly > 0);
}
