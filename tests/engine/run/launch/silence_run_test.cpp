// Runs of which a rank is stopped: they end, say what each rank did, and leave nothing behind.
#include <signal.h>

#include <catch2/catch.hpp>
#include <map>

#include "engine/methods/contract/method_entry.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "engine/run/supervisor/supervisor.h"
#include "tests/support/descendants.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

const SuperviseOptions kOptions{std::filesystem::path(kBinDir) / "haloscope-worker", nullptr};

RunSettings karate(std::int64_t workers) {
  RunSettings run;
  run.name = "karate";
  run.parameters = fallbacks(find<MethodEntry>("vanilla")->declaration.parameters);
  run.dataset.name = "karate";
  run.training.epochs = 1'000'000;
  run.cluster.workers = workers;
  run.record.staleness = 0;
  return run;
}

/// Sends a signal to a rank once an epoch is there.
class SignalRank final : public RunObserver {
 public:
  SignalRank(int rank, int signal) : rank_(rank), signal_(signal) {}
  void onEpoch(const RunRow&, const EpochRow&, std::int64_t) override {
    if (sent_) return;
    const pid_t pid = test::workerOfRank(rank_);
    REQUIRE(pid > 0);
    ::kill(pid, signal_);
    sent_ = true;
  }

 private:
  int rank_, signal_;
  bool sent_ = false;
};

}  // namespace

TEST_CASE("a stopped rank fails the run after cluster.silence_s, which tells what each rank did", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate(3);
  run.cluster.silenceS = 1;
  SignalRank stopper(1, SIGSTOP);
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, stopper);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 1);
  CHECK_THAT(outcome.error, Catch::StartsWith("nothing was heard for ") &&
                                Catch::Contains(" of rank 1 on ") &&
                                Catch::Contains("still heard of: ranks 0, 2 on ") &&
                                Catch::Contains("waits") && Catch::Contains("cluster.silence_s is 1"));
  CHECK(Runs(db).find(outcome.run)->status == "failed");
  CHECK(Runs(db).find(outcome.run)->error == outcome.error);
  REQUIRE_FALSE(Epochs(db).epochs(outcome.run).empty());
  for (const std::int64_t rank : {0, 2})  // they waited for a second, which is in the recording
    CHECK(std::ranges::any_of(Spans(db).all(outcome.run, rank), [](const Span& span) {
      return span.lane == Lane::main && span.kind != Kind::compute && span.durationNs > 500'000'000;
    }));
  CHECK(checkRecording(db).faults.empty());
  CHECK(test::descendants().empty());
}

TEST_CASE("ranks that end because another did say whom they waited for", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  SignalRank killer(1, SIGKILL);
  const RunOutcome outcome =
      superviseRun(db, Runs(db).addExperiment("test", ""), karate(3), kOptions, killer);
  CHECK(outcome.status == "failed");
  CHECK_THAT(outcome.error, Catch::Contains("rank 1 on ") && Catch::Contains("signal 9") &&
                                Catch::Contains("Last words: rank 0 on ") && Catch::Contains("; rank 2 on "));
  const auto log = Runs(db).artifact(outcome.run, "log");
  REQUIRE(log);
  CHECK(log->bytes.find("rank 2 on ") != std::string::npos);
  CHECK(log->bytes.find("haloscope-beat") == std::string::npos);
  CHECK(test::descendants().empty());
}

TEST_CASE("a run with long silences of its epochs is not ended: its ranks beat all the same", "[run]") {
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunSettings run = karate(2);
  run.training.epochs = 1;
  run.cluster.silenceS = 1;
  run.cluster.link = {"slow", 0.00001, 0, 0};  // gradients take seconds
  RunObserver quiet;
  const RunOutcome outcome = superviseRun(db, Runs(db).addExperiment("test", ""), run, kOptions, quiet);
  INFO(outcome.error);
  CHECK(outcome.status == "completed");
  REQUIRE(Epochs(db).epochs(outcome.run).size() == 1);
  CHECK(Epochs(db).epochs(outcome.run)[0].wallNs > 1'500'000'000);
}
