// Whole runs, from settings to recording, through mpirun and the worker program.
#include "engine/run/supervisor.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "engine/base/clock.h"
#include "engine/methods/method.h"
#include "engine/partition/partitioner.h"
#include "engine/record/breakdown.h"
#include "engine/record/epochs.h"
#include "engine/record/runs.h"
#include "engine/record/spans.h"
#include "engine/record/summary.h"
#include "tests/support/descendants.h"
#include "tests/support/graphs.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

using namespace halo;
namespace fs = std::filesystem;

namespace {

RunSettings karate(const std::string& method, std::int64_t workers) {
  RunSettings run;
  run.name = "karate";
  run.method = method;
  run.parameters = fallbacks(find<MethodEntry>(method)->declaration.parameters);
  run.dataset.name = "karate";
  run.model.layers = 3;
  run.model.hidden = 8;
  run.training.epochs = 5;
  run.cluster.workers = workers;
  run.record.staleness = 0;
  return run;
}

const SuperviseOptions kOptions{fs::path(kBinDir) / "haloscope-worker", nullptr};

/// Ends a rank once an epoch is there.
class KillRank final : public RunObserver {
 public:
  explicit KillRank(int rank) : rank_(rank) {}
  void onEpoch(const RunRow&, const EpochRow&, std::int64_t) override {
    if (killedAtNs_ != 0) return;
    const pid_t pid = test::workerOfRank(rank_);
    REQUIRE(pid > 0);
    killedAtNs_ = wallNs();
    ::kill(pid, SIGKILL);
  }
  std::int64_t killedAtNs() const { return killedAtNs_; }

 private:
  int rank_;
  std::int64_t killedAtNs_ = 0;
};

/// Stops once the epochs' own clock has reached 3 s; counts how often the recording had grown.
class Growth final : public RunObserver {
 public:
  explicit Growth(const fs::path& file) : reader_(file, Access::readOnly) {}
  void onEpoch(const RunRow&, const EpochRow& row, std::int64_t) override {
    Statement version(reader_, "PRAGMA data_version");  // another one after each commit by somebody else
    version.step();
    versions.insert(version.integer(0));
    if (row.beginNs + row.wallNs > 3'000'000'000) stop = 1;
  }
  std::set<std::int64_t> versions;
  std::atomic<int> stop{0};

 private:
  Database reader_;
};

/// Stops at once when the graph is divided.
class StopWhilePartitioning final : public RunObserver {
 public:
  void onProgress(const RunRow&, const std::string& what, double) override {
    if (what.starts_with("partitioning")) stop = 2;
  }
  std::atomic<int> stop{0};
};

/// Cuts the index of the recording's log after each epoch.
class CutIndex final : public RunObserver {
 public:
  explicit CutIndex(fs::path index) : index_(std::move(index)) {}
  void onEpoch(const RunRow&, const EpochRow&, std::int64_t) override { fs::resize_file(index_, 0); }

