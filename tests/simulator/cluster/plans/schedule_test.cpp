#include "simulator/cluster/plans/schedule.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <set>

#include "engine/partition/vertex_cut/arc_parts.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/small_graphs.h"

namespace halo::cluster {
namespace {

RunSettings runOf(const std::string& method, const std::string& kind = "gcn") {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.kind = kind;
  run.model.layers = 2;
  run.model.hidden = 16;
  return run;
}
RunSettings with(RunSettings run, const std::string& key, Value value) {
  run.parameters.insert_or_assign(key, std::move(value));
  return run;
}

const std::vector<std::int64_t> kWidths = {16, 16, 8};

Plan planOf(const RunSettings& run, const Csr& graph, int ranks) {
  return countedPlan({graph, graph, run, kWidths, ranks, 1, [&](int parts) {
                        Owners owners;
                        for (Index v = 0; v < graph.rows(); ++v)
                          owners.push_back(static_cast<std::int32_t>(v % parts));
                        return owners;
                      }});
}

Csr complete(Index vertices) {
  std::vector<Arc> arcs;
  for (Vertex u = 1; u < vertices; ++u)
    for (Vertex v = 0; v < u; ++v) arcs.push_back({u, v});
  return symmetrised(buildCsr(vertices, arcs, false));
}

std::vector<const Step*> stepsOf(const Plan& plan, int layer, Pass pass) {
  std::vector<const Step*> steps;
  for (const Step& step : plan.steps)
    if (step.layer == layer && step.pass == pass) steps.push_back(&step);
  return steps;
}
std::vector<Op> opsOf(const Plan& plan, int layer, Pass pass) {
  std::vector<Op> ops;
  for (const Step* step : stepsOf(plan, layer, pass)) ops.push_back(step->op);
  return ops;
}

TEST_CASE("every method says in which order it works, or why that cannot be laid out",
          "[cluster][schedule]") {
  const auto kind = GENERATE(as<std::string>(), "gcn", "gat");
  const Csr graph = randomUndirected(60, 200, 3);
  int laidOut = 0;
  for (const auto& [name, method] : registry<MethodEntry>()) {
    CAPTURE(name, kind);
    REQUIRE(method.style != nullptr);
    for (const int ranks : {1, 4}) {
      RunSettings run = runOf(std::string(name), kind);
      run.cluster.workers = ranks;
      const MethodStyle style = styleOf(run, ranks);
      CHECK(style.depth >= 0);
      CHECK(style.groups >= 1);
      CHECK(ranks % style.groups == 0);
      if (!refusals(method, run).empty() || (!method.distributed && ranks > 1)) continue;
      if (method.sampled) {  // laid out by iterations (pulled_plan_test.cpp)
        CHECK((method.draw != nullptr || !style.unknown.empty()));  // others cannot be
        continue;
      }
      const Plan plan = planOf(run, graph, ranks);
      CHECK(plan.untimed == style.unknown);
      if (!style.unknown.empty()) {
        CHECK_THROWS_WITH(simulateBulk(plan, plainMachine()), Catch::Contains(style.unknown));
        continue;
      }
      CHECK(simulateBulk(plan, plainMachine()).epochNs > 0);
      ++laidOut;
    }
  }
  CHECK(laidOut >= (kind == "gat" ? 10 : 24));
}

TEST_CASE("parameters change the order of work as they change the training", "[cluster][schedule]") {
  const auto meanwhile = [](const std::string& method, const std::string& overlap) {
    return styleOf(with(runOf(method), "overlap", overlap), 4).meanwhile;
  };
  for (const auto* method : {"vanilla", "bns", "dgcl", "supergcn"}) {
    CHECK(meanwhile(method, "none") == Meanwhile::nothing);
    CHECK(meanwhile(method, "local-first") == Meanwhile::own);
  }
  CHECK(meanwhile("adaqp", "central") == Meanwhile::central);
  CHECK(meanwhile("adaqp", "none") == Meanwhile::nothing);
  for (const auto* method : {"vanilla", "dgcl"}) CHECK(meanwhile(method, "central") == Meanwhile::central);
  CHECK(styleOf(runOf("adaqp"), 4).codes);
  CHECK_FALSE(styleOf(with(runOf("supergcn"), "bits", std::string("32")), 4).codes);
  CHECK(styleOf(with(runOf("pipegcn"), "depth", std::int64_t{3}), 4).depth == 3);
  CHECK(styleOf(with(runOf("distgnn"), "delay", std::int64_t{5}), 4).depth == 5);
  CHECK(styleOf(with(runOf("mop-partition"), "grid", std::string("2x4")), 8).groups == 2);
  CHECK(styleOf(runOf("mop-partition"), 12).groups == 3);
  CHECK(styleOf(runOf("supergcn", "gat"), 4).pairsAlone);  // which has no cover
  CHECK_FALSE(styleOf(runOf("supergcn"), 4).pairsAlone);
  CHECK(styleOf(with(runOf("cagnet"), "variant", std::string("1d")), 4).wholeBlocks);
  CHECK_FALSE(styleOf(with(runOf("cagnet"), "variant", std::string("2d")), 4).unknown.empty());
}

TEST_CASE("every clone of a vertex is updated: dense work of distgnn is that of vertices and leaves",
          "[cluster][schedule]") {
  const auto delay = GENERATE(std::int64_t{-1}, std::int64_t{0}, std::int64_t{3});
  const auto ranks = GENERATE(1, 2, 4);
  CAPTURE(delay, ranks);
  const Csr graph = randomUndirected(60, 200, 3);
  const RunSettings run = with(runOf("distgnn"), "delay", delay);
  const auto ownerOf = [&](Vertex v) { return static_cast<std::int32_t>(v % ranks); };
  Owners owners;
  for (Vertex v = 0; v < graph.rows(); ++v) owners.push_back(ownerOf(v));
  const ArcPlacement placed =
      arcsPlaced(graph, owners, run.partition.method,
                 {ranks, run.partition.imbalance, run.training.seed, run.partition.parameters});
  std::set<std::pair<Vertex, std::int32_t>> clones;  // where a vertex has an arc, or its root
  std::size_t entry = 0;
  for (Vertex v = 0; v < graph.rows(); ++v) {
    clones.emplace(v, placed.roots[at(v)]);
    for (const Vertex u : graph.row(v)) {
      const std::int32_t part = placed.parts[entry++];
      clones.emplace(v, part);
      clones.emplace(u, part);
    }
  }
  REQUIRE((ranks == 1) == (static_cast<Index>(clones.size()) == graph.rows()));
  // a row by W, of both layers; gradients of both weights; the gradient of layer 1's input
  constexpr std::int64_t kRowFlop = 2 * (2 * 16 * 16 + 3 * 16 * 8);
  std::int64_t flop = 0;
  for (const Step& step : planOf(run, graph, ranks).steps)
    if (step.op == Op::dense) flop += step.flop.total(ranks);
  CHECK(flop == static_cast<std::int64_t>(clones.size()) * kRowFlop);
}

TEST_CASE("sar takes one part's rows after the other", "[cluster][schedule]") {
  const Csr graph = randomUndirected(60, 200, 3);
  constexpr int kRanks = 4;
  const Plan plan = planOf(runOf("sar"), graph, kRanks);
  const auto steps = stepsOf(plan, 1, Pass::forward);
  // pack, [start 1, own, start 2, wait 1, part 1, start 3, wait 2, part 2, wait 3, part 3], and the update
  std::vector<Op> expected = {Op::pack,     Op::exchange, Op::sparse, Op::exchange, Op::wait,  Op::sparse,
                              Op::exchange, Op::wait,     Op::sparse, Op::wait,     Op::sparse};
  std::vector<Op> ops = opsOf(plan, 1, Pass::forward);
  const auto begin = std::ranges::find(ops, Op::pack);
  REQUIRE(ops.end() - begin >= 11);
  CHECK(std::vector<Op>(begin, begin + 11) == expected);
  int round = 0;
  for (const Step* step : steps) {
    if (step->op != Op::exchange) continue;
    ++round;
    for (const Flow& f : plan.traffics[at(step->traffic)].flows)
      CHECK((f.source - f.target + kRanks) % kRanks == round);
  }
  CHECK(round == kRanks - 1);
  // each entry is summed once
  std::int64_t entries = 0;
  for (const Step* step : steps) entries += step->entryElements.total(kRanks);
  const Plan vanilla = planOf(runOf("vanilla"), graph, kRanks);
  std::int64_t all = 0;
  for (const Step* step : stepsOf(vanilla, 1, Pass::forward)) all += step->entryElements.total(kRanks);
  CHECK(entries == all);
  CHECK(plan.bytesSent() == vanilla.bytesSent());
  // rows of two rounds at a time instead of all
  CHECK(plan.memoryBytes.largest(kRanks) < vanilla.memoryBytes.largest(kRanks));
}

TEST_CASE("round by round hides what travels behind what has come", "[cluster][schedule]") {
  // one entry of each pair of the four ranks, one column wide enough to matter
  const Csr graph = complete(4);
  Machine machine = plainMachine();
  machine.between = {0, 0, 0, 0, 1, {"assumed", "by hand"}};
  machine.compute.entryElementNs = 8;  // an element is summed as fast as its eight bytes travel, twice
  machine.compute.denseGflops = 1e9;
  machine.compute.copyGbPerS = 1e9;
  const Plan sar = planOf(runOf("sar"), graph, 4), vanilla = planOf(runOf("vanilla"), graph, 4);
  CHECK(simulateEvents(sar, machine).epochNs < simulateEvents(vanilla, machine).epochNs);
}

/// Layer 1's steps: where its exchanges begin and are waited for, by number, and where it sums (s).
std::string exchangesOf(const Plan& plan, Pass pass) {
  std::string sequence;
  std::vector<int> begun;
  for (const Step& step : plan.steps) {
    if (step.layer != 1 || step.pass != pass) continue;
    const auto number = [&](int exchange) {
      return std::to_string(std::ranges::find(begun, exchange) - begun.begin());
    };
    if (step.op == Op::sparse) sequence += "s ";
    if (step.op == Op::exchange) {
      begun.push_back(static_cast<int>(&step - plan.steps.data()));
      sequence += "begin" + number(begun.back()) + " ";
    }
    if (step.op == Op::wait) sequence += "wait" + number(step.exchange) + " ";
  }
  return sequence;
}

TEST_CASE("dgcl returns what nobody waits for while others return what it passed on", "[cluster][schedule]") {
  // two groups of two ranks: of each owner's rows the other group gets one copy, and its own has one rank
  const Csr graph = complete(4);
  const Plan plan = planOf(with(runOf("dgcl"), "slowness", 8.0), graph, 4);
  const auto traffics = [&](Pass pass) {
    std::vector<const Traffic*> exchangeTraffics;
    for (const Step* step : stepsOf(plan, 1, pass))
      if (step->op == Op::exchange) exchangeTraffics.push_back(&plan.traffics[at(step->traffic)]);
    return exchangeTraffics;
  };
  const auto forward = traffics(Pass::forward), backward = traffics(Pass::backward);
  REQUIRE(forward.size() == 2);
  REQUIRE(backward.size() == 3);
  const auto slow = [&](const Traffic* traffic) {  // between groups
    std::int64_t bytes = 0;
    for (const Flow& f : traffic->flows)
      if (f.source / 2 != f.target / 2) bytes += f.bytes;
    return bytes;
  };
  CHECK(slow(forward[0]) > 0);
  CHECK(slow(forward[1]) == 0);
  CHECK(slow(backward[0]) == 0);  // what was passed on
  CHECK(slow(backward[2]) > 0);   // what waited for that
  const auto bytes = [](const std::vector<const Traffic*>& exchangeTraffics) {
    std::int64_t sum = 0;
    for (const Traffic* traffic : exchangeTraffics)
      for (const Flow& f : traffic->flows) sum += f.bytes;
    return sum;
  };
  CHECK(bytes(forward) == bytes(backward));
  CHECK(exchangesOf(plan, Pass::forward) == "begin0 wait0 begin1 wait1 s ");
  CHECK(exchangesOf(plan, Pass::backward) == "s begin0 begin1 wait0 begin2 wait1 wait2 ");
  const Plan overlapped =
      planOf(with(with(runOf("dgcl"), "slowness", 8.0), "overlap", std::string("local-first")), graph, 4);
  CHECK(exchangesOf(overlapped, Pass::forward) == "begin0 s wait0 begin1 wait1 s ");
  CHECK(exchangesOf(overlapped, Pass::backward) == "s begin0 begin1 s wait0 begin2 wait1 wait2 ");
}

TEST_CASE("adaqp sums rows without remote neighbours while others travel", "[cluster][schedule]") {
  // two parts of a path 0 1 2 | 3 4 5: 2 and 3 have a remote neighbour
  const Csr graph = path(6);
  const RunSettings run = runOf("adaqp");
  const Plan plan =
      countedPlan({graph, graph, run, kWidths, 2, 1, [](int) { return Owners{0, 0, 0, 1, 1, 1}; }});
  std::vector<std::int64_t> forward, backward;
  for (const Step* step : stepsOf(plan, 1, Pass::forward))
    if (step->op == Op::sparse) forward.push_back(step->entryElements[0] / kWidths[1]);
  for (const Step* step : stepsOf(plan, 1, Pass::backward))
    if (step->op == Op::sparse) backward.push_back(step->entryElements[0] / kWidths[1]);
  CHECK(forward == std::vector<std::int64_t>{3, 2});   // rows 0 and 1; row 2, whose one neighbour is remote
  CHECK(backward == std::vector<std::int64_t>{1, 4});  // what is returned first, then all of what is at hand
}

}  // namespace
}  // namespace halo::cluster
