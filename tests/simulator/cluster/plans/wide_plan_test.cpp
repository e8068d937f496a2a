#include "simulator/cluster/plans/wide_plan.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>

#include "engine/base/problem.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/small_graphs.h"

namespace halo::cluster {
namespace {

RunSettings runOf(const std::string& method) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = "graphsage";
  run.model.layers = 3;
  run.model.hidden = 64;
  return run;
}
RunSettings with(RunSettings run, const std::string& key, Value value) {
  run.parameters.insert_or_assign(key, std::move(value));
  return run;
}

const std::vector<std::int64_t> kWidths = {100, 64, 64, 10};

/// Figures of an owner map, exactly.
WideFigures figuresOf(const Csr& graph, const Owners& owners, int ranks) {
  WideFigures figures;
  figures.ranks = ranks;
  figures.vertices = graph.rows();
  figures.entries = graph.nonzeros();
  figures.rows.assign(at(ranks), 0);
  figures.entriesOf = figures.rows;
  for (Index v = 0; v < graph.rows(); ++v) {
    ++figures.rows[at(owners[at(v)])];
    figures.entriesOf[at(owners[at(v)])] += graph.degree(v);
  }
  figures.sends = figures.receives = std::vector<double>(at(ranks), 1.0 / ranks);
  return figures;
}

TEST_CASE("closed forms of whole-graph methods are their predictors' sums", "[cluster][wide]") {
  struct Setting {
    const char *method, *key;
    Value value;
  };
  const auto setting = GENERATE(Setting{"mop", "layer0_cache", false}, Setting{"mop", "layer0_cache", true},
                                Setting{"cagnet", "variant", std::string("1d")});
  const int ranks = GENERATE(1, 2, 3, 4, 7, 8);
  const RunSettings run = with(runOf(setting.method), setting.key, setting.value);
  const Csr graph = randomUndirected(101, 400, 2);
  Owners owners;
  const PlanRequest request{graph, graph, run, kWidths, ranks, 1, [&](int parts) {
                              owners.clear();
                              for (Index v = 0; v < graph.rows(); ++v)
                                owners.push_back(static_cast<std::int32_t>(v * v % parts));
                              return owners;
                            }};
  const Plan counted = countedPlan(request);
  // mop deals rows out by itself, in blocks
  if (setting.method == std::string("mop") || ranks == 1) {
    owners.clear();
    for (std::int32_t r = 0; r < ranks; ++r)
      owners.insert(owners.end(), at(101 * (r + 1) / ranks - 101 * r / ranks), r);
  }
  const Plan wide = widePlan(run, kWidths, figuresOf(graph, owners, ranks));
  CAPTURE(setting.method, ranks);
  CHECK(wide.bytesSent() == counted.bytesSent());
  CHECK(wide.messagesSent() == counted.messagesSent());
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t wideOut = 0, countedOut = 0, wideIn = 0, countedIn = 0;
    for (const Step& step : wide.steps)
      if (step.traffic >= 0) {
        wideOut += wide.traffics[at(step.traffic)].outBytes[rank];
        wideIn += wide.traffics[at(step.traffic)].inBytes[rank];
      }
    for (const Step& step : counted.steps)
      if (step.traffic >= 0) {
        countedOut += counted.traffics[at(step.traffic)].outBytes[rank];
        countedIn += counted.traffics[at(step.traffic)].inBytes[rank];
      }
    CHECK(wideOut == countedOut);
    CHECK(wideIn == countedIn);
  }
}

