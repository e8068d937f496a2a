// Runs in mini-batches that are stopped within an epoch.
#include <atomic>
#include <catch2/catch.hpp>

#include "engine/methods/contract/forward_products.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate;

namespace {

/// Asks once the run has begun: 1, to stop where it can go on from; 2, now.
class StopAtOnce final : public RunObserver {
 public:
  explicit StopAtOnce(int signals = 1) : signals_(signals) {}
  void onStart(const RunRow&) override { stop = signals_; }
  std::atomic<int> stop{0};

 private:
  int signals_;
};

/// An epoch takes seconds: of modelled times some thousandfold.
RunSettings slow() {
  RunSettings run = karate("hyscale", 1);
  run.parameters["fanouts"] = std::string("2,2,3");
  run.parameters["global_batch"] = std::int64_t{3};
  run.parameters["cards"] = std::int64_t{1};
  run.parameters["dilation"] = 5'000.0;
  return run;
}

void requireSound(Database& database) {
  const CheckHelp help{[](const RunRow& row, const auto&) {
                         return MethodTraits{.lateEpochs = 0, .products = forwardProducts(row.model)};
                       },
                       {}};
  CHECK(checkRecording(database, help).faults == std::vector<std::string>());
}

}  // namespace

TEST_CASE("a run in mini-batches stops after the iteration that it is in, and keeps those before", "[run]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  StopAtOnce stops;
  SuperviseOptions options = test::kWorker;
  options.stop = &stops.stop;
  const RunOutcome outcome =
      superviseRun(database, Runs(database).addExperiment("test", ""), slow(), options, stops);
  INFO(outcome.error);
  CHECK(outcome.status == "cancelled");
  CHECK(outcome.exitStatus == 130);
  CHECK(Epochs(database).epochs(outcome.run).empty());
  const std::vector<IterationRow> iterations = Iterations(database).iterations(outcome.run);
  CHECK_FALSE(iterations.empty());
  CHECK(Hybrid(database).stages(outcome.run).size() == iterations.size() * 6);
  CHECK(Runs(database).artifact(outcome.run, "weights").has_value());
  requireSound(database);
}

TEST_CASE(
    "a run in mini-batches that is to stop now does not end its iteration, and what it recorded is sound",
    "[run]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  StopAtOnce stops(2);
  SuperviseOptions options = test::kWorker;
  options.stop = &stops.stop;
  RunSettings run = slow();
  run.parameters["dilation"] = 1e6;  // an iteration takes longer than a test may
  const RunOutcome outcome =
      superviseRun(database, Runs(database).addExperiment("test", ""), run, options, stops);
  INFO(outcome.error);
  CHECK(outcome.status == "cancelled");
  CHECK(outcome.exitStatus == 130);
  CHECK(Iterations(database).iterations(outcome.run).empty());
  requireSound(database);
}
