#include "engine/record/analysis/pairing.h"

#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

using Parameters = std::map<std::string, std::string>;

RunRow row(const char* kind, std::int64_t id = 1) {
  RunRow run;
  run.id = id;
  run.kind = kind;
  run.method = "bns";
  run.dataset = "reddit";
  run.model = "gcn";
  run.fingerprint = "f" + std::to_string(id);
  return run;
}

bool pairs(const Parameters& simulated, const Parameters& measured, std::int64_t measuredWorkers = 4) {
  const RunRow a = row("simulation"), b = row("training");
  return isSimulationOf({a, simulated, 4}, {b, measured, measuredWorkers});
}

}  // namespace

TEST_CASE("a simulation is of a run with its layers, widths, data and parameters of the method",
          "[pairing]") {
  CHECK(pairs({}, {}));
  CHECK_FALSE(pairs({}, {}, 8));
  CHECK(pairs({{"model.layers", "3"}}, {{"model.layers", "3"}, {"model.dropout", "0.5"}}));
  for (const char* key : {"model.layers", "model.hidden", "dataset.scale", "dataset.seed"}) {
    CAPTURE(key);
    CHECK_FALSE(pairs({{key, "1"}}, {{key, "2"}}));
  }
  CHECK_FALSE(pairs({{"simulate.rate", "0.1"}}, {{"run.rate", "0.5"}}));
  CHECK(pairs({{"simulate.engine", "\"bulk\""}}, {{"partition.method", "\"metis\""}}));
}

TEST_CASE("a simulation is of a run with its partition", "[pairing]") {
  const Parameters metis = {{"partition.method", "\"metis\""},
                            {"partition.balance", "\"vertices\""},
                            {"partition.imbalance", "0.03"},
                            {"training.seed", "1"},
                            {"training.epochs", "6"}};
  CHECK(pairs(metis, metis));
  for (const char* key : {"partition.method", "partition.balance", "partition.imbalance", "training.seed"}) {
    CAPTURE(key);
    Parameters other = metis;
    other[key] = "7";
    CHECK_FALSE(pairs(other, metis));
    other.erase(key);
    CHECK(pairs(other, metis));
  }
  Parameters shorter = metis;
  shorter["training.epochs"] = "3";
  CHECK(pairs(shorter, metis));
}

TEST_CASE("a simulation on an emulated link is of a run with that link", "[pairing]") {
  const Parameters simulated = {{"simulate.cluster", "\"emulated-10gbe\""},
                                {"machine.gb_per_s", "1.175"},
                                {"machine.wire_us", "20.0"},
                                {"machine.staging_out_gb_per_s", "0.0"}};
  const Parameters same = {{"cluster.link", "\"10gbe\""},
                           {"cluster.link.bandwidth_gbit", "9.4"},
                           {"cluster.link.latency_us", "20.0"}};
  CHECK(pairs(simulated, same));
  CHECK(pairs(simulated, {}));  // nothing is known of the link
  CHECK_FALSE(pairs(simulated, {{"cluster.link", "\"none\""}}));
  for (const auto* other : {"bandwidth_gbit", "latency_us", "staging_gbit"}) {
    CAPTURE(other);
    Parameters slower = same;
    slower["cluster.link." + std::string(other)] = "5.0";
    CHECK_FALSE(pairs(simulated, slower));
  }
  Parameters nodes = simulated, shared = same;
  nodes["machine.ranks_per_node"] = "2";
  shared["cluster.link.ranks_per_host"] = "2";
  CHECK(pairs(nodes, shared));
  CHECK_FALSE(pairs(nodes, same));
  CHECK_FALSE(pairs(simulated, shared));
  shared["cluster.link.ranks_per_host"] = nodes["machine.ranks_per_node"] = "1";  // each has its own
  CHECK(pairs(nodes, same));
  CHECK(pairs(simulated, shared));
  Parameters file = simulated, elsewhere = simulated;
  file["simulate.cluster"] = "\"clusters/emulated-mine.toml\"";
  elsewhere["simulate.cluster"] = "\"a64fx-tofu\"";
  CHECK_FALSE(pairs(file, {{"cluster.link", "\"none\""}}));
  CHECK(pairs(elsewhere, {{"cluster.link", "\"none\""}}));

  const RunRow a = row("simulation"), b = row("training");  // one worker sends nothing
  CHECK(isSimulationOf({a, simulated, 1}, {b, {{"cluster.link", "\"none\""}}, 1}));
}

