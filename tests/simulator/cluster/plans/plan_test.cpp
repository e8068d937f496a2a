#include "simulator/cluster/plans/plan.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/methods/laws/layer_costs.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/engines/flows.h"
#include "simulator/cluster/engines/projection.h"
#include "tests/simulator/cluster/plan_fixture.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

TEST_CASE("the model's shape is that of the model that trains", "[cluster][plan]") {
  const auto kind = GENERATE(as<std::string>(), "gcn", "graphsage", "gin", "gat");
  const auto order = GENERATE(as<std::string>(), "auto", "aggregate-first", "update-first");
  const auto* method = GENERATE("vanilla", "p2p", "pipegcn", "mop", "bns");
  RunSettings run = runOf(method, kind);
  run.model.order = order;
  run.model.norm = "layer";
  run.model.learnEpsilon = true;
  const MethodEntry& entry = *find<MethodEntry>(method);
  if (!refusals(entry, run).empty()) return;
  CAPTURE(kind, order, method);
  const std::vector<std::int64_t> widths = {20, 16, 16, 12};
  const ModelShape shape = shapeFor(entry, run, widths);
  Model model(modelFor(entry, run.model), {widths.begin(), widths.end()}, 1,
              cachesLayer0(entry, run.parameters));
  CHECK(shape.weights == model.weightCount());
  const bool multipliedOnArrival = kind == "gat" && model.layer(0).order() == Order::aggregateFirst;
  const std::vector<LayerCost> costs = multipliedOnArrival ? std::vector<LayerCost>{} : layerCosts(model);
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const LayerShape& layerShape = shape.layers[l];
    Layer& layer = model.layer(static_cast<int>(l));
    CHECK(layerShape.propagated == layer.propagatedWidth());
    CHECK(layerShape.returned == layer.returnedWidth());
    CHECK(layerShape.backward == (l > 0 || layer.backwardNeedsPropagation()));
    if (multipliedOnArrival) continue;
    // kernels count what they add besides products too: biases, activations, GIN's own row
    const std::int64_t forward = layerShape.prepareFlop + layerShape.finishFlop;
    const std::int64_t backward = layerShape.backwardFinishFlop + layerShape.backwardPrepareFlop;
    CHECK(forward <= costs[l].forwardFlop);
    CHECK(forward >= costs[l].forwardFlop - 8 * (layerShape.in + layerShape.out) * shape.heads);
    CHECK(backward <= costs[l].backwardFlop);
    const std::int64_t epsilon = kind == "gin" ? 2 * layerShape.in * layerShape.out + 2 * layerShape.in : 0;
    CHECK(backward >= costs[l].backwardFlop - epsilon - 8 * (layerShape.in + layerShape.out) * shape.heads);
  }
}

TEST_CASE("work is that of the rows and entries of each rank", "[cluster][plan]") {
  const Sample sample(runOf("vanilla"));
  const int ranks = GENERATE(1, 4);
  const Plan plan = countedPlan(sample.request(ranks, 1));
  std::int64_t sparse = 0, visited = 0, dense = 0;
  for (const Step& step : plan.steps) {
    sparse += step.entryElements.total(ranks);
    visited += step.entries.total(ranks);
    dense += step.flop.total(ranks);
  }
  const std::int64_t entries = sample.propagation.nonzeros(), rows = sample.set.vertices();
  // widths 20 16 16 12, cheaper order by layer: layers 0 and 2 update first (16, 12), layer 1 aggregates
  // first
  CHECK(sparse == entries * 2 * (16 + 16 + 12));
  CHECK(visited == entries * 6);
  CHECK(dense == rows * (2 * 2 * 20 * 16 + 3 * 2 * 16 * 16 + 3 * 2 * 16 * 12));
  CHECK(plan.rows.total(ranks) == rows);
  CHECK(plan.entries.total(ranks) == entries);
}

TEST_CASE("mop's slices share the work of the whole graph", "[cluster][plan]") {
  const Sample sample(runOf("mop"));
  const Plan plan = countedPlan(sample.request(3, 1));
  std::int64_t sparse = 0, visited = 0;
  for (const Step& step : plan.steps) {
    sparse += step.entryElements.total(3);
    visited += step.entries.total(3);
  }
  CHECK(sparse == sample.propagation.nonzeros() * (20 + 2 * 16 + 2 * 16));
  CHECK(visited == sample.propagation.nonzeros() * 3 * 5);  // each slice visits every entry in five sums
}