 private:
  fs::path index_;
};

class StopAfterFirst final : public RunObserver {
 public:
  void onEpoch(const RunRow&, const EpochRow&, std::int64_t) override { stop = 1; }
  std::atomic<int> stop{0};
};

}  // namespace

TEST_CASE("a run over four workers fills every table, and its numbers add up", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  Runs runs(db);
  RunObserver quiet;
  const RunOutcome outcome =
      superviseRun(db, runs.addExperiment("test", ""), karate("vanilla", 4), kOptions, quiet);
  INFO(outcome.error);
  REQUIRE(outcome.status == "completed");
  CHECK(outcome.exitStatus == 0);

  const auto epochs = Epochs(db).epochs(outcome.run);
  REQUIRE(epochs.size() == 5);
  CHECK(epochs.back().loss < epochs.front().loss);
  CHECK(epochs[0].train.has_value());
  const auto workers = runs.workers(outcome.run);
  REQUIRE(workers.size() == 4);
  std::int64_t vertices = 0;
  for (const WorkerRow& worker : workers) {
    vertices += worker.vertices;
    CHECK(worker.peakRssBytes > 0);
    CHECK(worker.droppedSpans == 0);
  }
  CHECK(vertices == 34);

  std::int64_t ledger = 0, layers = 0;
  for (const MessageRow& message : Epochs(db).messages(outcome.run)) {
    CHECK(message.bytes == message.predictedBytes);
    CHECK(message.messages == message.predictedMessages);
    ledger += message.bytes;
  }
  for (const LayerRow& layer : Epochs(db).layers(outcome.run)) {
    CHECK(layer.bytesSent == layer.predictedBytes);
    CHECK(layer.messages == layer.predictedMessages);
    layers += layer.bytesSent;
  }
  CHECK(ledger > 0);
  CHECK(ledger == layers);

  for (std::int64_t rank = 0; rank < 4; ++rank) {
    const auto spans = Spans(db).all(outcome.run, rank);
    for (const EpochRow& epoch : epochs) {
      const Breakdown parts = breakdown(spans, epoch.beginNs, epoch.beginNs + epoch.wallNs);
      CHECK(parts.totalNs() == epoch.wallNs);
      CHECK(parts.computeNs > 0);
    }
  }
  CHECK(runs.artifact(outcome.run, "weights").has_value());
  const auto latest = runs.latest(outcome.run);
  CHECK(latest.count("recorder_share") == 1);
  CHECK(latest.at("predicted_messages_per_epoch") == latest.at("messages_per_epoch"));
  CHECK(latest.at("hidden_share") >= 0);
  CHECK(latest.at("hidden_share") < 1);
  CHECK(latest.at("replication_factor") > 1);
  CHECK(db.integrity() == "ok");
}

TEST_CASE("where epochs differ, each is recorded beside its own closed form", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  Runs runs(db);
  RunObserver quiet;
  RunSettings run = karate("sancus", 2);
  run.parameters.insert_or_assign("interval", Value(std::int64_t{2}));
  const RunOutcome outcome = superviseRun(db, runs.addExperiment("test", ""), run, kOptions, quiet);
  INFO(outcome.error);
  REQUIRE(outcome.status == "completed");
  std::map<std::int64_t, std::int64_t> blocks;  // by epoch
  for (const MessageRow& message : Epochs(db).messages(outcome.run)) {
    CHECK(message.bytes == message.predictedBytes);
    CHECK(message.messages == message.predictedMessages);
    if (message.target >= 0) blocks[message.epoch] += message.messages;
  }
  CHECK(blocks == std::map<std::int64_t, std::int64_t>{{0, 10}, {2, 10}, {4, 10}});
  auto latest = runs.latest(outcome.run);
  CHECK(latest["broadcasts"] == 30);
  CHECK(latest["skipped_broadcasts"] == 20);
  CHECK(latest["skipped_share"] == Approx(0.4));
}

TEST_CASE("one worker and four give the same losses through the whole program", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  const std::int64_t experiment = Runs(db).addExperiment("test", "");
  RunObserver quiet;
  const auto one = Epochs(db).epochs(superviseRun(db, experiment, karate("single", 1), kOptions, quiet).run);
  const auto four =
      Epochs(db).epochs(superviseRun(db, experiment, karate("vanilla", 4), kOptions, quiet).run);
  REQUIRE(one.size() == 5);
  REQUIRE(four.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(four[i].loss == Approx(one[i].loss).epsilon(1e-4));
}

TEST_CASE("a rank ended by SIGKILL fails the run within five seconds and loses nothing", "[run]") {
  const Scratch scratch;
  const fs::path file = scratch / "r.db";
  Database db(file, Access::create);
  RunSettings run = karate("vanilla", 3);
  run.training.epochs = 1'000'000;
  KillRank killer(1);
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, killer);
  CHECK(wallNs() - killer.killedAtNs() < 5'000'000'000);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 1);
  CHECK_THAT(outcome.error, Catch::Contains("rank 1") && Catch::Contains("signal 9"));
  CHECK(Runs(db).find(outcome.run)->status == "failed");
  CHECK_FALSE(Epochs(db).epochs(outcome.run).empty());
  CHECK(db.integrity() == "ok");
  CHECK(test::descendants().empty());
}

// The first epoch takes no message and ends when the gradients are summed, half a second of this link; its
// halo rows need many times that. So when it has been reported they are on their way, and the second waits
// for them: that it is not recorded shows it.
TEST_CASE("a rank ended by SIGKILL while stale rows are on their way fails the run as soon", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("pipegcn", 3);
  run.training.epochs = 1'000'000;
  run.training.evaluateEvery = 0;  // an evaluation's rows would be waited for
  run.dataset.name = "cora-like";
  run.partition.method = "random";
  run.cluster.link = {"slow", 0.001, 0, 0};
  KillRank killer(1);
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, killer);
  REQUIRE(killer.killedAtNs() > 0);
  CHECK(wallNs() - killer.killedAtNs() < 5'000'000'000);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 1);
  CHECK_THAT(outcome.error, Catch::Contains("rank 1") && Catch::Contains("signal 9"));
  CHECK(Runs(db).find(outcome.run)->status == "failed");
  CHECK(Epochs(db).epochs(outcome.run).size() == 1);
  CHECK(db.integrity() == "ok");
  CHECK(test::descendants().empty());
}

TEST_CASE("asked to stop at once while its graph is divided, a run is cancelled", "[run]") {
  const Scratch scratch;
  std::ofstream(scratch / "graph.txt") << test::edgeList(test::randomArcs(100'000, 600'000, 5));
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 2);
  run.dataset.name = (scratch / "graph.txt").string();
  run.partition.method = "metis";  // takes a second or so
  StopWhilePartitioning stopper;
  SuperviseOptions options = kOptions;
  options.stop = &stopper.stop;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, options, stopper);
  INFO(outcome.error);
  CHECK(stopper.stop == 2);
  CHECK(outcome.status == "cancelled");
  CHECK(outcome.exitStatus == 130);
}

