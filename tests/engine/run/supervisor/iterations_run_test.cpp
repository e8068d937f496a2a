// Whole runs in mini-batches, through mpirun and the worker program.
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "engine/methods/contract/forward_products.h"
#include "engine/model/layer.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate, test::kWorker;

namespace {

RunSettings batches(std::int64_t workers) {
  RunSettings run = karate("minibatch", workers);
  run.parameters["batch"] = std::int64_t{2};
  run.parameters["fanouts"] = std::string("2,2,3");
  run.training.epochs = 3;
  return run;
}

/// Recorded by the worker program, and found sound.
std::int64_t recorded(Database& database, const RunSettings& run) {
  RunObserver quiet;
  const RunOutcome outcome =
      superviseRun(database, Runs(database).addExperiment("test", ""), run, kWorker, quiet);
  INFO(outcome.error);
  REQUIRE(outcome.status == "completed");
  const CheckHelp help{[](const RunRow& row, const auto&) {
                         return MethodTraits{.lateEpochs = 0, .products = forwardProducts(row.model)};
                       },
                       {}};
  CHECK(checkRecording(database, help).faults == std::vector<std::string>());
  return outcome.run;
}

}  // namespace

TEST_CASE("a run in mini-batches records its iterations and blocks", "[run]") {
  for (const std::int64_t workers : {1, 3}) {
    CAPTURE(workers);
    const Scratch scratch;
    Database database(scratch / "r.db", Access::create);
    const std::int64_t run = recorded(database, batches(workers));
    const auto latest = Runs(database).latest(run);
    const std::vector<IterationRow> iterations = Iterations(database).iterations(run);
    CHECK(static_cast<double>(iterations.size()) == 3 * latest.at("iterations_per_epoch"));
    CHECK(Iterations(database).blocks(run).size() == at(3 * 3 * workers));
    CHECK(latest.at("iteration_seconds") > 0);
    CHECK(latest.at("sampled_arcs_per_second") > 0);
    CHECK(latest.at("effective_batch") == static_cast<double>(iterations.front().seeds));
    CHECK(Runs(database).parameters(run).at("result.iterations_every") == "1");
  }
}

TEST_CASE("the work of every layer kind is what its blocks and products make", "[run]") {
  for (const auto& [kind, entry] : registry<LayerEntry>()) {
    CAPTURE(kind);
    const Scratch scratch;
    Database database(scratch / "r.db", Access::create);
    RunSettings settings = batches(2);
    settings.model.kind = kind;
    recorded(database, settings);
  }
}

TEST_CASE("of iterations every N-th is recorded, or none, and sums are of all", "[run]") {
  for (const std::int64_t interval : {0, 2}) {
    CAPTURE(interval);
    const Scratch scratch;
    Database database(scratch / "r.db", Access::create);
    RunSettings settings = batches(2);
    settings.record.iterationsEvery = interval;
    const std::int64_t run = recorded(database, settings);
    const auto each = static_cast<std::int64_t>(Runs(database).latest(run).at("iterations_per_epoch"));
    const std::vector<IterationRow> iterations = Iterations(database).iterations(run);
    CHECK(std::ssize(iterations) == (interval == 0 ? 0 : (3 * each + interval - 1) / interval));
    for (const IterationRow& row : iterations) CHECK((row.epoch * each + row.iteration) % interval == 0);
    CHECK(Iterations(database).blocks(run).size() == 3 * 3 * 2);
  }
}

TEST_CASE("a run on the full graph records no iterations", "[run]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  const std::int64_t run = recorded(database, karate("vanilla", 1));
  CHECK(Iterations(database).iterations(run).empty());
  CHECK_FALSE(Runs(database).parameters(run).contains("result.iterations_every"));
}
