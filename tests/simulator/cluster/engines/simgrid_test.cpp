// Engines flows (C2) and events (C1) beside SimGrid, where that is installed: the same plans on platforms
// that SimGrid builds itself.

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/base/registry.h"
#include "engine/methods/contract/method_entry.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/engines/flows.h"
#include "simulator/cluster/plans/counted_plan.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/places.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"
#include "tests/support/small_graphs.h"

namespace halo::cluster {
namespace {

using Json = nlohmann::json;

/// SimGrid shares links max-min fairly, too, and a rank's messages follow one another in both: what differs
/// is rounding, 1e-15 of the time where it was looked at.
constexpr double kSame = 1e-6;
/// A message that has r of a link until another starts, and r / k from then on, ends (k − 1) times as much
/// earlier as that start is late: through thousands of messages of equal length, 32 ranks', rounding grows to
/// as much as that. SimGrid's own epochs, all alike, differ by 0.9 %, and by 1 % for 1e-12 more bandwidth.
constexpr double kGrown = 0.02;

/// Whether the tests' program was built; says so if not.
bool simgridIsHere() {
  if (std::filesystem::exists(std::filesystem::path(kBinDir) / "haloscope-simgrid")) return true;
  WARN("SKIPPED: SimGrid was not found when this was built; Debian's libsimgrid-dev brings it");
  return false;
}

/// The same machine, told to SimGrid. What a rank's side is held before a message is, but for this share,
/// latency of the links there.
constexpr double kLatencyShare = 0.75;

Json costsOf(const MessageCosts& costs) {
  return {{"bandwidth", costs.gbPerS * 1e9}, {"latency", kLatencyShare * costs.startUs * 1e-6}};
}

Json zoneOf(const Machine& machine) {
  const Topology& topology = machine.topology;
  const double link = topology.linkGbPerS * 1e9;
  const auto fan = static_cast<double>(topology.nodesPerSwitch);
  switch (topology.kind) {
    case TopologyKind::crossbar:
      return {{"kind", "crossbar"}};
    case TopologyKind::fatTree: {
      std::vector<double> up;
      for (std::int64_t level = 1; level < topology.levels; ++level)
        up.push_back(link * std::pow(fan / topology.oversubscription, level));
      return {{"kind", "stars"}, {"nodesPerSwitch", topology.nodesPerSwitch}, {"up", up}};
    }
    case TopologyKind::torus:
      return {{"kind", "torus"},
              {"dims", std::vector<std::int64_t>(topology.dims.rbegin(), topology.dims.rend())},
              {"link", link}};
    case TopologyKind::dragonfly: {
      const std::int64_t group = topology.nodesPerSwitch * topology.routersPerGroup;
      return {{"kind", "dragonfly"},
              {"groups", (machine.nodes + group - 1) / group},
              {"routers", topology.routersPerGroup},
              {"nodes", topology.nodesPerSwitch},
              {"globalLinks", topology.globalLinks},
              {"link", link}};
    }
  }
  return {};
}

/// In the order in which a rank's messages leave.
Json messagesOf(const Traffic& traffic, int ranks, const Machine& machine) {
  std::vector<Flow> flows = traffic.flows;
  std::ranges::sort(
      flows, {}, [&](const Flow& f) { return std::pair(f.source, (f.target - f.source + ranks) % ranks); });
  Json messages = Json::array();
  for (const Flow& f : flows) {
    const bool within = machine.nodeOf(f.source) == machine.nodeOf(f.target);
    const MessageCosts& costs = within ? machine.within : machine.between;
    const double start = (static_cast<double>(f.messages) - kLatencyShare) * costs.startUs * 1e-6;
    messages.push_back({f.source, f.target, start, f.bytes, costs.wireUs * 1e-6});
  }
  return messages;
}

Json stepsOf(const Plan& plan, const Machine& machine) {
  Json steps = Json::array();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (computes(step.op)) {
      std::vector<double> seconds;
      for (int rank = 0; rank < plan.ranks; ++rank)
        seconds.push_back(computeNs(step, static_cast<int>(i), rank, 0, machine, {}) * 1e-9);
      steps.push_back({{"op", "work"}, {"seconds", seconds}});
    } else if (step.op == Op::exchange) {
      const Traffic& traffic = plan.traffics[at(step.traffic)];
      steps.push_back({{"op", "send"}, {"messages", messagesOf(traffic, plan.ranks, machine)}});
    } else if (step.op == Op::wait) {
      steps.push_back({{"op", "wait"}, {"step", step.exchange}, {"depth", step.depth}});
    } else {
      REQUIRE(step.op == Op::allReduce);  // a closed form in all engines
      const auto bytes = static_cast<double>(step.bytes[0]);
      const double ns = collectiveNs(Collective::allReduce, plan.ranks, bytes, machine);
      steps.push_back({{"op", "meet"}, {"seconds", ns * 1e-9}});
    }
  }
  return steps;
}

/// What SimGrid says of the plan; units: seconds (simgrid_exchanges.cpp).
Json simgrid(const Plan& plan, const Machine& machine, int epochs = 1, const Json& zone = {}) {
  const Json request = {{"zone", zone.is_null() ? zoneOf(machine) : zone},
                        {"nodes", machine.nodes},
                        {"between", costsOf(machine.between)},
                        {"within", costsOf(machine.within)},
                        {"ranks", plan.ranks},
                        {"ranksPerNode", machine.ranksPerNode},
                        {"epochs", epochs},
                        {"steps", stepsOf(plan, machine)}};
  const Scratch scratch;
  std::ofstream(scratch / "plan.json") << request;
  const test::Ended ended =
      test::run({std::string(kBinDir) + "/haloscope-simgrid", (scratch / "plan.json").string()});
  INFO(ended.error);
  REQUIRE(ended.status == 0);
  return Json::parse(ended.out);
}

/// When the last rank ends the epoch, ns.
double latest(const Json& report, std::size_t epoch = 0) {
  double seconds = 0;
  for (const Json& ends : report.at("epochEnds")) seconds = std::max(seconds, ends.at(epoch).get<double>());
  return seconds * 1e9;
}

/// Nodes along each side: of lengths that have one shorter way round. Half way round both are as short, and
/// SimGrid takes another than we.
std::vector<std::int64_t> torusFor(int nodes) {
  if (nodes <= 4) return {2, 2};
  if (nodes <= 8) return {2, 2, 2};
  return nodes <= 18 ? std::vector<std::int64_t>{3, 2, 3} : std::vector<std::int64_t>{5, 7};
}

double drawn(PhiloxStream& random, double from, double to) {
  return from * std::pow(to / from, random.uniform());
}

/// Figures drawn by the seed.
Machine drawnMachine(TopologyKind kind, int ranks, int ranksPerNode, PhiloxStream& random) {
  Machine machine = plainMachine();
  machine.ranksPerNode = ranksPerNode;
  machine.nodes = (ranks + ranksPerNode - 1) / ranksPerNode;
  machine.between = {drawn(random, 0.2, 20), drawn(random, 0.1, 30), 0, 0, drawn(random, 0.2, 20), {}};
  machine.within = {drawn(random, 0.1, 5), drawn(random, 0.1, 3), 0, 0, drawn(random, 1, 40), {}};
  Topology& topology = machine.topology;
  topology.kind = kind;
  // SimGrid's dragonfly has the same link between a node and its router, too
  const bool dragonfly = kind == TopologyKind::dragonfly;
  topology.linkGbPerS = machine.between.gbPerS * drawn(random, dragonfly ? 1 : 0.3, dragonfly ? 2 : 1.5);
  topology.nodesPerSwitch = dragonfly ? 2 : 4;
  topology.levels = 3;
  topology.oversubscription = drawn(random, 1, 4);
  topology.routersPerGroup = 4;
  topology.globalLinks = 2;
  if (kind == TopologyKind::torus) topology.dims = torusFor(static_cast<int>(machine.nodes));
  return machine;
}

/// Every pair with the chance 1/2, from a byte to 4 MB.
Plan randomPairs(int ranks, PhiloxStream& random) {
  std::vector<Flow> flows;
  for (int i = 0; i < ranks; ++i)
    for (int j = 0; j < ranks; ++j)
      if (i != j && random.below(2) == 0)
        flows.push_back({i, j, 1 + static_cast<std::int64_t>(random.below(2)),
                         static_cast<std::int64_t>(drawn(random, 1, 4e6))});
  Plan plan;
  plan.ranks = ranks;
  exchangeNow(plan, trafficOf(ranks, std::move(flows)));
  return plan;
}

/// When each rank has all that it waits for, and so the last of them.
void checkFlows(const Plan& plan, const Machine& machine, const Json& report) {
  SimulateOptions options;
  options.lanes = plan.ranks;
  const ClusterResult flows = simulateFlows(plan, machine, options);
  CHECK(flows.epochNs == Approx(latest(report)).epsilon(kSame));
  for (std::size_t rank = 0; rank < flows.lanes.size(); ++rank) {
    double end = 0;
    for (const Span& span : flows.lanes[rank]) end = std::max(end, static_cast<double>(span.endNs()));
    CAPTURE(rank);
    CHECK(end == Approx(report.at("epochEnds")[rank][0].get<double>() * 1e9).epsilon(kSame).margin(0.51));
  }
}

TEST_CASE("flows on shared links end when SimGrid's do", "[cluster][flows][simgrid]") {
  if (!simgridIsHere()) return;
  const auto kind =
      GENERATE(TopologyKind::crossbar, TopologyKind::fatTree, TopologyKind::torus, TopologyKind::dragonfly);
  const auto [ranks, ranksPerNode] = GENERATE(table<int, int>({{4, 1}, {8, 1}, {16, 2}, {32, 1}}));
  PhiloxStream random(static_cast<std::uint64_t>(ranks + 100 * static_cast<int>(kind)), Purpose::shuffle, 7);
  const Machine machine = drawnMachine(kind, ranks, ranksPerNode, random);
  const Plan plan = randomPairs(ranks, random);
  CAPTURE(static_cast<int>(kind), ranks, ranksPerNode);
  checkFlows(plan, machine, simgrid(plan, machine));
}

TEST_CASE("a fat tree of single links is SimGrid's", "[cluster][flows][simgrid]") {
  if (!simgridIsHere()) return;
  const int ranks = GENERATE(8, 32);
  const int levels = GENERATE(2, 3);
  PhiloxStream random(static_cast<std::uint64_t>(levels), Purpose::shuffle, 8);
  Machine machine = drawnMachine(TopologyKind::fatTree, ranks, 1, random);
  machine.topology.levels = levels;
  machine.topology.oversubscription = 4;  // of leaves of 4: one cable up
  machine.topology.linkGbPerS = machine.between.gbPerS;
  const Json zone = {{"kind", "fat-tree"},
                     {"nodesPerSwitch", machine.topology.nodesPerSwitch},
                     {"levels", levels},
                     {"link", machine.topology.linkGbPerS * 1e9}};
  const Plan plan = randomPairs(ranks, random);
  CAPTURE(ranks, levels);
  checkFlows(plan, machine, simgrid(plan, machine, 1, zone));
}

/// A rank's messages, in the order of their sources.
std::vector<double> arrivalsAt(int rank, const Json& report) {
  std::map<int, double> bySource;
  for (const Json& arrival : report.at("arrivals"))
    if (arrival[3] == rank) bySource[arrival[2]] = arrival[4].get<double>() * 1e9;
  std::vector<double> times;
  for (const auto& [source, ns] : bySource) times.push_back(ns);
  return times;
}
std::vector<double> arrivalsAt(int rank, const ClusterResult& events) {
  std::map<int, double> bySource;
  for (const Span& span : events.lanes[at(rank)])
    if (span.lane == Lane::link) bySource[span.peer] = static_cast<double>(span.endNs());
  std::vector<double> times;
  for (const auto& [source, ns] : bySource) times.push_back(ns);
  return times;
}

TEST_CASE("where no two send to one rank at a time clocks agree with SimGrid message by message",
          "[cluster][events][simgrid]") {
  if (!simgridIsHere()) return;
  const int ranks = GENERATE(4, 16);
  const std::int64_t bytes = GENERATE(1, 50'000, 2'000'000);
  PhiloxStream random(static_cast<std::uint64_t>(bytes), Purpose::shuffle, 9);
  const Machine machine = drawnMachine(TopologyKind::crossbar, ranks, 1, random);
  Plan plan;
  plan.ranks = ranks;
  exchangeNow(plan, shifted(ranks, ranks - 1, bytes));
  SimulateOptions options;
  options.lanes = ranks;
  const ClusterResult events = simulateEvents(plan, machine, options);
  const Json report = simgrid(plan, machine);
  CAPTURE(ranks, bytes);
  CHECK(events.epochNs == Approx(latest(report)).epsilon(kSame));
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<double> arrivals = arrivalsAt(rank, events),
                              expectedArrivals = arrivalsAt(rank, report);
    REQUIRE(arrivals.size() == at(ranks - 1));
    REQUIRE(expectedArrivals.size() == arrivals.size());
    for (std::size_t i = 0; i < arrivals.size(); ++i)
      CHECK(arrivals[i] == Approx(expectedArrivals[i]).epsilon(kSame).margin(0.51));
  }
}

/// Two layers on a random graph, one part beside another; work of the machine's rates.
Plan epochOf(const std::string& method, int ranks) {
  RunSettings run;
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.model.layers = 2;
  run.model.hidden = 64;
  const Csr graph = randomUndirected(600, 4000, 3);
  return countedPlan({graph, graph, run, {128, 64, 32}, ranks, 1, [&](int parts) {
                        Owners owners;
                        for (Index v = 0; v < graph.rows(); ++v)
                          owners.push_back(static_cast<std::int32_t>(v * v % 601 % parts));
                        return owners;
                      }});
}

TEST_CASE("epochs of methods are as long as in SimGrid", "[cluster][flows][simgrid]") {
  if (!simgridIsHere()) return;
  const auto method = GENERATE(as<std::string>(), "vanilla", "pipegcn", "mop");
  const auto [ranks, kind] = GENERATE(table<int, TopologyKind>({{4, TopologyKind::torus},
                                                                {8, TopologyKind::crossbar},
                                                                {16, TopologyKind::fatTree},
                                                                {32, TopologyKind::dragonfly}}));
  PhiloxStream random(static_cast<std::uint64_t>(ranks), Purpose::shuffle, 10);
  Machine machine = drawnMachine(kind, ranks, 1, random);
  machine.compute = {0, 0, 0.01, 0, 100, 100, 1, 0, {}};  // fast: what travels decides
  const Plan plan = epochOf(method, ranks);
  SimulateOptions options;
  options.epochs = 2;  // the second takes what pipegcn sent in the first
  const Json report = simgrid(plan, machine, options.epochs);
  const double epoch = latest(report, 1) - latest(report, 0);
  CAPTURE(method, ranks, static_cast<int>(kind));
  CHECK(simulateFlows(plan, machine, options).epochNs == Approx(epoch).epsilon(ranks < 32 ? kSame : kGrown));
}

TEST_CASE("clocks are within a factor of two of SimGrid where only sides are shared",
          "[cluster][events][simgrid]") {
  if (!simgridIsHere()) return;
  const auto plans = GENERATE(as<std::string>(), "vanilla", "mop", "pairs");
  const int ranks = GENERATE(4, 8, 32);
  PhiloxStream random(static_cast<std::uint64_t>(ranks), Purpose::shuffle, 11);
  Machine machine = drawnMachine(TopologyKind::crossbar, ranks, 1, random);
  machine.compute = {0, 0, 0.01, 0, 100, 100, 1, 0, {}};
  const Plan plan = plans == "pairs" ? randomPairs(ranks, random) : epochOf(plans, ranks);
  const double events = simulateEvents(plan, machine).epochNs, expectedNs = latest(simgrid(plan, machine));
  CAPTURE(plans, ranks, events, expectedNs);
  // clocks let a message leave at its sender's pace and wait at a busy receiver; shared links hold its sender
  CHECK(events >= expectedNs / 2);
  CHECK(events <= expectedNs * 2);
}

}  // namespace
}  // namespace halo::cluster