TEST_CASE("expected plans of a random partition send what counted ones do", "[cluster][wide]") {
  const auto* method = GENERATE("vanilla", "pipegcn", "bns", "supergcn", "sar", "mop-partition");
  RunSettings run = runOf(method);
  if (run.method == "supergcn") {
    run = with(run, "aggregation", std::string("post"));
    run = with(run, "bits", std::string("2"));
  }
  if (run.method == "bns") run = with(run, "rate", 0.5);
  run.partition.method = "random";
  const int ranks = GENERATE(16, 64);
  const Csr graph = randomUndirected(4000, 40'000, 6);
  const PlanRequest request{graph, graph, run, kWidths, ranks, 1, [&](int parts) {
                              return partition(graph, "random", {parts, 0.03, 1, {}});
                            }};
  const Plan counted = countedPlan(request);
  const int groups = styleOf(run, ranks).groups;
  const WideFigures figures =
      expectedFigures(consumersOf(graph), graph.rows(), graph.nonzeros(), ranks, groups, 1);
  const Plan wide = widePlan(run, kWidths, figures);
  CAPTURE(method, ranks, counted.bytesSent(), wide.bytesSent());
  CHECK(static_cast<double>(wide.bytesSent()) ==
        Approx(static_cast<double>(counted.bytesSent())).epsilon(0.03));
  CHECK(static_cast<double>(wide.messagesSent()) ==
        Approx(static_cast<double>(counted.messagesSent())).epsilon(0.03));
  const double time = simulateBulk(counted, plainMachine()).epochNs;
  CHECK(simulateBulk(wide, plainMachine()).epochNs == Approx(time).epsilon(0.10));
  CHECK(simulateBulk(wide, plainMachine()).kind == PointClass::extrapolated);
}

TEST_CASE("a graph that is at hand is counted for thousands of ranks, and is no extrapolation",
          "[cluster][wide]") {
  const RunSettings run = runOf("pipegcn");
  const Csr graph = randomUndirected(6000, 30'000, 8);
  constexpr int kRanks = 2048;
  const PlanRequest request{graph, graph, run, kWidths, kRanks, 1, [&](int parts) {
                              return partition(graph, "random", {parts, 0.03, 1, {}});
                            }};
  CHECK_THROWS_AS(countedPlan(request), InputError);
  const Plan plan = summedPlan(request);
  const ClusterResult result = simulateBulk(plan, plainMachine());
  CHECK(result.kind == PointClass::simulated);
  CHECK(result.epochNs > 0);
  CHECK(plan.rows.total(kRanks) == 6000);
  const WideFigures figures = expectedFigures(consumersOf(graph), 6000, graph.nonzeros(), kRanks, 1, 1);
  CHECK(static_cast<double>(widePlan(run, kWidths, figures).bytesSent()) ==
        Approx(static_cast<double>(plan.bytesSent())).epsilon(0.03));
}

TEST_CASE("mop beyond its columns is refused, and told of groups", "[cluster][wide]") {
  const ConsumerHistogram consumers = {{10, 100'000}};
  const auto figures = [&](int ranks) { return expectedFigures(consumers, 100'000, 1'100'000, ranks, 1, 1); };
  CHECK(widePlan(runOf("mop"), kWidths, figures(64)).bytesSent() > 0);
  CHECK_THROWS_WITH(widePlan(runOf("mop"), kWidths, figures(65)),
                    Catch::Contains("model.hidden is 64; at most 64 slices"));
}

TEST_CASE("methods without closed forms are refused by name", "[cluster][wide]") {
  const WideFigures figures = expectedFigures({{10, 1000}}, 1000, 11'000, 2048, 1, 1);
  CHECK_THROWS_WITH(widePlan(runOf("distgnn"), kWidths, figures),
                    Catch::Contains("distgnn has no closed form of its sums; at most 1024 workers"));
  CHECK_THROWS_WITH(widePlan(runOf("supergcn"), kWidths, figures),
                    Catch::Contains("supergcn's messages depend on more than the halo rows of a pair"));
  RunSettings unknown = runOf("vanilla");
  unknown.method = "vanille";
  CHECK_THROWS_AS(widePlan(unknown, kWidths, figures), InputError);
}

TEST_CASE("plans of sums take memory, and steps, in proportion to ranks", "[cluster][wide]") {
  const ConsumerHistogram consumers = {{5, 600'000}, {50, 60'000}, {5000, 60}};
  for (const auto* method : {"vanilla", "pipegcn", "bns", "mop-partition", "cagnet"}) {
    const RunSettings run = runOf(method);
    const auto plan = [&](int ranks) {
      const int groups = styleOf(run, ranks).groups;
      return widePlan(run, kWidths, expectedFigures(consumers, 660'060, 6'600'000, ranks, groups, 1));
    };
    const Plan small = plan(1024), large = plan(4096);
    CAPTURE(method, small.heldBytes(), large.heldBytes());
    CHECK(static_cast<double>(large.heldBytes()) <= 4.5 * static_cast<double>(small.heldBytes()));
    CHECK(large.steps.size() <= small.steps.size() + 2);
    const auto operations = [&](const Plan& candidate) {
      return simulateBulk(candidate, plainMachine()).operations;
    };
    CHECK(operations(large) == 4 * operations(small));
    CHECK(operations(large) <= 4096 * 40);
  }
}

}  // namespace
}  // namespace halo::cluster
