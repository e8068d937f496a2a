#include "simulator/cluster/plan.h"
#include "simulator/cluster/bulk.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/methods/layer_costs.h"
#include "engine/methods/volume.h"
#include "engine/model/model.h"
#include "engine/partition/arc_parts.h"
#include "simulator/cluster/bulk.h"
#include "simulator/cluster/counted_plan.h"
#include "simulator/cluster/events.h"
#include "simulator/cluster/flows.h"
#include "simulator/cluster/pair_rows.h"
#include "simulator/cluster/projection.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/graphs.h"

namespace halo::cluster {
namespace {

using test::datasetOf;

RunSettings runOf(const std::string& method, const std::string& kind = "gcn", std::int64_t layers = 3) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = kind;
  run.model.layers = layers;
  run.model.hidden = 16;
  run.model.heads = 2;
  run.partition.method = "random";
  return run;
}

/// Scattered over the parts; with more than two, the last stays empty.
Owners scattered(Index vertices, int parts) {
  Owners owners;
  const int used = parts > 2 ? parts - 1 : parts;
  PhiloxStream random(11, Purpose::partition, 0);
  for (Index v = 0; v < vertices; ++v)
    owners.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(used))));
  return owners;
}

struct Sample {
  Dataset set = datasetOf("sample", 90, test::randomArcs(90, 400, 5), /*directed=*/true);
  RunSettings run;
  std::vector<std::int64_t> widths;
  Csr propagation;

  explicit Sample(RunSettings settings) : run(std::move(settings)) {
    for (const Index width : layerWidths(run.model, /*in=*/20, /*classes=*/12)) widths.push_back(width);
    propagation = propagationMatrix(set.arcs, find<LayerEntry>(run.model.kind)->propagation);
  }
  PlanRequest request(int ranks, std::int64_t epoch) const {
    return {set.arcs, propagation, run, widths, ranks, epoch, [this](int parts) {
              return scattered(set.vertices(), parts);
            }};
  }
  /// Why the method does not do this; empty if it does.
  std::vector<Problem> refused(int ranks) const {
    RunSettings asked = run;
    asked.cluster.workers = ranks;
    const MethodEntry& method = *find<MethodEntry>(run.method);
    std::vector<Problem> problems = refusals(method, asked);
    if (problems.empty() && method.refuseData != nullptr) {
      const std::vector<Index> shape(widths.begin(), widths.end());
      problems = method.refuseData(asked, {shape});
    }
    if (!method.distributed && ranks > 1) problems.push_back({});
    return problems;
  }
  /// What the method's predictor says, asked as the worker asks it.
  std::vector<PredictedVolume> predicted(int ranks, std::int64_t epoch) const {
    const MethodEntry& method = *find<MethodEntry>(run.method);
    RunSettings asked = run;
    asked.model = modelFor(method, run.model);
    Model model(asked.model, {widths.begin(), widths.end()}, 1, cachesLayer0(method, run.parameters));
    VolumeRequest volume;
    volume.parts = ranks;
    volume.widths = widths;
    for (int l = 0; l < model.layers(); ++l) {
      volume.propagated.push_back(model.layer(l).propagatedWidth());
      volume.returned.push_back(model.layer(l).returnedWidth());
      volume.backward.push_back(l > 0 || model.layer(l).backwardNeedsPropagation());
    }
    volume.attends = attends(asked.model);
    volume.heads = volume.attends ? asked.model.heads : 1;
    volume.weights = model.weightCount();
    volume.elementBytes = sizeof(Scalar);
    volume.firstEpoch = epoch == 0;
    volume.epoch = epoch;
    volume.parameters = run.parameters;
    const Placement placement =
        placeVertices(method, {set.arcs, ranks, run.parameters, [&](int parts) {
                                 return parts == 1 ? Owners(static_cast<std::size_t>(set.vertices()), 0)
                                                   : scattered(set.vertices(), parts);
                               }});
    ArcPlacement arcs;
    if (method.placesArcs)
      arcs = arcsPlaced(propagation, placement.owners, run.partition.method,
                        {ranks, run.partition.imbalance, run.training.seed, run.partition.parameters});
    const std::vector<Index> sizes(widths.begin(), widths.end());
    volume.tables =
        rowsSent(method, {propagation, placement.owners, ranks, asked, sizes, &arcs, placement.order});
    volume.rows = volume.tables.front();
    return predictVolume(method, volume);
  }
};

/// Bytes and messages by layer, pass and pair, added up over an epoch's steps.
using Totals = std::map<std::tuple<int, Pass, int, int>, std::pair<std::int64_t, std::int64_t>>;

