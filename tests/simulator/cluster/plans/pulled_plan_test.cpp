#include "simulator/cluster/plans/pulled_plan.h"

#include <catch2/catch.hpp>
#include <limits>

#include "engine/base/index.h"
#include "engine/methods/laws/volume.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/cycle.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/plans/iteration_steps.h"
#include "tests/simulator/cluster/plan_fixture.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kElement = sizeof(Scalar);

RunSettings batches(const std::string& method, const std::string& kind = "graphsage") {
  RunSettings run = runOf(method, kind, /*layers=*/2);
  run.parameters.insert_or_assign("batch", std::int64_t{5});
  run.parameters.insert_or_assign("fanouts", std::string("3,2"));
  return run;
}

std::vector<Split> halfTrained(Index vertices) {
  std::vector<Split> split;
  for (Index v = 0; v < vertices; ++v) split.push_back(v % 2 == 0 ? Split::train : Split::test);
  return split;
}

/// Of `draws` iterations of an epoch of the sample graph.
struct Drawn {
  Sample sample;
  std::vector<Split> split = halfTrained(sample.set.vertices());
  int ranks;
  std::int64_t draws;

  PlanRequest request() const {
    PlanRequest request = sample.request(ranks, 1);
    request.split = split;
    request.draws = draws;
    return request;
  }
  PlanCycle cycle() const { return pulledCycle(request()); }
  DrawnEpoch epoch() const {
    const MethodEntry& method = *find<MethodEntry>(sample.run.method);
    const Owners owners = placeVertices(method, {sample.set.arcs,
                                                 ranks,
                                                 sample.run.parameters,
                                                 [this](int parts) {
                                                   return parts == 1
                                                              ? Owners(at(sample.set.vertices()), 0)
                                                              : scattered(sample.set.vertices(), parts);
                                                 },
                                                 {},
                                                 split})
                              .owners;
    return method.draw({sample.set.arcs, owners, ranks, split, sample.run, 1, draws, sample.widths.front()});
  }
};

Drawn all(RunSettings run, int ranks) { return {Sample(std::move(run)), halfTrained(90), ranks, 1'000'000}; }

TEST_CASE("an iteration's messages are those that the method predicts of it", "[cluster][plan]") {
  for (const auto* method : {"minibatch", "distdglv2", "p3", "pagraph"})
    for (const int ranks : {1, 2, 4}) {
      CAPTURE(method, ranks);
      const Drawn drawn = all(batches(method), ranks);
      const PlanCycle cycle = drawn.cycle();
      const DrawnEpoch epoch = drawn.epoch();
      REQUIRE(cycle.drawn == std::ssize(epoch.drawn));
      CHECK(cycle.iterations == epoch.iterations);
      // what goes beside another batch, and what goes alone, is the same
      const std::size_t each = cycle.turns.size() / epoch.drawn.size();
      REQUIRE(each == (std::string(method) == "distdglv2" && epoch.iterations > 1 ? 2 : 1));
      const MethodEntry& entry = *find<MethodEntry>(method);
      const ModelShape shape = shapeFor(entry, drawn.sample.run, drawn.sample.widths);
      std::int64_t bytes = 0, messages = 0;
      for (std::size_t t = 0; t < epoch.drawn.size(); ++t) {
        VolumeRequest volume = volumeRequest(shape, drawn.sample.run, ranks, 1);
        volume.decided = epoch.drawn[t].decided;
        volume.inputWeights = inputWeights(shape, layerWork(drawn.sample.run.model.kind));
        std::int64_t ofTurn = 0;
        for (const PredictedVolume& flow : predictVolume(entry, volume)) {
          ofTurn += flow.bytes;
          messages += flow.messages;
        }
        for (std::size_t turn = each * t; turn < each * (t + 1); ++turn)
          CHECK(cycle.turns[turn].plan.bytesSent() == ofTurn);
        bytes += ofTurn;
      }
      CHECK(cycle.bytesSent() == Approx(static_cast<double>(bytes)));
      CHECK(cycle.messagesSent() == Approx(static_cast<double>(messages)));
      if (ranks > 1) CHECK(bytes > 0);
    }
}