TEST_CASE("published figures of a graph are of the whole data set", "[pairing]") {
  const Parameters published = {{"simulate.graph", "\"reddit\""}};
  CHECK(pairs(published, {{"dataset.scale", "1.0"}}));
  CHECK_FALSE(pairs(published, {{"dataset.scale", "0.1"}}));
  CHECK(pairs({{"simulate.graph", "\"\""}, {"dataset.scale", "0.1"}}, {{"dataset.scale", "0.1"}}));
}

TEST_CASE("a data set given by its path is one whatever the rows call it", "[pairing]") {
  RunRow simulated = row("simulation"), measured = row("training");
  simulated.dataset = "/data/g.txt";  // as recorded before the rows agreed
  measured.dataset = "g.txt";
  const Parameters dataPath = {{"dataset.name", "\"/data/g.txt\""}},
                   oldPath = {{"dataset.name", "\"/old/g.txt\""}};
  const auto paired = [&](const Parameters& a, const Parameters& b) {
    return isSimulationOf({simulated, a, 4}, {measured, b, 4});
  };
  CHECK(paired(dataPath, dataPath));
  CHECK_FALSE(paired(dataPath, {}));
  CHECK_FALSE(paired(dataPath, oldPath));
  Parameters published = dataPath;
  published["simulate.graph"] = "\"g\"";
  CHECK_FALSE(paired(published, dataPath));
  simulated.dataset = "g.txt";
  CHECK(paired(dataPath, dataPath));
  CHECK_FALSE(paired(dataPath, oldPath));
}

TEST_CASE("a replay is of the very run that it replays", "[pairing]") {
  const Parameters replay = {{"result.run", "7"}, {"simulate.replayed_fingerprint", "\"f7\""}}, none;
  const RunRow simulated = row("simulation", 9);
  RunRow replayed = row("training", 7);
  CHECK(isSimulationOf({simulated, replay, 4}, {replayed, none, 4}));
  CHECK_FALSE(isSimulationOf({simulated, replay, 4}, {row("training", 8), none, 4}));
  replayed.fingerprint = "another run got the number";
  CHECK_FALSE(isSimulationOf({simulated, replay, 4}, {replayed, none, 4}));
}

TEST_CASE("neither two runs nor two simulations are pairs, nor what has no workers that train", "[pairing]") {
  const Parameters none;
  const RunRow a = row("simulation"), b = row("training");
  CHECK_FALSE(isSimulationOf({b, none, 4}, {a, none, 4}));
  CHECK_FALSE(isSimulationOf({a, none, 4}, {a, none, 4}));
  CHECK_FALSE(isSimulationOf({a, none, {}}, {b, none, {}}));
  CHECK(trainingWorkers(b, {}) == 1);
  CHECK(trainingWorkers(a, {}) == std::nullopt);
  CHECK(trainingWorkers(a, {{"simulated_workers", 8192}}) == 8192);
}