Totals totalsOf(const std::vector<PredictedVolume>& predicted) {
  Totals totals;
  for (const PredictedVolume& v : predicted) {
    if (v.messages == 0 || (v.layer < 0 && v.target < 0)) continue;  // the sum of gradients stands by itself
    auto& [messages, bytes] = totals[{v.layer, v.pass, v.source, v.target}];
    messages += v.messages;
    bytes += v.bytes;
  }
  return totals;
}

Totals totalsOf(const Plan& plan) {
  Totals totals;
  for (const Step& step : plan.steps) {
    if (step.op == Op::allGather)
      for (int rank = 0; rank < plan.ranks; ++rank) {
        auto& [messages, bytes] = totals[{step.layer, step.pass, rank, -1}];
        messages += plan.ranks - 1;
        bytes += step.bytes[rank] * (plan.ranks - 1);
      }
    if (step.traffic < 0) continue;
    for (const Flow& f : plan.traffics[static_cast<std::size_t>(step.traffic)].flows) {
      auto& [messages, bytes] = totals[{step.layer, step.pass, f.source, f.target}];
      messages += f.messages;
      bytes += f.bytes;
    }
  }
  return totals;
}

TEST_CASE("a plan's bytes are those of the method's predictor, pair by pair", "[cluster][plan]") {
  const auto kind = GENERATE(as<std::string>(), "gcn", "graphsage", "gin", "gat");
  int plans = 0;
  for (const auto& [name, method] : registry<MethodEntry>()) {
    const Sample sample(runOf(name, kind));
    for (int ranks = 1; ranks <= 8; ++ranks) {
      CAPTURE(name, kind, ranks);
      if (!sample.refused(ranks).empty()) {
        CHECK_THROWS_AS(countedPlan(sample.request(ranks, 1)), InputError);
        continue;
      }
      for (const std::int64_t epoch : {0, 1, 3}) {
        const Plan plan = countedPlan(sample.request(ranks, epoch));
        const auto predicted = ranks == 1 ? std::vector<PredictedVolume>{} : sample.predicted(ranks, epoch);
        CHECK(totalsOf(plan) == totalsOf(predicted));
        std::int64_t bytes = 0;
        for (const PredictedVolume& v : predicted) bytes += v.bytes;
        CHECK(plan.bytesSent() == bytes);  // the sum of gradients included
        ++plans;
      }
    }
  }
  CHECK(plans > (kind == "gat" ? 100 : 300));
}

TEST_CASE("parameters that change what travels change the plan alike", "[cluster][plan]") {
  struct Setting {
    const char *method, *key;
    Value value;
  };
  const auto setting = GENERATE(
      Setting{"vanilla", "layer0_cache", true}, Setting{"vanilla", "overlap", std::string("local-first")},
      Setting{"supergcn", "bits", std::string("2")}, Setting{"supergcn", "bits", std::string("mixed")},
      Setting{"supergcn", "aggregation", std::string("post")}, Setting{"supergcn", "label_propagation", 0.5},
      Setting{"bns", "rate", 0.5}, Setting{"adaqp", "bits", std::string("4")},
      Setting{"mop", "adjacency", std::string("ring")}, Setting{"mop", "rows", std::string("block-cyclic")},
      Setting{"cagnet", "variant", std::string("2d")}, Setting{"cagnet", "variant", std::string("1.5d")},
      Setting{"pipegcn", "depth", std::int64_t{3}}, Setting{"distgnn", "delay", std::int64_t{2}},
      Setting{"sancus", "policy", std::string("age")});
  RunSettings run = runOf(setting.method);
  run.parameters.insert_or_assign(setting.key, setting.value);
  if (run.parameters.contains("replication"))
    run.parameters.insert_or_assign("replication", Value(std::int64_t{2}));
  const Sample sample(run);
  int plans = 0;
  for (int ranks = 2; ranks <= 8; ++ranks) {
    CAPTURE(setting.method, setting.key, ranks);
    if (!sample.refused(ranks).empty()) continue;
    CHECK(totalsOf(countedPlan(sample.request(ranks, 1))) == totalsOf(sample.predicted(ranks, 1)));
    ++plans;
  }
  CHECK(plans > 0);
}

