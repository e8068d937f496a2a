// Whole runs of hyscale in which one actor throws, at every stage.
#include <catch2/catch.hpp>

#include "engine/methods/contract/forward_products.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "tests/engine/run/supervisor/karate_run.h"
#include "tests/engine/run/supervisor/rehearsed.h"
#include "tests/support/descendants.h"
#include "tests/support/scratch.h"

using namespace halo;
using test::karate, test::kWorker, test::Rehearsed;

namespace {

constexpr std::int64_t kStep = 10;  // in the second of three epochs of seven iterations

/// Where it throws, who does, and how many iterations before it are over by then: what is fetched ahead of
/// training throws earlier.
struct Place {
  std::string task, actor;
  std::int64_t over = 0;
};
const std::vector<Place> kPlaces = {
    {"draw 0", "sampler", kStep - 3},         {"sample 0", "sampler", kStep - 3},
    {"load 0", "loader", kStep - 2},          {"transfer 2", "link card 1", kStep - 1},
    {"train 0", "trainer processors", kStep}, {"train 1", "trainer card 0", kStep},
    {"train 2", "trainer card 1", kStep},     {"synchronise 0", "synchroniser", kStep},
    {"step 0", "trainer processors", kStep},  {"step 2", "trainer card 1", kStep},
};

RunSettings twoCards(const std::string& device, const std::string& clock) {
  RunSettings run = karate("hyscale", 1);
  run.parameters["fanouts"] = std::string("2,2,3");
  run.parameters["global_batch"] = std::int64_t{3};
  run.parameters["cards"] = std::int64_t{2};
  run.parameters["device"] = device;
  run.parameters["clock"] = clock;
  run.training.epochs = 3;
  run.record.iterationsEvery = 1;
  return run;
}

void requireSound(Database& database) {
  const CheckHelp help{[](const RunRow& row, const auto&) {
                         return MethodTraits{.lateEpochs = 0, .products = forwardProducts(row.model)};
                       },
                       {}};
  CHECK(checkRecording(database, help).faults == std::vector<std::string>());
}

void requireThrown(const RunSettings& run, const Place& place) {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  RunObserver quiet;
  const Rehearsed throws("throw " + place.task + " " + std::to_string(kStep));
  const RunOutcome outcome =
      superviseRun(database, Runs(database).addExperiment("test", ""), run, kWorker, quiet);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 1);
  CHECK(outcome.error == place.actor + ": throws, as was rehearsed");
  CHECK(Runs(database).find(outcome.run)->error == outcome.error);
  CHECK(Epochs(database).epochs(outcome.run).size() == 1);
  CHECK(std::ssize(Iterations(database).iterations(outcome.run)) == place.over);
  // three trainers, two links; sampler, loader and synchroniser
  CHECK(std::ssize(Hybrid(database).stages(outcome.run)) == 8 * place.over);
  requireSound(database);
  CHECK(test::descendants().empty());
}

}  // namespace

TEST_CASE("an actor that throws ends the run by its name, and what was recorded is kept and sound", "[run]") {
  for (const Place& place : kPlaces) {
    CAPTURE(place.task);
    requireThrown(twoCards("modelled", "virtual"), place);
  }
}

TEST_CASE("an actor that throws beside others on this machine's threads ends all of them", "[run]") {
  for (const Place& place : kPlaces) {
    CAPTURE(place.task);
    requireThrown(twoCards("host", "real"), place);
  }
}

TEST_CASE("a dilation that this machine cannot keep up with ends the run before it trains, and it is sound",
          "[run]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  RunSettings run = twoCards("modelled", "real");
  run.parameters["dilation"] = 1.0;
  RunObserver quiet;
  const RunOutcome outcome =
      superviseRun(database, Runs(database).addExperiment("test", ""), run, kWorker, quiet);
  CHECK(outcome.status == "failed");
  CHECK(outcome.exitStatus == 2);
  CHECK_THAT(outcome.error, Catch::Contains("run.dilation: 1 cannot be used; '") &&
                                Catch::Contains("on this machine; at least "));
  CHECK(Epochs(database).epochs(outcome.run).empty());
  requireSound(database);
}

TEST_CASE("an update that no task of the run throws in changes nothing", "[run]") {
  const Scratch scratch;
  Database database(scratch / "r.db", Access::create);
  RunObserver quiet;
  const Rehearsed throws("throw train 7 10, throw load 0 1000");
  const RunOutcome outcome = superviseRun(database, Runs(database).addExperiment("test", ""),
                                          twoCards("modelled", "virtual"), kWorker, quiet);
  CHECK(outcome.status == "completed");
  CHECK(outcome.error.empty());
}