TEST_CASE("an iteration's work is that of its blocks", "[cluster][plan]") {
  for (const std::string kind : {"gcn", "graphsage", "gin"})
    for (const auto* method : {"minibatch", "p3"}) {
      CAPTURE(kind, method);
      const int ranks = 3;
      const Drawn drawn = all(batches(method, kind), ranks);
      const DrawnEpoch epoch = drawn.epoch();
      const PlanCycle cycle = drawn.cycle();
      const std::vector<std::int64_t>& f = drawn.sample.widths;
      const std::int64_t products = kind == "graphsage" ? 2 : 1;
      for (std::size_t t = 0; t < cycle.turns.size(); ++t) {
        const DrawnIteration& iteration = epoch.drawn[t];
        std::int64_t sparse = 0, dense = 0;
        for (std::size_t l = 1; l < f.size(); ++l)
          for (int rank = 0; rank < ranks; ++rank) {
            const std::int64_t targets = iteration.vertices[l][at(rank)];
            const std::int64_t nonzeros = iteration.arcs[l - 1][at(rank)] + (kind == "gcn" ? targets : 0);
            sparse += nonzeros * f[l - 1] * (l >= 2 ? 2 : 1);
            dense += 2 * products * targets * f[l - 1] * f[l] * (l >= 2 ? 3 : 2);
            if (kind == "gin") dense += 6 * targets * f[l] * f[l];
          }
        std::int64_t elements = 0, flop = 0;
        for (const Step& step : cycle.turns[t].plan.steps) {
          elements += step.entryElements.total(ranks);
          flop += step.flop.total(ranks);
        }
        CHECK(elements == sparse);
        // slices round what falls to each
        CHECK(static_cast<double>(flop) ==
              Approx(static_cast<double>(dense)).epsilon(std::string(method) == "p3" ? 0.02 : 0));
      }
    }
}

TEST_CASE("an epoch is as long as its iterations, and no shorter than its bytes", "[cluster][plan]") {
  const Machine machine = plainMachine();
  for (const auto* method : {"minibatch", "distdglv2", "p3"}) {
    CAPTURE(method);
    const PlanCycle cycle = all(batches(method), 3).cycle();
    for (const Engine& engine : {Engine(simulateBulk), Engine(simulateEvents)}) {
      double sum = 0;
      for (const PlanTurn& turn : cycle.turns) {
        const double ns = engine(turn.plan, machine, {}).epochNs;
        CHECK(ns >= leastEpochNs(turn.plan, machine) * (1 - 1e-9));
        sum += static_cast<double>(turn.count) * ns;
      }
      const ClusterResult result = simulateCycle(cycle, machine, engine);
      CHECK(result.epochNs == Approx(sum * cycle.scale() / static_cast<double>(cycle.epochs())));
      CHECK(result.shares.totalNs() == Approx(result.epochNs).epsilon(1e-6));
      CHECK(static_cast<double>(result.bytes) == Approx(cycle.bytesSent()).margin(1));
    }
  }
}

TEST_CASE("batches ahead hide what they pull under computing", "[cluster][plan]") {
  Machine machine = plainMachine();
  machine.compute.entryElementNs = 20;  // as long as the pulls, about
  const RunSettings run = batches("distdglv2");
  RunSettings none = run;
  none.parameters.insert_or_assign("ahead", std::int64_t{0});
  const double ahead = simulateCycle(all(run, 3).cycle(), machine, simulateEvents).epochNs;
  const double without = simulateCycle(all(none, 3).cycle(), machine, simulateEvents).epochNs;
  const double minibatch =
      simulateCycle(all(batches("minibatch"), 3).cycle(), machine, simulateEvents).epochNs;
  CHECK(without == Approx(minibatch));
  CHECK(ahead < 0.9 * without);
}

RunSettings batchesAhead(std::int64_t ahead) {
  RunSettings run = batches("distdglv2");
  run.parameters.insert_or_assign("ahead", ahead);
  return run;
}

TEST_CASE("a batch ahead answers message by message, and hides nothing where nothing is computed",
          "[cluster][plan]") {
  Machine machine = plainMachine();
  const ComputeRates rates = machine.compute;
  machine.compute = {};
  machine.compute.denseGflops = machine.compute.copyGbPerS = 1e12;  // nothing takes time but the link
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    const auto epochNs = [&](std::int64_t ahead, const Machine& on) {
      return simulateCycle(all(batchesAhead(ahead), ranks).cycle(), on, simulateEvents).epochNs;
    };
    CHECK(epochNs(1, machine) == Approx(epochNs(0, machine)).epsilon(1e-9));
    // of work that takes longer than any message, all pulls but the first are hidden
    Machine slow = machine;
    slow.compute.entryElementNs = slow.compute.rowElementNs = 1e3 * rates.entryElementNs;
    slow.compute.denseGflops = 1e-3 * rates.denseGflops;
    Machine instant = slow;
    instant.between.wireUs = instant.between.startUs = 0;
    instant.between.gbPerS = 1e12;
    instant.within = instant.between;
    const auto iterations = static_cast<double>(all(batchesAhead(1), ranks).cycle().iterations);
    REQUIRE(iterations > 1);
    const double summedNs = [&] {  // the gradients' sums alone
      const Plan plan = all(batchesAhead(0), ranks).cycle().first();
      double ns = 0;
      for (const Step& step : plan.steps)
        if (step.op == Op::allReduce)
          ns += collectiveNs(Collective::allReduce, ranks, static_cast<double>(step.bytes[0]), slow);
      return ns;
    }();
    const double pulledNs = epochNs(0, slow) - epochNs(0, instant) - iterations * summedNs;
    REQUIRE(pulledNs > 0);
    const double leastNs = epochNs(0, slow) - pulledNs * (iterations - 1) / iterations;
    CHECK(epochNs(1, slow) >= leastNs * (1 - 1e-12));
    if (ranks == 2) CHECK(epochNs(1, slow) <= leastNs + 0.1 * pulledNs);
  }
}

