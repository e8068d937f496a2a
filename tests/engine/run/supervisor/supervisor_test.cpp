// Whole runs, from settings to recording, through mpirun and the worker program.
#include "engine/run/supervisor/supervisor.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "engine/partition/contract/partitioner.h"
#include "engine/record/analysis/breakdown.h"
#include "engine/record/analysis/summary.h"
#include "engine/record/rows/resolved_keys.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/support/graphs.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate, test::kWorker;
namespace fs = std::filesystem;

namespace {

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

/// Cuts the index of the recording's log after each epoch.
class CutIndex final : public RunObserver {
 public:
  explicit CutIndex(fs::path index) : index_(std::move(index)) {}
  void onEpoch(const RunRow&, const EpochRow&, std::int64_t) override { fs::resize_file(index_, 0); }

 private:
  fs::path index_;
};

}  // namespace

TEST_CASE("a run over four workers fills every table, and its numbers add up", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  Runs runs(db);
  RunObserver quiet;
  const RunOutcome outcome =
      superviseRun(db, runs.addExperiment("test", ""), karate("vanilla", 4), kWorker, quiet);
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
  CHECK(runs.parameters(outcome.run).at(kThreads) == std::to_string(workers[0].threads));

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
  CHECK(latest.at("hidden_transfer_share") >= latest.at("hidden_share"));
  CHECK(latest.at("hidden_transfer_share") < 1);
  CHECK(latest.at("replication_factor") > 1);
  CHECK(runs.parameters(outcome.run).at("result.keeps_layer0") == "false");
  CHECK(runs.parameters(outcome.run).at("result.element_bytes") == std::to_string(sizeof(Scalar)));
  CHECK(runs.parameters(outcome.run).at("result.balanced") == "vertices");
  CHECK_FALSE(runs.parameters(outcome.run).contains("result.ranks_per_part"));
  CHECK(db.integrity() == "ok");
}

TEST_CASE("where epochs differ, each is recorded beside its own closed form", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  Runs runs(db);
  RunObserver quiet;
  RunSettings run = karate("sancus", 2);
  run.parameters.insert_or_assign("interval", Value(std::int64_t{2}));
  const RunOutcome outcome = superviseRun(db, runs.addExperiment("test", ""), run, kWorker, quiet);
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
  const auto single =
      Epochs(db).epochs(superviseRun(db, experiment, karate("single", 1), kWorker, quiet).run);
  const auto four = Epochs(db).epochs(superviseRun(db, experiment, karate("vanilla", 4), kWorker, quiet).run);
  REQUIRE(single.size() == 5);
  REQUIRE(four.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(four[i].loss == Approx(single[i].loss).epsilon(1e-4));
}

TEST_CASE("a run whose index of the log is cut again and again is recorded whole", "[run]") {
  const Scratch scratch;
  const auto file = scratch / "r.db";
  std::int64_t run = 0;
  {
    Database db(file, Access::create);
    CutIndex observer(scratch / "r.db-shm");
    const RunOutcome outcome =
        superviseRun(db, Runs(db).addExperiment("test", ""), karate("vanilla", 2), kWorker, observer);
    INFO(outcome.error);
    CHECK(outcome.status == "completed");
    run = outcome.run;
  }
  Database db(file, Access::readOnly);
  CHECK(Epochs(db).epochs(run).size() == 5);
  CHECK(db.integrity() == "ok");
}

TEST_CASE("an epoch is in the recording soon after it ended, and figures are of the whole run", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 2);
  run.training.epochs = 1'000'000;
  run.model.hidden = 400;  // epochs longer than it takes to write down their rows
  Growth growth(scratch / "r.db");
  SuperviseOptions options = kWorker;
  options.stop = &growth.stop;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, options, growth);
  REQUIRE(outcome.status == "cancelled");
  CHECK(growth.versions.size() >= 12);  // every 50 ms of 3 s, unless the machine is very busy
  const auto expected = summarise(Epochs(db).epochs(outcome.run), Epochs(db).layers(outcome.run), {}, 2);
  const auto latest = Runs(db).latest(outcome.run);
  for (const char* metric : {"compute_share", "exchange_wait_share", "synchronise_share", "rest_share",
                             "bytes_per_epoch", "flop_per_epoch", "balance", "epoch_seconds", "epochs"}) {
    CAPTURE(metric);
    CHECK(latest.at(metric) == Approx(expected.at(metric)));
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
    const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kWorker, quiet);
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
      superviseRun(db, Runs(db).addExperiment("test", ""), karate("vanilla", 2), kWorker, quiet);
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
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kWorker, quiet);
  INFO(outcome.error);
  CHECK(outcome.status == "completed");
  CHECK(Runs(db).workers(outcome.run).size() == 36);
}
