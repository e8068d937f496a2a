// Runs in mini-batches that were stopped go on in their place, as if they had not been.
#include <fmt/format.h>

#include <atomic>
#include <catch2/catch.hpp>

#include "engine/methods/contract/forward_products.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate, test::kWorker;

namespace {

/// Stops once an epoch is there; −1: as soon as the workers are.
class StopAfter final : public RunObserver {
 public:
  explicit StopAfter(std::int64_t epoch) : epoch_(epoch) {}
  void onStart(const RunRow&) override { note(-1); }
  void onEpoch(const RunRow&, const EpochRow& row, std::int64_t) override { note(row.epoch); }
  std::atomic<int> stop{0};

 private:
  void note(std::int64_t epoch) {
    if (epoch >= epoch_) stop = 1;
  }
  std::int64_t epoch_;
};

/// Epochs enough that a stop comes before the last.
RunSettings runOf(const std::string& method, std::int64_t workers) {
  RunSettings run = karate(method, workers);
  if (method != "p2p-minibatch") run.parameters["fanouts"] = std::string("2,2,3");
  if (method == "p2p-minibatch") run.parameters["budget"] = std::int64_t{12};
  if (run.parameters.contains("batch")) run.parameters["batch"] = std::int64_t{2};
  if (method == "hyscale") {
    run.parameters["cards"] = std::int64_t{1};
    run.parameters["clock"] = std::string("virtual");
    run.parameters["window"] = std::int64_t{2};
  }
  run.model.dropout = 0.5;
  run.training.epochs = 2000;
  run.training.evaluateEvery = 1000;
  run.record.spansEvery = 50;
  return run;
}

struct Ended {
  std::vector<EpochRow> epochs;
  RunOutcome outcome;
  std::vector<std::string> faults;
};

Ended supervised(Database& database, const RunSettings& run, std::int64_t stopAfter,
                 std::int64_t goesOn = 0) {
  StopAfter stops(stopAfter);
  SuperviseOptions options = kWorker;
  if (stopAfter < run.training.epochs) options.stop = &stops.stop;
  options.goesOn = goesOn;
  Ended ended;
  ended.outcome = superviseRun(database, Runs(database).addExperiment("test", ""), run, options, stops);
  ended.epochs = Epochs(database).epochs(ended.outcome.run);
  const CheckHelp help{[](const RunRow& row, const auto&) {
                         return MethodTraits{.lateEpochs = 0, .products = forwardProducts(row.model)};
                       },
                       {}};
  ended.faults = checkRecording(database, help).faults;
  return ended;
}

}  // namespace

TEST_CASE("a run that was stopped goes on in its place with the same bits", "[run]") {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"minibatch", 2}, {"distdglv2", 2}, {"p3", 2}, {"pagraph", 2}, {"p2p-minibatch", 2}, {"hyscale", 1}};
  for (const auto& [method, workers] : cases) {
    CAPTURE(method);
    RunSettings run = runOf(method, workers);
    const Scratch scratch;
    Database database(scratch / "r.db", Access::create);
    CHECK(resumableRun(database, run) == 0);
    const Ended stopped = supervised(database, run, 4);
    REQUIRE(stopped.outcome.status == "cancelled");
    // the FLOP of p3's layer 0 are on every worker: a rule that the help below does not know
    const bool checks = std::string(method) != "p3";
    if (checks) CHECK(stopped.faults == std::vector<std::string>());
    REQUIRE(resumableRun(database, run) == stopped.outcome.run);
    const Ended again = supervised(database, run, 8, stopped.outcome.run);
    REQUIRE(again.outcome.status == "cancelled");
    CHECK(again.epochs.size() > stopped.epochs.size());
    if (checks) CHECK(again.faults == std::vector<std::string>());
    run.training.epochs = std::ssize(again.epochs);
    Database other(scratch / "other.db", Access::create);
    const Ended uninterrupted = supervised(other, run, run.training.epochs);
    REQUIRE(uninterrupted.outcome.status == "completed");
    for (std::size_t epoch = 0; epoch < uninterrupted.epochs.size(); ++epoch) {
      CAPTURE(epoch);
      const double loss = uninterrupted.epochs[epoch].loss;
      REQUIRE(again.epochs[epoch].loss == loss);
      if (epoch == stopped.epochs.size())  // the first of those that it went on with
        REQUIRE(again.epochs[epoch].beginNs >=
                again.epochs[epoch - 1].beginNs + again.epochs[epoch - 1].wallNs);
    }
  }
}

TEST_CASE("what a run recorded after its checkpoint goes before it goes on", "[run]") {
  RunSettings run = runOf("minibatch", 1);
  run.record.spansEvery = 1;
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  const Ended stopped = supervised(database, run, 5);
  REQUIRE(stopped.outcome.status == "cancelled");
  const auto last = stopped.epochs.back();
  // rows that the checkpoint does not know
  Epochs(database).append(
      stopped.outcome.run,
      std::vector<EpochRow>{{.epoch = last.epoch + 1, .beginNs = last.beginNs + last.wallNs}});
  const std::vector<Span> spans = {
      {.beginNs = 1, .durationNs = 1, .epoch = static_cast<std::int32_t>(last.epoch)},
      {.beginNs = 2, .durationNs = 1, .epoch = 2999}};
  Spans(database).append(stopped.outcome.run, 0, spans);
  const std::int64_t count = Spans(database).count(stopped.outcome.run);
  Spans(database).dropFrom(stopped.outcome.run, last.epoch + 1, 0);
  CHECK(Spans(database).count(stopped.outcome.run) == count - 1);
  RunObserver quiet;
  const RunOutcome failed =  // of workers that never start: all that is there stays
      superviseRun(database, Runs(database).addExperiment("test", ""), run,
                   {.worker = scratch / "no-worker", .goesOn = stopped.outcome.run}, quiet);
  CHECK(failed.status == "failed");
  CHECK(failed.run == stopped.outcome.run);
  CHECK(Epochs(database).epochs(stopped.outcome.run).size() == stopped.epochs.size() + 1);
  CHECK(Spans(database).count(stopped.outcome.run) == count - 1);
  const Ended again = supervised(database, run, last.epoch + 5, stopped.outcome.run);
  REQUIRE(again.outcome.status == "cancelled");
  for (std::size_t epoch = 0; epoch < again.epochs.size(); ++epoch)
    CHECK(again.epochs[epoch].epoch == static_cast<std::int64_t>(epoch));
}