TEST_CASE("asked to stop, a run ends after its epoch, is cancelled and keeps its data", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 2);
  run.training.epochs = 1'000'000;
  StopAfterFirst stopper;
  SuperviseOptions options = kOptions;
  options.stop = &stopper.stop;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, options, stopper);
  INFO(outcome.error);
  CHECK(outcome.status == "cancelled");
  CHECK(outcome.exitStatus == 130);
  const auto epochs = Epochs(db).epochs(outcome.run);
  REQUIRE_FALSE(epochs.empty());
  CHECK(epochs.back().epoch + 1 == static_cast<std::int64_t>(epochs.size()));
  CHECK(Runs(db).artifact(outcome.run, "weights").has_value());
}

TEST_CASE("a run whose index of the log is cut again and again is recorded whole", "[run]") {
  const Scratch scratch;
  const auto file = scratch / "r.db";
  std::int64_t run = 0;
  {
    Database db(file, Access::create);
    CutIndex observer(scratch / "r.db-shm");
    const RunOutcome outcome =
        superviseRun(db, Runs(db).addExperiment("test", ""), karate("vanilla", 2), kOptions, observer);
    INFO(outcome.error);
    CHECK(outcome.status == "completed");
    run = outcome.run;
  }
  Database db(file, Access::readOnly);
  CHECK(Epochs(db).epochs(run).size() == 5);
  CHECK(db.integrity() == "ok");
}

TEST_CASE("a diverging run keeps its epochs and fails with the epoch and what may help", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate(GENERATE("vanilla", "pipegcn", "distgnn"), GENERATE(1, 4));
  run.training.optimizer = "sgd";
  run.training.learningRate = 1e30;
  run.training.epochs = 50;
  RunObserver quiet;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, quiet);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 1);
  CHECK_THAT(outcome.error, Catch::Contains("is not a number") && Catch::Contains("learning_rate"));
  const auto epochs = Epochs(db).epochs(outcome.run);
  REQUIRE_FALSE(epochs.empty());
  CHECK_FALSE(std::isfinite(epochs.back().loss));
  CHECK_THAT(outcome.error, Catch::Contains("the loss of epoch " + std::to_string(epochs.back().epoch)));
  CHECK(Spans(db).count(outcome.run) > 0);
}

