// The shipped experiment samplers-accuracy.toml: sampled training learns as well as full-graph training.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>

#include "app/program/known.h"
#include "engine/record/tables/runs.h"
#include "engine/run/supervisor/supervisor.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"
#include "tests/support/shared_data.h"

using namespace halo;

namespace {

constexpr double kPoints = 0.015;

struct Scores {
  std::vector<double> values;
  double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  double deviation() const {
    double squares = 0;
    for (const double value : values) squares += (value - mean()) * (value - mean());
    return std::sqrt(squares / static_cast<double>(values.size()));
  }
};

}  // namespace

TEST_CASE("sampled training is within 1.5 points of full-graph training on four real graphs", "[.nightly]") {
  const auto data = sharedData("data");
  if (data.empty()) return;
  ::setenv("HALO_DATA", data.c_str(), 1);
  const Scratch scratch;
  Database db(scratch / "r.db", Access::create);
  const std::int64_t experiment = Runs(db).addExperiment("samplers-accuracy", "");
  RunObserver quiet;
  std::map<std::string, std::map<std::string, Scores>> scores;  // by data set, then method
  for (const RunSettings& run :
       readExperiment(std::filesystem::path(kSourceDir) / "resources/experiments/samplers-accuracy.toml",
                      knownHere())
           .runs) {
    const RunOutcome outcome = superviseRun(
        db, experiment, run, {std::filesystem::path(kBinDir) / "haloscope-worker", nullptr}, quiet);
    INFO(outcome.error);
    REQUIRE(outcome.status == "completed");
    scores[run.dataset.name][run.method].values.push_back(
        Runs(db).latest(outcome.run).at("test_at_best_valid"));
  }
  ::unsetenv("HALO_DATA");
  CHECK(scores.size() == 4);
  for (const auto& [dataset, byMethod] : scores) {
    REQUIRE(byMethod.size() == 2);
    const Scores &full = byMethod.at("single"), &sampled = byMethod.at("minibatch");
    CHECK(full.values.size() == 5);
    CHECK(sampled.values.size() == 5);
    WARN(fmt::format("{}: full graph {:.2f} ± {:.2f} %, sampled {:.2f} ± {:.2f} %", dataset,
                     100 * full.mean(), 100 * full.deviation(), 100 * sampled.mean(),
                     100 * sampled.deviation()));
    CHECK(std::abs(sampled.mean() - full.mean()) <= kPoints);
  }
}
