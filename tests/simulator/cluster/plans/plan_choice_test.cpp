#include "simulator/cluster/plans/plan_choice.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "engine/model/layer.h"
#include "engine/model/model.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/plans/degree_model.h"
#include "simulator/cluster/plans/pattern.h"
#include "simulator/cluster/replay/worker_times.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/small_graphs.h"

namespace halo::cluster {
namespace {

RunSettings runOf(const std::string& method) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = "graphsage";
  run.model.layers = 2;
  run.model.hidden = 32;
  run.partition.method = "metis";
  return run;
}

ProjectedGraph projected(const Csr& graph) {
  ProjectedGraph projection;
  projection.arcs = projection.propagation = &graph;
  projection.vertices = graph.rows();
  projection.arcCount = graph.nonzeros();
  projection.consumers = consumersOf(graph);
  projection.widths = {40, 32, 8};
  return projection;
}

TEST_CASE("patterns are those of the layers' own propagation matrices", "[cluster][plan]") {
  const Csr arcs = randomDirected(80, 400, 3);
  int kinds = 0;
  for (const auto& [name, entry] : registry<LayerEntry>()) {
    CAPTURE(name);
    const Csr expectedPattern = propagationMatrix(arcs, entry.propagation), pattern = patternOf(arcs, name);
    CHECK(pattern.offsets == expectedPattern.offsets);
    CHECK(pattern.columns == expectedPattern.columns);
    CHECK(pattern.cols == expectedPattern.cols);
    CHECK(pattern.weighted() == expectedPattern.weighted());
    CHECK(aggregatesItself(name) == (expectedPattern.nonzeros() > arcs.nonzeros()));
    ++kinds;
  }
  CHECK(kinds >= 4);
}

TEST_CASE("modelled degrees give the arcs, the largest degree and the fall", "[cluster][scaling]") {
  struct Case {
    std::int64_t vertices, arcs;
    double exponent;
    std::int64_t largest;
  };
  const auto graph = GENERATE(
      Case{233'000, 115'000'000, 2.3, 21'657}, Case{3'070'000, 117'000'000, 3.239, 33'313},
      Case{41'700'000, 1'470'000'000, 2.276, 2'997'487}, Case{111'000'000, 1'620'000'000, 2.3, 26'000});
  const ConsumerHistogram consumers =
      powerLawConsumers(graph.vertices, graph.arcs, graph.exponent, graph.largest);
  double vertices = 0, arcs = 0, many = 0, most = 0;
  for (const auto& [k, count] : consumers) {
    vertices += static_cast<double>(count);
    arcs += static_cast<double>(k) * static_cast<double>(count);
    if (k >= 2000) many += static_cast<double>(count);
    if (k >= 8000) most += static_cast<double>(count);
  }
  CHECK(vertices == static_cast<double>(graph.vertices));
  CHECK(arcs == Approx(static_cast<double>(graph.arcs)).epsilon(0.01));
  CHECK(consumers.rbegin()->first <= graph.largest);
  CHECK(consumers.rbegin()->first >= graph.largest / 20);
  CHECK(most <= many);
}

TEST_CASE("degrees that cannot be are all the mean", "[cluster][scaling]") {
  CHECK(powerLawConsumers(0, 0, 2, 10).empty());
  CHECK(powerLawConsumers(10, 0, 2.5, 10) == ConsumerHistogram{{0, 10}});
  CHECK(powerLawConsumers(10, 100, 2.5, 10) == ConsumerHistogram{{10, 10}});
}

TEST_CASE("plans are chosen by size and by what is at hand", "[cluster][plan]") {
  CHECK(chosenPlan(runOf("vanilla"), true, 1024) == PlanSource::counted);
  CHECK(chosenPlan(runOf("vanilla"), true, 1025) == PlanSource::summed);
  CHECK(chosenPlan(runOf("vanilla"), true, 10'000) == PlanSource::fitted);
  CHECK(chosenPlan(runOf("vanilla"), false, 8) == PlanSource::expected);
  CHECK(chosenPlan(runOf("distgnn"), true, 10'000) == PlanSource::summed);  // which is refused by name
  CHECK(planProblems(runOf("distgnn"), PlanSource::summed, true, 10'000).size() == 1);
  CHECK(planProblems(runOf("vanilla"), PlanSource::fitted, true, 16).size() == 1);
  CHECK(planProblems(runOf("vanilla"), PlanSource::fitted, true, 32).empty());
}

TEST_CASE("summed plans of closed forms are the counted ones", "[cluster][plan]") {
  const Csr graph = randomUndirected(300, 1500, 4);
  const ProjectedGraph projection = projected(graph);
  const auto* method = GENERATE("mop", "mop-partition", "cagnet");
  const int ranks = GENERATE(2, 4, 8);
  CAPTURE(method, ranks);
  RunSettings run = runOf(method);
  run.cluster.workers = ranks;
  const Plan counted = projectedPlan(run, projection, PlanSource::counted, ranks);
  const Plan summed = projectedPlan(run, projection, PlanSource::summed, ranks);
  CHECK(summed.origin == PlanOrigin::counted);
  CHECK(summed.messagesSent() == counted.messagesSent());
  // halo rows between groups are taken to be spread evenly
  CHECK(static_cast<double>(summed.bytesSent()) ==
        Approx(static_cast<double>(counted.bytesSent())).epsilon(0.02));
}

TEST_CASE("fitted plans come near the counted ones that they stand for", "[cluster][plan]") {
  const Csr graph = grid(200, 200);
  const ProjectedGraph projection = projected(graph);
  const RunSettings run = runOf("vanilla");
  const Plan counted = projectedPlan(run, projection, PlanSource::counted, 256);
  const Plan fitted = projectedPlan(run, projection, PlanSource::fitted, 256);
  CHECK(fitted.origin == PlanOrigin::fitted);
  CHECK(fitted.notes.size() == 1);
  CHECK(static_cast<double>(fitted.bytesSent()) ==
        Approx(static_cast<double>(counted.bytesSent())).epsilon(0.10));
}

TEST_CASE("published halo rows take the place of expected ones", "[cluster][plan]") {
  ProjectedGraph projection;
  projection.vertices = 1'000'000;
  projection.arcCount = 10'000'000;
  projection.consumers = {{10, 1'000'000}};
  projection.widths = {40, 8};
  RunSettings run = runOf("vanilla");
  run.model.layers = 1;
  run.model.order = "aggregate-first";
  const std::int64_t weights =
      2 * 63 * projectedPlan(run, projection, PlanSource::expected, 64).steps.back().bytes[0];
  projection.haloRows = 2'000'000;
  const Plan plan = projectedPlan(run, projection, PlanSource::expected, 64);
  CHECK(static_cast<double>(plan.bytesSent() - weights) == Approx(2e6 * 40 * sizeof(Scalar)).epsilon(1e-3));
}

TEST_CASE("times of one worker go by what each rank has of its work", "[cluster][calibrate]") {
  const Csr graph = randomUndirected(200, 900, 5);
  const ProjectedGraph projection = projected(graph);
  RunSettings run = runOf("vanilla");
  run.partition.method = "random";
  const Plan single = projectedPlan(run, projection, PlanSource::counted, 1);
  Plan plan = projectedPlan(run, projection, PlanSource::counted, 4);
  RecordedTimes times;
  for (int layer = 0; layer < 2; ++layer)
    for (const Pass pass : {Pass::forward, Pass::backward})
      times[{layer, pass}] = {{1'000'000, 400'000, 0, 0}};
  times[{-1, Pass::none}] = {{0, 80'000, 0, 0}};
  ComputeRates rates;
  rates.entryElementNs = rates.rowElementNs = 1;
  calibrate(single, times, rates, plan);
  const auto total = [&](const Plan& measuredPlan, int layer, Pass pass, Op op) {
    std::int64_t ns = 0;
    for (const Step& step : measuredPlan.steps)
      if (step.layer == layer && step.pass == pass && step.op == op && step.measuredNs)
        ns += step.measuredNs->total(measuredPlan.ranks);
    return static_cast<double>(ns);
  };
  // the ranks together do what the one did, whatever the steps
  CHECK(total(plan, 1, Pass::forward, Op::sparse) == Approx(1'000'000).margin(8));
  CHECK(total(plan, 1, Pass::backward, Op::sparse) == Approx(1'000'000).margin(8));
  CHECK(total(plan, 0, Pass::forward, Op::dense) == Approx(400'000).margin(8));
  std::int64_t rest = 0;
  for (const Step& step : plan.steps)
    if (step.layer < 0 && step.op == Op::dense) rest += step.measuredNs->total(4);
  CHECK(static_cast<double>(rest) >= 80'000 - 8);
  CHECK(simulateBulk(plan, plainMachine()).epochNs > 0);
}

}  // namespace
}  // namespace halo::cluster
