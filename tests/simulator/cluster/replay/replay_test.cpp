#include "simulator/cluster/replay/replay.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>

#include "engine/methods/contract/method_entry.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "simulator/cluster/engines/bulk.h"
#include "simulator/cluster/engines/events.h"
#include "simulator/cluster/replay/recorded_times.h"
#include "tests/simulator/cluster/sample_plans.h"
#include "tests/support/scratch.h"

namespace halo::cluster {
namespace {

constexpr std::int64_t kSumBytes = 4000;

/// A recording of one run of two layers on two ranks or more. Aggregations take 100 and 200 us on rank 0,
/// twice that on rank 1 and so on; updates 50 us. Computing scatters round that by epoch. Rows of 8000 bytes
/// go each way between ranks of the first and of the second half, and gradients of kSumBytes.
class Recording {
 public:
  explicit Recording(const std::string& method, std::map<std::string, std::string> parameters = {},
                     std::int64_t ranks = 2)
      : ranks_(ranks) {
    Runs runs(database);
    Transaction transaction(database);
    RunRow run;
    run.experimentId = runs.addExperiment("replay", "");
    run.method = method;
    run.workers = ranks;
    run.status = "completed";
    run.host = "here";
    number = runs.add(run);
    runs.setParameters(number, parameters);
    std::vector<WorkerRow> workers(at(ranks));
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      workers[at(rank)].rank = rank;
      workers[at(rank)].vertices = 10 + rank;
      workers[at(rank)].featureBytes = 1000 + rank;
    }
    runs.setWorkers(number, workers);
    for (std::int64_t epoch = 0; epoch < 4; ++epoch) addEpoch(epoch);
    transaction.commit();
  }

  Scratch folder;
  Database database{folder / "replay.db", Access::create};
  std::int64_t number = 0;

 private:
  std::int64_t ranks_;

  void addEpoch(std::int64_t epoch) {
    // the first epoch is slow; the others' median is the middle one's
    const std::int64_t extra = epoch == 0 ? 10'000'000 : (epoch - 2) * 1000;
    std::vector<LayerRow> layers;
    std::vector<MessageRow> messages;
    const std::int64_t summed = 2 * (ranks_ - 1) * kSumBytes / ranks_;
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
      for (std::int64_t layer = 0; layer < 2; ++layer)
        for (const Pass pass : {Pass::forward, Pass::backward}) {
          LayerRow row;
          row.epoch = epoch;
          row.rank = rank;
          row.layer = layer;
          row.pass = pass;
          const bool aggregates = layer > 0 || pass == Pass::forward;
          row.aggregateNs = aggregates ? (layer + 1) * 100'000 * (rank + 1) + extra : 0;
          row.updateNs = 40'000;
          row.activationNs = 10'000;
          row.exchangeWaitNs = 7'000;
          layers.push_back(row);
          if (aggregates)
            messages.push_back({epoch, layer, pass, rank, (rank + ranks_ / 2) % ranks_, 1, 8000, 8000});
        }
      LayerRow loss;
      loss.epoch = epoch;
      loss.rank = rank;
      loss.lossNs = 3000;
      loss.optimizerNs = 2000;
      loss.synchroniseNs = 1000;
      layers.push_back(loss);
      messages.push_back({epoch, -1, Pass::none, rank, -1, ranks_, summed, summed});
    }
    const std::vector<EpochRow> epochs = {{epoch, 0, 1'500'000 + extra, 1.0, {}, {}, {}}};
    Epochs table(database);
    table.append(number, std::span<const EpochRow>(epochs));
    table.append(number, std::span<const LayerRow>(layers));
    table.append(number, std::span<const MessageRow>(messages));
  }
};

