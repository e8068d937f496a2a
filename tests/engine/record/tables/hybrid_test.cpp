#include "engine/record/tables/hybrid.h"

#include <catch2/catch.hpp>

#include "engine/record/tables/runs.h"
#include "engine/record/tables/spans.h"
#include "tests/support/scratch.h"

using namespace halo;

namespace {

const DecisionRow kOpen{.decision = 3,
                        .epoch = 1,
                        .iteration = 2,
                        .action = MappingAction::threads,
                        .takenFrom = MappingPart::load,
                        .givenTo = MappingPart::train,
                        .cpuSeeds = 10,
                        .cardSeeds = 20,
                        .sampleThreads = 4,
                        .loadThreads = 5,
                        .trainThreads = 6,
                        .cardSampleShare = 0.5,
                        .beforeNs = 100};

}  // namespace

TEST_CASE("actors and stages come back as they were recorded", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  Hybrid table(database);
  const ActorRow actors[] = {{0, 0, "sample", ActorKind::sampler, ActorDevice::host},
                             {1, 0, "card 2: train", ActorKind::trainer, ActorDevice::modelled}};
  table.setActors(run, actors);
  BatchRows rows;
  rows.stages = {{1, 0, BatchStage::synchronise, 1, 10, 20, 0, 5, 6, 30, 7, 800, 2},
                 {1, 0, BatchStage::load, 0, 1, 2, 3, {}, {}, {}, {}, 0, 0}};
  table.append(run, rows);

  REQUIRE(table.actors(run).size() == 2);
  CHECK(table.actors(run)[1].name == "card 2: train");
  CHECK(table.actors(run)[1].kind == ActorKind::trainer);
  CHECK(table.actors(run)[1].device == ActorDevice::modelled);
  const std::vector<StageRow> stages = table.stages(run);
  REQUIRE(stages.size() == 2);
  CHECK(stages[0].stage == BatchStage::load);  // before what comes after it, whatever the words
  CHECK(stages[0].waitNs == 3);
  CHECK_FALSE(stages[0].plannedEndNs);
  CHECK(stages[1].modelledNs == 5);
  CHECK(stages[1].plannedNs == 6);
  CHECK(stages[1].plannedEndNs == 30);
  CHECK(stages[1].predictedNs == 7);
  CHECK(stages[1].bytes == 800);
  CHECK(stages[1].queued == 2);
  CHECK(table.stages(run, 2).empty());
}

TEST_CASE("a decision is recorded once more when it is judged", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  Hybrid table(database);
  BatchRows rows;
  rows.decisions = {kOpen};
  table.append(run, rows);
  CHECK(table.decisions(run).at(0).outcome == DecisionOutcome::open);
  CHECK_FALSE(table.decisions(run).at(0).afterNs);
  rows.decisions[0].outcome = DecisionOutcome::undone, rows.decisions[0].afterNs = 101;
  table.append(run, rows);
  REQUIRE(table.decisions(run).size() == 1);
  const DecisionRow judged = table.decisions(run).front();
  CHECK(judged.iteration == 2);
  CHECK(judged.action == MappingAction::threads);
  CHECK(judged.takenFrom == MappingPart::load);
  CHECK(judged.givenTo == MappingPart::train);
  CHECK(judged.trainThreads == 6);
  CHECK(judged.cardSampleShare == 0.5);
  CHECK(judged.beforeNs == 100);
  CHECK(judged.afterNs == 101);
  CHECK(judged.outcome == DecisionOutcome::undone);
}

TEST_CASE("words of actors, stages and decisions are found again, and no others", "[record]") {
  for (const MappingAction action : {MappingAction::start, MappingAction::threads, MappingAction::rest})
    CHECK(mappingActionOf(text(action)) == action);
  CHECK(batchStageOf(text(BatchStage::propagate)) == BatchStage::propagate);
  CHECK(mappingPartOf("") == MappingPart::none);
  CHECK_FALSE(actorKindOf("").has_value());
  CHECK_FALSE(decisionOutcomeOf("lost").has_value());
}

TEST_CASE("a block of spans says which actor they are of", "[record]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  const std::int64_t run = Runs(database).add({});
  const Span span;
  Spans(database).append(run, 0, std::span(&span, 1));
  Spans(database).append(run, 0, std::span(&span, 1), 4);
  const std::vector<SpanBlockInfo> blocks = Spans(database).blocks(run);
  REQUIRE(blocks.size() == 2);
  CHECK_FALSE(blocks[0].actor);
  CHECK(blocks[1].actor == 4);
}
