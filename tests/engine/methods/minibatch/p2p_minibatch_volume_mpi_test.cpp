// What p2p-minibatch sends, computes, holds and tells, against closed forms.
#include "engine/partition/stochastic/expected_rows.h"
#include "tests/engine/methods/minibatch/held_memory.h"
#include "tests/engine/methods/minibatch/p2p_sets.h"

using namespace halo;
using namespace halo::test;
using namespace halo::test::p2p_sets;

namespace {

constexpr std::int64_t kWider = sizeof(Scalar) / 4;  // the pages of the design count in float

}  // namespace

TEST_CASE("what vertex sets send and compute is the closed form of what plain loops find",
          "[minibatch][p2p][volume]") {
  for (const std::string kind : {"gcn", "graphsage"}) {
    const int count = eachPlan([&](const Dataset& set, const SlowSetPlan& plan) {
      CAPTURE(kind);
      const auto many = trainedOn(set, settingsOf(plan, kind, 0.5, 3));
      if (many == nullptr) return false;
      const SlowSets slowly(plan, *many, set);
      for (int epoch = 0; epoch < 3; ++epoch) {
        CAPTURE(epoch);
        many->method->runEpoch(epoch);
        const SlowRows expected = slowRowsOf(slowly, set, *many, epoch);
        CHECK(many->comm.sum(flopOf(*many)) == expected.flop);
        many->method->evaluate();
        CHECK(many->comm.underWay() == 0);
        CHECK(many->method->decided() == expected.decided);
        CHECK(measuredOf(*many) == predictedOf(*many, epoch == 0));
      }
      return true;
    });
    CHECK(count > 40);
  }
}