TEST_CASE("a recorded run is a plan of its own times and ledger", "[cluster][replay]") {
  Recording recording("vanilla",
                      {{"cluster.link.bandwidth_gbit", "8.0"}, {"cluster.link.latency_us", "5.0"}});
  const Replay replay = replayOf(recording.database, recording.number);
  const Plan& plan = replay.cycle.first();
  CHECK(plan.ranks == 2);
  CHECK(plan.origin == PlanOrigin::recorded);
  CHECK(plan.bytesSent() == 2 * 3 * 8000 + 2 * kSumBytes);
  CHECK(plan.messagesSent() == 6 + 2);
  std::int64_t sparse = 0, dense = 0;
  for (const Step& step : plan.steps) {
    if (step.op == Op::sparse) sparse += (*step.measuredNs)[1];
    if (step.op == Op::dense) dense += (*step.measuredNs)[1];
  }
  CHECK(sparse == 200'000 + 400'000 + 400'000);
  CHECK(dense == 4 * 50'000 + 5000);
  CHECK(plan.rows[1] == 11);
  CHECK(plan.memoryBytes.largest(2) == 1001);
  CHECK(replay.link.bandwidthGbit == 8);
  CHECK(replay.link.latencyUs == 5);

  // rank 1 is slower in every step, so it is its work, three exchanges of 5 + 8 us, and a ring of two steps
  const Machine machine = machineOf(replay.link);
  const double worked = 1'000'000 + 205'000, summed = 2 * 5'000 + kSumBytes;
  CHECK(simulateBulk(plan, machine).epochNs == Approx(worked + 3 * 13'000 + summed));
  // of the second, rank 0's rows have come long before rank 1 wants them
  CHECK(simulateEvents(plan, machine).epochNs == Approx(worked + 2 * 13'000 + summed));
  CHECK(simulateEvents(plan, machine).kind == PointClass::simulated);
}

TEST_CASE("rows of fewer bits take their share of the wire, gradients what they took", "[cluster][replay]") {
  Recording recording("vanilla", {{"cluster.link.bandwidth_gbit", "8.0"}});
  const Replay replay = replayOf(recording.database, recording.number, {.bits = 2 * sizeof(Scalar)});
  CHECK(replay.cycle.first().bytesSent() == 2 * 3 * 8000 / 4 + 2 * kSumBytes);
  CHECK(replay.cycle.notes.back() == "coding of rows takes no time");
  const double worked = 1'000'000 + 205'000;
  CHECK(simulateBulk(replay.cycle.first(), machineOf(replay.link)).epochNs ==
        Approx(worked + 3 * 2000 + kSumBytes));
}

TEST_CASE("a replay overlaps all sums with rows that travel, or none", "[cluster][replay]") {
  using Overlap = ReplayChange::Overlap;
  const std::map<std::string, std::string> link = {{"cluster.link.bandwidth_gbit", "8.0"},
                                                   {"cluster.link.latency_us", "5.0"}};
  const auto epochNs = [&](const std::string& method, Overlap overlap) {
    Recording recording(method, link);
    const Replay replay = replayOf(recording.database, recording.number, {.overlap = overlap});
    std::int64_t sparse = 0;
    for (const Step& step : replay.cycle.first().steps)
      if (step.op == Op::sparse) sparse += (*step.measuredNs)[1];
    CHECK(sparse == 200'000 + 400'000 + 400'000);  // whatever goes on beside it
    return simulateBulk(replay.cycle.first(), machineOf(replay.link)).epochNs;
  };
  const double worked = 1'000'000 + 205'000, summed = 2 * 5'000 + kSumBytes;
  CHECK(epochNs("vanilla", Overlap::none) == Approx(worked + 3 * 13'000 + summed));
  CHECK(epochNs("pipegcn", Overlap::none) == Approx(worked + 3 * 13'000 + summed));
  CHECK(epochNs("vanilla", Overlap::all) == Approx(worked + summed));  // sums take longer than their rows
}

TEST_CASE("a replay refuses changes that have no meaning for its method", "[cluster][replay]") {
  struct Case {
    const char* method;
    ReplayChange change;
    const char* says;
  };
  const auto testCase =
      GENERATE(Case{"mop", {.overlap = ReplayChange::Overlap::none}, "exchanges no halo rows"},
               Case{"pipegcn", {.overlap = ReplayChange::Overlap::all}, "rows travel for epochs"},
               Case{"adaqp", {.bits = 4}, "rows travelled as codes"});
  Recording recording(testCase.method, {{"cluster.link.bandwidth_gbit", "8.0"}});
  CHECK_THROWS_WITH(replayOf(recording.database, recording.number, testCase.change),
                    Catch::Contains(testCase.says));
}

TEST_CASE("a run on hosts, or on a link per host, is replayed with the cards that its ranks shared",
          "[cluster][replay]") {
  using Parameters = std::map<std::string, std::string>;
  const auto placed = [](const std::string& hosts) {
    return Parameters{
        {"cluster.wire.bandwidth_gbit", "8.0"}, {"cluster.wire.latency_us", "5.0"}, {"cluster.hosts", hosts}};
  };
  const auto emulated = [](const std::string& ranks) {
    return Parameters{{"cluster.link.bandwidth_gbit", "8.0"},
                      {"cluster.link.latency_us", "5.0"},
                      {"cluster.link.ranks_per_host", ranks}};
  };
  struct Case {
    Parameters parameters;
    std::int64_t messages;  // that each card carries one after the other, each way
  };
  const auto testCase = GENERATE_COPY(Case{placed("[\"nodea:2\", \"nodeb:2\"]"), 2}, Case{emulated("2"), 2},
                                      Case{placed("[\"a\", \"b\", \"c\", \"d\"]"), 1});
  Recording recording("vanilla", testCase.parameters, 4);
  const Replay replay = replayOf(recording.database, recording.number);
  CHECK(replay.link.bandwidthGbit == 8);
  CHECK(replay.link.latencyUs == 5);
  // rank 3 is the slowest in every step; three exchanges; a ring of six steps passes each card once a step
  const double worked = 4 * 500'000 + 205'000,
               exchanged = 5'000.0 + static_cast<double>(testCase.messages) * 8'000,
               summed = 6 * (5'000 + kSumBytes / 4.0);
  CHECK(simulateBulk(replay.cycle.first(), machineOf(replay.link)).epochNs ==
        Approx(worked + 3 * exchanged + summed));
}

TEST_CASE("hosts of unlike numbers of ranks have no link to replay", "[cluster][replay]") {
  Recording recording("vanilla",
                      {{"cluster.wire.bandwidth_gbit", "8.0"}, {"cluster.hosts", "[\"a:3\", \"b:1\"]"}}, 4);
  CHECK_FALSE(replayOf(recording.database, recording.number).link.emulated());
}

TEST_CASE("a replay has other links and rank speeds", "[cluster][replay]") {
  Recording recording("vanilla");
  const Plan plan = replayOf(recording.database, recording.number).cycle.first();
  const double slow = simulateEvents(plan, machineOf({"x", 0.8, 50, 0})).epochNs;
  // 130 us on the way; of the second exchange 30 are left when rank 1, 100 us later than rank 0, wants its
  // rows
  CHECK(slow == Approx(1'205'000 + 2 * 130'000 + 30'000 + 2 * 50'000 + 10 * kSumBytes));
  SimulateOptions even;
  even.rankSpeed = {1,
                    2};  // rank 1 twice as fast: as fast as rank 0 where it aggregates, and faster elsewhere
  CHECK(simulateEvents(plan, machineOf({"x", 8, 5, 0}), even).epochNs ==
        Approx(500'000 + 205'000 + 13'000 + 10'000 + kSumBytes));
}

TEST_CASE("a pipelined run's replay hides what travels", "[cluster][replay]") {
  Recording recording("pipegcn", {{"run.depth", "2"}, {"run.smoothing", "\"both\""}});
  const Plan plan = replayOf(recording.database, recording.number).cycle.first();
  CHECK(plan.depth() == 2);
  const double ns = simulateEvents(plan, machineOf({"x", 0.8, 50, 0})).epochNs;
  CHECK(ns == Approx(1'205'000 + 2 * 50'000 + 10 * kSumBytes));
}

TEST_CASE("a replay is the mean of whole periods of the recorded epochs", "[cluster][replay]") {
  const auto replayed = [](const std::string& method, const std::string& interval) {
    Recording recording(method, {{"run.interval", interval}});
    recording.database.execute("UPDATE message SET bytes = 2000 WHERE layer >= 0 AND epoch % 2 = 1");
    return replayOf(recording.database, recording.number).cycle;
  };
  constexpr double kSent = 6 * 8000, kSkipped = 6 * 2000, kSums = 2 * kSumBytes;
  const PlanCycle fullCycle = replayed("sancus", "2");  // epochs 2 and 3; 1 would make one and a half
  CHECK(fullCycle.turns.size() == 2);
  CHECK(fullCycle.bytesSent() == (kSent + kSkipped) / 2 + kSums);
  CHECK(fullCycle.notes.empty());
  const Machine machine = machineOf({"x", 0.8, 50, 0});
  const double mean = simulateCycle(fullCycle, machine, simulateEvents).epochNs;
  double sum = 0;
  for (const PlanTurn& turn : fullCycle.turns) sum += simulateEvents(turn.plan, machine).epochNs;
  CHECK(mean == Approx(sum / 2));
  CHECK(mean < simulateEvents(fullCycle.first(), machine).epochNs);

  const PlanCycle part = replayed("sancus", "4");  // epochs 1, 2 and 3 are all there are
  CHECK(part.epochs() == 3);
  CHECK(part.bytesSent() == Approx((kSent + 2 * kSkipped) / 3 + kSums));
  REQUIRE(part.notes.size() == 1);
  CHECK(part.notes[0] == "mean of 3 recorded epochs after the first, fewer than the 4 of a period");

  Recording alike("vanilla");
  const PlanCycle alikeCycle = replayOf(alike.database, alike.number).cycle;
  CHECK(alikeCycle.turns.size() == 1);
  CHECK(alikeCycle.epochs() == 3);
}

TEST_CASE("the run itself is a point of measured class", "[cluster][replay]") {
  Recording recording("vanilla");
  const ClusterResult point = replayOf(recording.database, recording.number).measured;
  CHECK(point.kind == PointClass::measured);
  CHECK(point.epochNs == 1'500'000);  // median without the first
  CHECK(point.shares.sparseNs == Approx(750'000));
  CHECK(point.shares.denseNs == Approx(205'000));
  CHECK(point.shares.waitNs == Approx(28'000));
  CHECK(point.shares.reduceNs == Approx(1000));
  CHECK(point.shares.totalNs() == Approx(point.epochNs));
  CHECK(point.memoryBytes == 1001);
}

TEST_CASE("what cannot be replayed says why", "[cluster][replay]") {
  Recording recording("vanilla");
  CHECK_THROWS_WITH(replayOf(recording.database, 99),
                    "replay: run 99 is not in this recording; see `haloscope list`");
  Recording pipeline("dorylus");
  CHECK_THROWS_WITH(replayOf(pipeline.database, pipeline.number),
                    Catch::Contains("whose time is not laid out"));
  Recording unknown("vanille");
  CHECK_THROWS_WITH(replayOf(unknown.database, unknown.number),
                    Catch::Contains("this version does not know"));
  Scratch folder;
  Database empty(folder / "empty.db", Access::create);
  Runs runs(empty);
  RunRow run;
  run.experimentId = runs.addExperiment("empty", "");
  run.method = "vanilla";
  CHECK_THROWS_WITH(replayOf(empty, runs.add(run)), Catch::Contains("has no epoch with rows by layer"));
}

TEST_CASE("rows that no run writes are refused by table, figure and bounds", "[cluster][replay]") {
  struct Damage {
    const char* sql;
    const char* says;
  };
  const auto damage = GENERATE(
      Damage{"UPDATE message SET source = 2 WHERE source = 1 AND layer = 0",
             "source 2 of a run with 2 workers; 0 to 1"},
      Damage{"UPDATE message SET source = -3 WHERE source = 1 AND layer = 0", "source -3"},
      Damage{"UPDATE message SET target = 7000000000 WHERE target = 1", "target 7000000000"},
      Damage{"UPDATE message SET target = -2 WHERE target = 1", "target -2 of a run with 2 workers; -1 to 1"},
      Damage{"UPDATE message SET layer = 1000000 WHERE layer = 1", "layer 1000000"},
      Damage{"UPDATE message SET bytes = -8 WHERE layer = 1", "bytes -8"},
      Damage{"UPDATE message SET messages = -1 WHERE layer = 1", "messages -1"},
      Damage{"UPDATE layer SET rank = 2 WHERE rank = 1", "table layer, epoch 0: rank 2"},
      Damage{"UPDATE layer SET layer = 4000000000 WHERE layer = 1", "layer 4000000000"},
      Damage{"UPDATE layer SET layer = -2 WHERE layer = 0", "layer -2"},
      Damage{"UPDATE layer SET aggregate_ns = -1 WHERE layer = 0", "time -1"},
      Damage{"UPDATE worker SET rank = 9 WHERE rank = 1", "table worker: rank 9"},
      Damage{"UPDATE run SET workers = 0", "0 workers"},
      Damage{"UPDATE run SET workers = 8589934594", "8589934594 workers"},
      Damage{"UPDATE parameter SET value = '\"often\"' WHERE key = 'run.layer0_cache'",
             "parameter run.layer0_cache: \"often\" cannot be used"},
      Damage{"UPDATE parameter SET value = '=' WHERE key = 'run.layer0_cache'",
             "parameter run.layer0_cache: ="},
      Damage{"UPDATE parameter SET value = 'fast' WHERE key = 'cluster.link.latency_us'",
             "parameter cluster.link.latency_us: fast is no number of 0 or more"});
  Recording recording("vanilla", {{"run.layer0_cache", "false"}, {"cluster.link.latency_us", "5.0"}});
  CHECK_NOTHROW(replayOf(recording.database, recording.number));
  recording.database.execute(damage.sql);
  CAPTURE(damage.sql);
  CHECK_THROWS_AS(replayOf(recording.database, recording.number), DamagedInput);
  CHECK_THROWS_WITH(replayOf(recording.database, recording.number), Catch::Contains(damage.says));
}

TEST_CASE("bytes to all others that are no whole number for each are refused", "[cluster][replay]") {
  Recording recording("sancus");
  recording.database.execute("UPDATE run SET workers = 3");
  recording.database.execute("UPDATE message SET target = -1, bytes = 8001 WHERE layer = 1");
  CHECK_THROWS_WITH(replayOf(recording.database, recording.number),
                    Catch::Contains("8001 bytes to all others are not as many to each of the 2 others"));
}

TEST_CASE("recorded times are those that the thread had a core, in spans and between them",
          "[cluster][replay]") {
  LayerRow row;
  row.layer = 0;
  row.aggregateNs = 100'000;
  row.updateNs = 50'000;
  row.gatherNs = 30'000;
  row.quantiseNs = 20'000;
  const auto timesWith = [&](std::int64_t cpuNs) {
    row.cpuNs = cpuNs;
    return recordedTimes({row}, 1, 0).at({0, Pass::none}).front();
  };
  const StepTimes shared = timesWith(100'000);  // half of a core
  CHECK(shared.sparse == 50'000);
  CHECK(shared.dense == 25'000);
  CHECK(shared.pack == 15'000);
  CHECK(shared.quantise == 10'000);
  const StepTimes more = timesWith(260'000);  // 60 us of it in no span
  CHECK(more.sparse == 100'000);
  CHECK(more.dense == 110'000);
  CHECK(timesWith(0).dense == 50'000);  // not known
}

}  // namespace
}  // namespace halo::cluster
