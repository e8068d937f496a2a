// What a simulated node records of its mini-batches: held to the rules of recordings, and to its own figures.
#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/record/analysis/mapping_changes.h"
#include "engine/record/analysis/stage_times.h"
#include "engine/record/check/check_recording.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/runs.h"
#include "tests/app/program.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr std::int64_t kIterations = 120, kBatch = 5120, kOfAnEpoch = 39;

Database simulated(const Program& haloscope, const std::string& keys) {
  const Ended ended =
      haloscope({"simulate",
                 haloscope.file(
                     "a.toml",
                     "schema = 1\n[dataset]\nname = \"products-like\"\nscale = 0.002\n[model]\nhidden = 256\n"
                     "[[simulate]]\nplatform.name = \"hyscale-u250\"\nsizes = \"hp-gnn\"\n"
                     "train_vertices = 196615\niterations = 120\n" +
                         keys)});
  CAPTURE(ended.error);
  REQUIRE(ended.status == 0);
  return Database(haloscope.folder() / "recordings.db", Access::readOnly);
}

}  // namespace

TEST_CASE("a simulated node records iterations, stages and decisions that agree", "[app]") {
  const Program haloscope;
  const std::string modes = "mode = [\"serial\", \"baseline\", \"hybrid\", \"managed\", \"two-stage\"]\n";
  Database database = simulated(haloscope, modes);
  CHECK(checkRecording(database).faults == std::vector<std::string>());
  for (std::int64_t run = 1; run <= 5; ++run) {
    CAPTURE(run);
    const std::vector<IterationRow> iterations = Iterations(database).iterations(run);
    REQUIRE(std::ssize(iterations) == kIterations);
    CHECK(iterations.back().epoch == (kIterations - 1) / kOfAnEpoch);
    CHECK(iterations.back().iteration == (kIterations - 1) % kOfAnEpoch);
    CHECK(iterations[7].seeds == kBatch);
    CHECK(iterations[7].arcs > 0);
    CHECK(iterations[7].modelledNs == iterations[7].wallNs);
    CHECK_FALSE(iterations[7].loss);
    const auto rows = Hybrid(database).stages(run);
    const std::vector<StageSeries> stages = stagesOver(rows);
    CHECK(stages.size() == kBatchStages);
    for (const StageSeries& stage : stages) {
      CHECK(std::ssize(stage.batches) == kIterations);
      CHECK(stage.predictedNs.value() > 0);
      CHECK(stage.plannedNs == stage.measuredNs);
    }
    CHECK(Hybrid(database).decisions(run).size() >= 1);
  }
}

TEST_CASE("what a simulated manager decided is recorded as it came about", "[app]") {
  const Program haloscope;
  Database database = simulated(haloscope, "mode = [\"hybrid\", \"managed\"]\n");
  const Runs runs(database);
  const std::vector<DecisionRow> alone = Hybrid(database).decisions(1);
  REQUIRE(alone.size() == 1);
  CHECK(alone[0].action == MappingAction::start);
  CHECK(alone[0].cpuSeeds == 2428);  // the worked example: B_C, B_A and threads by the model
  CHECK(alone[0].cardSeeds == 673);
  CHECK(alone[0].sampleThreads == 42);

  const std::vector<DecisionRow> decisions = Hybrid(database).decisions(2);
  REQUIRE(decisions.size() > 1);
  CHECK(decisions[1].iteration == 7);  // after the first window, whose iterations have all stages at work
  CHECK(decisions[1].action == MappingAction::work);
  // ns, the worked example: 2.7004 → 2.6228 → 2.5728 → 2.5402 ms
  CHECK(static_cast<double>(decisions[1].afterNs.value()) == Approx(2'622'800).epsilon(1e-4));
  CHECK(decisions[3].cpuSeeds == 2684);
  CHECK(decisions[3].cardSeeds == 609);
  CHECK(decisions[1].beforeNs == decisions[0].afterNs);
  const auto tried = std::ranges::count_if(decisions, [](const DecisionRow& row) {
    return row.action != MappingAction::start && row.action != MappingAction::rest;
  });
  CHECK(static_cast<double>(tried) == runs.latest(2).at("decisions"));
  CHECK(std::ranges::any_of(decisions, [](const DecisionRow& row) {
    return row.outcome == DecisionOutcome::kept && row.action != MappingAction::start;
  }));
  CHECK(std::ranges::any_of(decisions,
                            [](const DecisionRow& row) { return row.outcome == DecisionOutcome::undone; }));
  for (const MappingShares& shares : sharesOver(decisions, kBatch))
    CHECK(shares.sampleThreads + shares.loadThreads + shares.trainThreads == Approx(1));
}

TEST_CASE("actors of a simulated node are its lanes", "[app]") {
  const Program haloscope;
  Database database = simulated(haloscope, "mode = \"hybrid\"\n");
  const std::vector<ActorRow> actors = Hybrid(database).actors(1);
  REQUIRE(actors.size() == 6);  // cards of this node do not sample
  for (std::size_t i = 0; i < actors.size(); ++i) {
    CHECK(actors[i].actor == static_cast<std::int64_t>(i));
    CHECK(actors[i].rank == static_cast<std::int64_t>(i));
    CHECK(actors[i].device == ActorDevice::modelled);
  }
  CHECK(actors[2].name == "transfer");
  CHECK(actors[2].kind == ActorKind::link);
  const std::vector<StageSeries> transfers = stagesOver(Hybrid(database).stages(1), 2);
  REQUIRE(transfers.size() == 1);
  CHECK(transfers[0].measuredNs == Approx(1'683'900).epsilon(1e-4));  // ns, the worked example: metered, one
}
