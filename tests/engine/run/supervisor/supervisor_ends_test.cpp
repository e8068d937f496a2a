// Runs that are killed, stopped or fail: what they say, and what is kept of them.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/base/clock.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "engine/run/supervisor/supervisor.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/support/descendants.h"
#include "tests/support/graphs.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate, test::kWorker;

namespace {

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

/// Stops at once when the graph is divided.
class StopWhilePartitioning final : public RunObserver {
 public:
  void onProgress(const RunRow&, const std::string& stage, double) override {
    if (stage.starts_with("partitioning")) stop = 2;
  }
  std::atomic<int> stop{0};
};

class StopAfterFirst final : public RunObserver {
 public:
  void onEpoch(const RunRow&, const EpochRow&, std::int64_t) override { stop = 1; }
  std::atomic<int> stop{0};
};

}  // namespace

TEST_CASE("a rank ended by SIGKILL fails the run within five seconds and loses nothing", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 3);
  run.training.epochs = 1'000'000;
  KillRank killer(1);
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kWorker, killer);
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
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kWorker, killer);
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
  SuperviseOptions options = kWorker;
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
  SuperviseOptions options = kWorker;
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

TEST_CASE("a diverging run keeps its epochs and fails with the epoch and what may help", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate(GENERATE("vanilla", "pipegcn", "distgnn"), GENERATE(1, 4));
  run.training.optimizer = "sgd";
  run.training.learningRate = 1e30;
  run.training.epochs = 50;
  RunObserver quiet;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kWorker, quiet);
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
  SuperviseOptions options = kWorker;
  options.stop = &stop;
  RunObserver quiet;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, options, quiet);
  CHECK(outcome.status == "cancelled");
  CHECK(Epochs(db).epochs(outcome.run).size() <= 100);
}

TEST_CASE("a data set that is not there fails the run with exit status 2 and what is known", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate("vanilla", 2);
  run.dataset.name = "no-such-graph";
  RunObserver quiet;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kWorker, quiet);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 2);
  CHECK_THAT(outcome.error, Catch::Contains("no-such-graph"));
}