TEST_CASE("further batches ahead hide no less", "[cluster][plan]") {
  const Machine machine = plainMachine();
  double before = std::numeric_limits<double>::infinity();
  for (const std::int64_t ahead : {0, 1, 2, 3, 8}) {
    CAPTURE(ahead);
    const double ns = simulateCycle(all(batchesAhead(ahead), 3).cycle(), machine, simulateEvents).epochNs;
    CHECK(ns <= before * (1 + 1e-9));
    before = ns;
  }
}

TEST_CASE("what a cache misses takes its bytes over the rate of the modelled link, and nothing beside it",
          "[cluster][plan]") {
  constexpr double kRate = 0.004;  // GB/s: 250 ns a byte, longer than all other work
  for (const std::int64_t cacheMb : {0, 1}) {
    RunSettings run = batches("pagraph");
    run.parameters.insert_or_assign("cache_mb", cacheMb);
    RunSettings timed = run;
    timed.parameters.insert_or_assign("pcie_gbps", kRate);
    for (const int ranks : {1, 3}) {
      CAPTURE(cacheMb, ranks);
      const Drawn drawn = all(timed, ranks);
      const PlanCycle with = drawn.cycle(), without = all(run, ranks).cycle();
      REQUIRE(with.turns.size() == without.turns.size());
      const DrawnEpoch epoch = drawn.epoch();
      for (std::size_t t = 0; t < with.turns.size(); ++t) {
        const auto missed = [&](int rank) {
          // without a cache every row is missed; one MiB holds the whole part
          const std::int64_t rows = cacheMb == 0 ? epoch.drawn[t].vertices[0][at(rank)] : 0;
          return static_cast<double>(rows * drawn.sample.widths[0] * kElement);
        };
        for (const Engine& engine : {Engine(simulateBulk), Engine(simulateEvents)}) {
          const double more = engine(with.turns[t].plan, plainMachine(), {}).epochNs -
                              engine(without.turns[t].plan, plainMachine(), {}).epochNs;
          if (ranks == 1) CHECK(more == Approx(missed(0) / kRate).margin(1e-6));
          double most = 0;
          for (int rank = 0; rank < ranks; ++rank) most = std::max(most, missed(rank) / kRate);
          CHECK(more <= most * (1 + 1e-9) + 1e-6);
          CHECK(more >= most * 0.5 - 1e-6);
        }
      }
    }
  }
}

TEST_CASE("what a batch keeps in memory is by its rows", "[cluster][plan]") {
  const Drawn drawn = all(batches("minibatch", "gcn"), 1);
  const Plan plan = drawn.cycle().turns.front().plan;
  const DrawnIteration iteration = drawn.epoch().drawn.front();
  const std::vector<std::int64_t>& f = drawn.sample.widths;
  std::int64_t batch = iteration.vertices[0][0] * f[0] * kElement;
  for (std::size_t l = 1; l < f.size(); ++l) {
    const std::int64_t targets = iteration.vertices[l][0];
    batch += targets * (f[l - 1] + 2 * f[l]) * kElement + 8 * (iteration.arcs[l - 1][0] + targets);
    batch += iteration.vertices[l - 1][0] * f[l - 1] * kElement * (drawn.sample.run.model.dropout > 0);
  }
  const Index n = drawn.sample.set.vertices();
  const std::int64_t weights = shapeFor(*find<MethodEntry>("minibatch"), drawn.sample.run, f).weights;
  CHECK(plan.memoryBytes[0] ==
        batch + n * f[0] * kElement + 4 * drawn.sample.set.arcs.nonzeros() + 16 * n + 4 * weights * kElement);
}

TEST_CASE("batches that the training vertices do not fill are refused as the run refuses them",
          "[cluster][plan]") {
  RunSettings run = batches("minibatch");
  run.parameters.insert_or_assign("batch", std::int64_t{5000});
  CHECK_THROWS_WITH(all(run, 2).cycle(), Catch::Contains("run.batch"));
}

}  // namespace
}  // namespace halo::cluster
