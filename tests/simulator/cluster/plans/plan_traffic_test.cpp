// What a plan sends: the method's own predictions, added up by rank.
#include <catch2/catch.hpp>
#include <numeric>

#include "engine/base/index.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/plans/pair_rows.h"
#include "simulator/cluster/plans/plan.h"
#include "tests/simulator/cluster/plan_fixture.h"
#include "tests/simulator/cluster/sample_plans.h"

namespace halo::cluster {
namespace {

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
    for (const Flow& f : plan.traffics[at(step.traffic)].flows) {
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
    if (method.sampled) continue;  // planned by iterations (pulled_plan_test.cpp, expected_pulls_test.cpp)
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
    const Step &pairStep = pairs.steps[s], &sumStep = summed.steps[s];
    CHECK(pairStep.op == sumStep.op);
    for (int rank = 0; rank < ranks; ++rank) CHECK(pairStep.bytes[rank] == sumStep.bytes[rank]);
    if (pairStep.traffic < 0) continue;
    const Traffic& a = pairs.traffics[at(pairStep.traffic)];
    const Traffic& b = summed.traffics[at(sumStep.traffic)];
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

TEST_CASE("halo rows counted in pairs are those counted in tables", "[cluster][plan]") {
  for (const Dataset& set : test::hardGraphs()) {
    const int parts = GENERATE(1, 2, 3, 7);
    CAPTURE(set.name, parts);
    const Owners owners = scattered(set.vertices(), parts);
    CHECK(tableOf(haloPairs(set.arcs, owners, parts), parts) == haloRows(set.arcs, owners, parts));
  }
}

}  // namespace
}  // namespace halo::cluster