TEST_CASE("asked to stop before the workers are there, a run ends after its first epoch", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 2);
  run.training.epochs = 1'000'000;
  const std::atomic<int> stop = 1;
  SuperviseOptions options = kOptions;
  options.stop = &stop;
  RunObserver quiet;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, options, quiet);
  CHECK(outcome.status == "cancelled");
  CHECK(Epochs(db).epochs(outcome.run).size() <= 100);
}

TEST_CASE("an epoch is in the recording soon after it ended, and figures are of the whole run", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 2);
  run.training.epochs = 1'000'000;
  run.model.hidden = 400;  // epochs longer than it takes to write down their rows
  Growth growth(scratch / "r.db");
  SuperviseOptions options = kOptions;
  options.stop = &growth.stop;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, options, growth);
  REQUIRE(outcome.status == "cancelled");
  CHECK(growth.versions.size() >= 12);  // every 50 ms of 3 s, unless the machine is very busy
  const auto whole = summarise(Epochs(db).epochs(outcome.run), Epochs(db).layers(outcome.run), {}, 2);
  const auto latest = Runs(db).latest(outcome.run);
  for (const char* metric : {"compute_share", "exchange_wait_share", "synchronise_share", "idle_share",
                             "bytes_per_epoch", "flop_per_epoch", "balance", "epoch_seconds", "epochs"}) {
    CAPTURE(metric);
    CHECK(latest.at(metric) == Approx(whole.at(metric)));
  }
}

TEST_CASE("the processor time of a pass includes the optimizer's", "[run]") {
  // the loss of as many rows takes as long, whatever the optimizer has to do; the least of some epochs,
  // because others take caches away, though no processor time
  const auto least = [](std::int64_t hidden) {
    const Scratch scratch;
    Database db(scratch / "r.db", Access::create);
    RunSettings run = karate("single", 1);
    run.model.hidden = hidden;
    run.training.epochs = 20;
    RunObserver quiet;
    const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, quiet);
    REQUIRE(outcome.status == "completed");
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (const LayerRow& row : Epochs(db).layers(outcome.run))
      if (row.layer == -1) fewest = std::min(fewest, row.cpuNs);
    return fewest;
  };
  CHECK(least(256) > 3 * least(8));  // 75 k weights, and 0.4 k
}

TEST_CASE("a run starts after this process has used MPI to partition", "[run]") {
  const auto environment = [] {
    std::set<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) variables.insert(*variable);
    return variables;
  };
  const std::set<std::string> before = environment();
  const Csr arcs = buildCsr(60, test::randomArcs(60, 300, 3), /*keepSelfLoops=*/false);
  const PartitionerEntry* entry = find<PartitionerEntry>("hypergraph");
  const Values values = fallbacks(entry->declaration.parameters);
  CHECK(entry->partition(arcs, {.parts = 2, .parameters = values}).size() == 60);
  CHECK(environment() == before);

  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunObserver quiet;
  const RunOutcome outcome =
      superviseRun(db, Runs(db).addExperiment("test", ""), karate("vanilla", 2), kOptions, quiet);
  INFO(outcome.error);
  CHECK(outcome.status == "completed");
}

TEST_CASE("more workers than vertices leaves some empty and still trains", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 3);
  run.partition.method = "block";
  run.training.epochs = 2;
  RunObserver quiet;
  run.cluster.workers = 36;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, quiet);
  INFO(outcome.error);
  CHECK(outcome.status == "completed");
  CHECK(Runs(db).workers(outcome.run).size() == 36);
}

TEST_CASE("a data set that is not there fails the run with exit status 2 and what is known", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 2);
  run.dataset.name = "no-such-graph";
  RunObserver quiet;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, quiet);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 2);
  CHECK_THAT(outcome.error, Catch::Contains("no-such-graph"));
}
