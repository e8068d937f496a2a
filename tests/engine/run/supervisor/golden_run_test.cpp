// Whole runs on Cora from the weights of an independent implementation follow its losses at every epoch.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/methods/contract/method_entry.h"
#include "engine/record/tables/epochs.h"
#include "engine/record/tables/runs.h"
#include "engine/run/supervisor/supervisor.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"
#include "tests/support/shared_data.h"

using namespace halo;

namespace {

RunSettings golden(const std::string& kind, const std::filesystem::path& weights, std::int64_t workers) {
  RunSettings run;
  run.method = workers == 1 ? "single" : "vanilla";
  run.parameters = fallbacks(find<MethodEntry>(run.method)->declaration.parameters);
  run.dataset.name = sharedData("data/cora").string();
  run.model.kind = kind;
  run.model.layers = 3;
  run.model.hidden = 32;
  run.training.epochs = 20;
  run.training.learningRate = kind == "gin" ? 0.001 : 0.01;
  run.training.initialWeights = weights.string();
  run.cluster.workers = workers;
  return run;
}

}  // namespace

TEST_CASE("runs on one and four workers follow the golden losses", "[run][golden]") {
  const auto kind = GENERATE(as<std::string>{}, "gcn", "graphsage", "gin");
  const auto workers = GENERATE(1, 4);
  CAPTURE(kind, workers);
  const auto folder = sharedData("golden/cora-" + kind);
  if (folder.empty() || sharedData("data/cora").empty()) return;
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "losses.json"));
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  RunObserver quiet;
  const RunOutcome outcome =
      superviseRun(db, Runs(db).addExperiment("golden", ""), golden(kind, folder / "weights.npz", workers),
                   {std::filesystem::path(kBinDir) / "haloscope-worker", nullptr}, quiet);
  INFO(outcome.error);
  const auto epochs = Epochs(db).epochs(outcome.run);
  REQUIRE(epochs.size() == 20);
  REQUIRE(expected.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) {
    CAPTURE(i);
    const double loss = expected[i].at("loss");
    // 1e-4 relative, absolute 1e-5 once the loss is below 0.05
    CHECK(std::abs(epochs[i].loss - loss) <= (loss < 0.05 ? 1e-5 : 1e-4 * loss));
  }
}