TEST_CASE("other orders of a layer send by their own widths", "[minibatch][p2p][volume]") {
  const Dataset set = hardGraphs().front();
  const SlowSetPlan plan{.sampler = "uniform", .block = true, .budget = 17};
  RunSettings run = settingsOf(plan, "gcn", 0.5, 3);
  Trained last(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  CHECK(last.model->layer(0).order() == Order::updateLast);
  const double expected = last.method->runEpoch(0);
  for (const std::string order : {"aggregate-first", "update-first"}) {
    CAPTURE(order);
    run.model.order = order;
    Trained many(MPI_COMM_WORLD, set, run, last.owners);
    CHECK(many.method->runEpoch(0) == Approx(expected).epsilon(kOneEpoch));
    CHECK(measuredOf(many) == predictedOf(many, true));
  }
}

namespace {

/// A seed whose first set of the ring is the design's, and whose second has not vertex 0.
std::uint64_t seedOfTheDesign() {
  const std::set<int> members = {0, 1, 3, 4, 5, 7};
  for (std::uint64_t seed = 1; seed < 100'000; ++seed)
    if (slow::uniform(8, 6, seed, 0) == members && slow::uniform(8, 6, seed, 1).count(0) == 0) return seed;
  return 0;
}

}  // namespace

TEST_CASE("the design's batch of the ring sends 4 rows a layer, 208 bytes in 8 messages, of 940 FLOP",
          "[minibatch][p2p][volume]") {
  if (worldSize() != 2) return;
  std::vector<Arc> arcs;
  for (Vertex v = 0; v < 8; ++v) arcs.push_back({v, static_cast<Vertex>((v + 1) % 8)});
  Dataset set = datasetOf("ring", symmetrised(buildCsr(8, arcs, /*keepSelfLoops=*/false)), false, 3, 2);
  std::ranges::fill(set.split, Split::test);
  set.split[0] = Split::train;  // so that the second iteration passes nothing
  for (const bool block : {true, false}) {
    const SlowSetPlan plan{.sampler = "uniform", .block = block, .budget = 6};
    RunSettings run = settingsOf(plan, "gcn", 0);
    run.model.hidden = 4;
    run.training.seed = seedOfTheDesign();
    REQUIRE(run.training.seed > 0);
    Trained many(MPI_COMM_WORLD, set, run, {0, 0, 0, 0, 1, 1, 1, 1});
    many.method->runEpoch(0);
    CHECK(many.method->iterations() == 2);
    CHECK(many.comm.sum(flopOf(many)) == 940);
    const RowTable rows = {{0, 2}, {2, 0}}, messages = {{0, 1}, {1, 0}};
    CHECK(many.method->decided() == std::vector<RowTable>{rows, messages, {{1}}});
    CHECK(totalOf(many) == std::pair<std::int64_t, std::int64_t>(8, 208 * kWider));
  }
}

namespace {

class Heard final : public IterationListener {
 public:
  void onIteration(const Iteration& iteration) override { all.push_back(iteration); }
  std::vector<Iteration> all;
};

}  // namespace

TEST_CASE("iterations and blocks say what vertex sets read of other ranks", "[minibatch][p2p]") {
  eachPlan([](const Dataset& set, const SlowSetPlan& plan) {
    Heard heard;
    const auto many = trainedOn(set, settingsOf(plan, "gcn", 0));
    if (many == nullptr) return false;
    many->parts->listener = &heard;
    const SlowSets slowly(plan, *many, set);
    for (int epoch = 0; epoch < 2; ++epoch) {
      heard.all.clear();
      many->method->runEpoch(epoch);
      REQUIRE(std::ssize(heard.all) == slowly.iterations());
      const SlowRows expected = slowRowsOf(slowly, set, *many, epoch);
      std::int64_t received = 0, arcs = 0;
      for (const auto& row : expected.decided[0]) received += row[at(many->comm.rank())];
      for (const Iteration& iteration : heard.all) arcs += iteration.arcs;
      CHECK(many->comm.sum(arcs) == 2 * expected.arcs);
      const std::vector<BlockRow> blocks = many->method->batchSums().blocks;
      REQUIRE(blocks.size() == 2);
      for (const BlockRow& block : blocks) {
        CHECK(block.remoteSources == received);
        CHECK(block.sources == block.targets + received);
        CHECK(block.remoteTargets + block.remoteArcs == 0);
        CHECK(many->comm.sum(block.targets) == expected.members);
        CHECK(many->comm.sum(block.arcs) == expected.arcs);
        CHECK(many->comm.sum(block.nonzeros) == expected.nonzeros);
      }
    }
    return true;
  });
}

TEST_CASE("rows of uniform sets are as many as their closed form expects", "[minibatch][p2p][volume]") {
  if (worldSize() == 1) return;
  const Dataset set =
      datasetOf("large", symmetrised(buildCsr(200, randomArcs(200, 700, 5), false)), false, 4, 3);
  for (const int budget : {20, 100, 200}) {
    CAPTURE(budget);
    const SlowSetPlan plan{.sampler = "uniform", .block = true, .budget = budget};
    const auto many = trainedOn(set, settingsOf(plan, "gcn", 0));
    constexpr int kEpochs = 20;
    double sum = 0, squares = 0, sets = 0;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      many->method->runEpoch(epoch);
      const double iterations = static_cast<double>(many->method->iterations());
      double rows = 0;
      const std::vector<RowTable> decided = many->method->decided();
      for (const auto& row : decided[0])
        for (const std::int64_t count : row) rows += static_cast<double>(count) / iterations;
      sum += rows;
      squares += rows * rows;
      sets += 1;
    }
    const double mean = sum / sets, variance = std::max(0.0, squares / sets - mean * mean);
    const std::vector<double> parts = expectedRows(set.arcs, many->owners, worldSize(), budget);
    const double expected = std::accumulate(parts.begin(), parts.end(), 0.0);
    CHECK(std::abs(mean - expected) <= 4 * std::sqrt(variance / (sets - 1)) + 1e-9 * expected);
  }
}

#ifndef __SANITIZE_ADDRESS__  // has its own malloc

TEST_CASE("a larger vertex set takes the memory more that it says it holds", "[minibatch][p2p][memory]") {
  constexpr Index kAll = 3000, kWidth = 150;  // no buffer so large that its alignment counts
  const Dataset set = datasetOf("wide", buildCsr(kAll, randomArcs(kAll, 15000, 9), false), true, kWidth, 8);
  for (const std::string kind : {"gcn", "graphsage"})
    for (const std::string order : {"auto", "aggregate-first"}) {
      CAPTURE(kind, order);
      const auto heldWith = [&](int budget) {
        RunSettings run = settingsOf({.sampler = "uniform", .block = true, .budget = budget}, kind, 0.5);
        run.model.hidden = 64;
        run.model.order = order;
        return heldBy(set, run);
      };
      heldWith(kAll);  // what MPI keeps is there from now on
      const Held small = heldWith(kAll / 10), all = heldWith(kAll);
      if (!all.owns) continue;
      CHECK(all.told - small.told == Approx(all.taken - small.taken).epsilon(0.05));
    }
}

#endif