TEST_CASE("an emulated run stands for one on hosts whose network carries as much, 10 % aside", "[pairing]") {
  const Parameters link = {{"cluster.link.bandwidth_gbit", "0.4"},
                           {"run.method", "\"bns\""},
                           {"run.rate", "0.1"},
                           {"model.layers", "2"},
                           {"dataset.scale", "0.02"},
                           {"partition.method", "\"metis\""},
                           {"training.seed", "1"},
                           {"training.repeat", "3"},
                           {"cluster.threads", "0"}};
  Parameters wire = link;
  wire.erase("cluster.link.bandwidth_gbit");
  wire["cluster.wire.bandwidth_gbit"] = "0.4";
  wire["cluster.hosts"] = "[\"a:1\", \"b:1\"]";
  wire["training.repeat"] = "1";
  wire["cluster.threads"] = "2";
  const RunRow run = row("training");
  const auto gap = [&](const Parameters& emulated, const Parameters& measured, std::int64_t workers = 2) {
    return emulationGap({run, emulated, workers}, {run, measured, workers});
  };
  REQUIRE(gap(link, wire));
  CHECK(*gap(link, wire) == 0);
  CHECK_FALSE(gap(wire, link));
  CHECK_FALSE(gap(link, link));
  CHECK_FALSE(gap(wire, wire));
  CHECK_FALSE(gap(link, wire, 1));
  for (const auto& [gbit, stands] :
       {std::pair("0.37", true), {"0.44", true}, {"0.36", false}, {"0.45", false}}) {
    CAPTURE(gbit);
    Parameters other = wire;
    other["cluster.wire.bandwidth_gbit"] = gbit;
    CHECK(gap(link, other).has_value() == stands);
  }
  for (const char* key : {"run.rate", "model.layers", "dataset.scale", "partition.method", "training.seed"}) {
    CAPTURE(key);
    Parameters other = wire;
    other[key] = "7";
    CHECK_FALSE(gap(link, other));
    other.erase(key);
    CHECK(gap(link, other));
  }
  RunRow elsewhere = run;
  elsewhere.method = "vanilla";
  CHECK_FALSE(emulationGap({run, link, 2}, {elsewhere, wire, 2}));
  CHECK_FALSE(emulationGap({run, link, 2}, {run, wire, 4}));
}

TEST_CASE("the ranks of a host are those that its slots take", "[pairing]") {
  const RunRow run = row("training");
  const auto ranks = [&](const std::string& hosts, std::int64_t workers) -> std::int64_t {
    const Parameters parameters = {{"cluster.wire.bandwidth_gbit", "1.0"}, {"cluster.hosts", hosts}};
    const auto network = networkOf({run, parameters, workers});
    return network ? network->ranksAHost : 0;
  };
  CHECK(ranks("[\"a:1\", \"b:1\"]", 2) == 1);
  CHECK(ranks("[\"a\", \"b\"]", 2) == 1);
  CHECK(ranks("[\"a:2\", \"b:2\"]", 4) == 2);
  CHECK(ranks("[\"a:2\", \"b:2\"]", 3) == 0);
  CHECK(ranks("[\"a:3\", \"b:1\"]", 4) == 0);
  CHECK(ranks("[\"a:1\", \"b:1\"]", 4) == 0);
  CHECK(ranks("[\"a:4\", \"b:4\"]", 4) == 4);
  CHECK(ranks("[]", 2) == 0);
  const Parameters shared = {{"cluster.link.bandwidth_gbit", "1.0"}, {"cluster.link.ranks_per_host", "2"}};
  CHECK(networkOf({run, shared, 4})->ranksAHost == 2);
  CHECK(networkOf({run, shared, 4})->emulated);
  CHECK_FALSE(networkOf({run, {}, 4}));
  CHECK_FALSE(networkOf({row("simulation"), shared, 4}));
}

TEST_CASE("machines that are links of runs are told from others and from replays", "[pairing]") {
  CHECK(simulatesLink({{"simulate.cluster", "\"emulated-10gbe\""}}));
  CHECK_FALSE(simulatesLink({{"simulate.cluster", "\"a64fx-tofu\""}}));
  CHECK_FALSE(simulatesLink({{"simulate.cluster", "\"emulated-10gbe\""}, {"result.run", "7"}}));
  CHECK_FALSE(simulatesLink({}));
}

TEST_CASE("parameters are read by their section, without sources", "[pairing]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  Runs runs(database);
  runs.addExperiment("e", "schema = 1\n");
  RunRow run = row("simulation");
  run.experimentId = 1;
  const std::int64_t id = runs.add(run);
  runs.setParameters(id, {{"model.layers", "2"},
                          {"modelling.x", "1"},
                          {"platform.cards", "4"},
                          {"platform.cards.source", "published: a"},
                          {"device.lanes", "8"}});
  constexpr std::string_view kSections[] = {"model", "platform"};
  CHECK(runs.parameters(id, kSections) == Parameters{{"model.layers", "2"}, {"platform.cards", "4"}});
}