TEST_CASE("one rank communicates nothing", "[cluster][plan]") {
  for (const auto& [name, method] : registry<MethodEntry>()) {
    const Sample sample(runOf(name));
    if (!sample.refused(1).empty()) continue;
    const Plan plan = countedPlan(sample.request(1, 1));
    CAPTURE(name);
    CHECK(plan.bytesSent() == 0);
    CHECK(plan.traffics.empty());
    if (!plan.untimed.empty()) continue;
    const ClusterResult result = simulateBulk(plan, plainMachine());
    CHECK(result.shares.waitNs == 0);
    CHECK(result.shares.reduceNs == 0);
    CHECK(result.epochNs > 0);
  }
}

TEST_CASE("one worker of any method takes what the reference takes, on every engine", "[cluster][plan]") {
  const auto alike =
      [](std::string_view method) {  // what "auto" and caching mean differs from method to method
        RunSettings run = runOf(std::string(method));
        run.model.order = "aggregate-first";
        if (const auto cache = run.parameters.find("layer0_cache"); cache != run.parameters.end())
          cache->second = false;
        return Sample(std::move(run));
      };
  const Sample reference = alike("single");
  const ClusterResult alone = simulateBulk(countedPlan(reference.request(1, 1)), plainMachine());
  int compared = 0;
  for (const auto& [name, method] : registry<MethodEntry>()) {
    const Sample sample = alike(name);
    if (!sample.refused(1).empty() || cachesLayer0(method, sample.run.parameters)) continue;
    const Plan plan = countedPlan(sample.request(1, 1));
    if (!plan.untimed.empty()) continue;
    for (const Engine engine : {simulateBulk, simulateEvents, simulateFlows}) {
      const ClusterResult result = engine(plan, plainMachine(), {});
      CAPTURE(name, result.engine);
      CHECK(result.epochNs == Approx(alone.epochNs));
      CHECK(result.shares.sparseNs == Approx(alone.shares.sparseNs));
      CHECK(result.shares.denseNs == Approx(alone.shares.denseNs));
      CHECK(result.shares.waitNs + result.shares.reduceNs + result.shares.idleNs == 0);
      CHECK(result.bytes + result.messages == 0);
    }
    ++compared;
  }
  CHECK(compared >= 10);
}

TEST_CASE("a method without a layout of its work has volumes but no time", "[cluster][plan]") {
  const Sample sample(runOf("lhop"));
  const Plan plan = countedPlan(sample.request(4, 1));
  CHECK(plan.bytesSent() > 0);
  CHECK_THROWS_WITH(simulateBulk(plan, plainMachine()),
                    Catch::Contains("lhop has volumes but no time here: it computes rows that others own"));
}

TEST_CASE("plans of no vertices and of no edges simulate", "[cluster][plan]") {
  const Csr graph = GENERATE(edgeless(0), edgeless(5));
  const RunSettings run = runOf("vanilla");
  const PlanRequest request{
      graph, graph, run, {4, 16, 16, 3}, 4, 1, [&](int parts) { return scattered(graph.rows(), parts); }};
  const ClusterResult result = simulateBulk(countedPlan(request), plainMachine());
  CHECK(result.bytes ==
        2 * 3 * static_cast<std::int64_t>(sizeof(Scalar)) * (4 * 16 + 16 + 16 * 16 + 16 + 16 * 3 + 3));
  CHECK(result.messages == 4 * 3);  // the sum of gradients alone
}

TEST_CASE("unknown methods and too many ranks are refused", "[cluster][plan]") {
  RunSettings run = runOf("vanilla");
  const Sample sample(run);
  CHECK_THROWS_WITH(countedPlan(sample.request(1025, 1)),
                    "workers: 1025 cannot be used pair by pair; at most 1024, or a plan of each rank's sums");
  Sample unknown(run);
  unknown.run.method = "vanila";
  CHECK_THROWS_WITH(countedPlan(unknown.request(2, 1)), Catch::Contains("'vanila' is no method"));
  const Sample hybrid(runOf("supergcn"));
  CHECK_THROWS_WITH(summedPlan(hybrid.request(2, 1)), Catch::Contains("depend on more than the halo rows"));
}

}  // namespace
}  // namespace halo::cluster