TEST_CASE("sums of each rank are those of the messages", "[cluster][plan]") {
  struct Setting {
    const char *method, *key;
    Value value;
  };
  const auto setting = GENERATE(
      Setting{"vanilla", "layer0_cache", false}, Setting{"vanilla", "layer0_cache", true},
      Setting{"pipegcn", "depth", std::int64_t{2}}, Setting{"p2p", "accumulation", std::string("fixed")},
      Setting{"bns", "rate", 0.3}, Setting{"adaqp", "bits", std::string("2")},
      Setting{"supergcn", "aggregation", std::string("post")});
  RunSettings run = runOf(setting.method);
  run.parameters.insert_or_assign(setting.key, setting.value);
  if (run.method == "supergcn") run.parameters.insert_or_assign("bits", Value(std::string("2")));
  const Sample sample(run);
  const int ranks = GENERATE(1, 2, 5, 8);
  CAPTURE(setting.method, ranks);
  const Plan pairs = countedPlan(sample.request(ranks, 1)), summed = summedPlan(sample.request(ranks, 1));
  REQUIRE(pairs.steps.size() == summed.steps.size());
  for (std::size_t s = 0; s < pairs.steps.size(); ++s) {
    const Step &one = pairs.steps[s], &other = summed.steps[s];
    CHECK(one.op == other.op);
    for (int rank = 0; rank < ranks; ++rank) CHECK(one.bytes[rank] == other.bytes[rank]);
    if (one.traffic < 0) continue;
    const Traffic& a = pairs.traffics[static_cast<std::size_t>(one.traffic)];
    const Traffic& b = summed.traffics[static_cast<std::size_t>(other.traffic)];
    for (int rank = 0; rank < ranks; ++rank) {
      CHECK(a.outBytes[rank] == b.outBytes[rank]);
      CHECK(a.inBytes[rank] == b.inBytes[rank]);
      CHECK(a.outMessages[rank] == b.outMessages[rank]);
      CHECK(a.inMessages[rank] == b.inMessages[rank]);
    }
  }
}

TEST_CASE("sums keep apart what stays within a node", "[cluster][plan]") {
  const Sample sample(runOf(GENERATE("vanilla", "pipegcn")));
  const int ranks = GENERATE(6, 8);
  PlanRequest request = sample.request(ranks, 1);
  request.ranksPerNode = 4;
  const Plan pairs = countedPlan(request), summed = summedPlan(request);
  Machine machine = plainMachine();
  machine.ranksPerNode = 4;
  machine.within = {0.1, 0.2, 0.3, 0.4, 100, {"assumed", "by hand"}};
  const double counted = simulateBulk(pairs, machine).epochNs;
  CHECK(simulateBulk(summed, machine).epochNs == Approx(counted));
  // nodes of another size: messages are taken to go to all others alike
  request.ranksPerNode = 2;
  CHECK(simulateBulk(summedPlan(request), machine).epochNs != Approx(counted));
  CHECK(summed.heldBytes() < 40'000);  // sums of ranks, not of pairs
}

TEST_CASE("sums of sar's rounds are those of one exchange", "[cluster][plan]") {
  const Sample sample(runOf("sar"));
  const int ranks = GENERATE(2, 5, 8);
  const Plan rounds = countedPlan(sample.request(ranks, 1)), summed = summedPlan(sample.request(ranks, 1));
  CHECK(rounds.bytesSent() == summed.bytesSent());
  CHECK(rounds.messagesSent() == summed.messagesSent());
  CHECK(rounds.notes.empty());
  CHECK(summed.notes.empty());
  CHECK(rounds.steps.size() == summed.steps.size());
}

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
    const LayerShape& mine = shape.layers[l];
    Layer& layer = model.layer(static_cast<int>(l));
    CHECK(mine.propagated == layer.propagatedWidth());
    CHECK(mine.returned == layer.returnedWidth());
    CHECK(mine.backward == (l > 0 || layer.backwardNeedsPropagation()));
    if (multipliedOnArrival) continue;
    // kernels count what they add besides products too: biases, activations, GIN's own row
    const std::int64_t forward = mine.prepareFlop + mine.finishFlop;
    const std::int64_t backward = mine.backwardFinishFlop + mine.backwardPrepareFlop;
    CHECK(forward <= costs[l].forwardFlop);
    CHECK(forward >= costs[l].forwardFlop - 8 * (mine.in + mine.out) * shape.heads);
    CHECK(backward <= costs[l].backwardFlop);
    const std::int64_t epsilon = kind == "gin" ? 2 * mine.in * mine.out + 2 * mine.in : 0;
    CHECK(backward >= costs[l].backwardFlop - epsilon - 8 * (mine.in + mine.out) * shape.heads);
  }
}

TEST_CASE("halo rows counted in pairs are those counted in tables", "[cluster][plan]") {
  for (const Dataset& set : test::hardGraphs()) {
    const int parts = GENERATE(1, 2, 3, 7);
    CAPTURE(set.name, parts);
    const Owners owners = scattered(set.vertices(), parts);
    CHECK(tableOf(haloPairs(set.arcs, owners, parts), parts) == haloRows(set.arcs, owners, parts));
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
