// What a worker says of actors, in the recording.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/iterations.h"
#include "engine/record/tables/spans.h"
#include "engine/run/supervisor/run_recorder.h"
#include "tests/support/scratch.h"

using namespace halo;

TEST_CASE("a worker's actors, stages, decisions and their spans are recorded", "[run]") {
  const Scratch folder;
  Database database(folder / "r.db", Access::create);
  RunRow row;
  row.id = Runs(database).add(row);
  RunSettings settings;
  settings.cluster.workers = 1;
  RunObserver quiet;
  RunRecorder recorder(database, row, settings, quiet);
  nlohmann::json started = {{"workers", nlohmann::json::parse(workersToJson({WorkerRow()}))},
                            {"marks", {"modelled devices"}},
                            {"dataset", "karate"},
                            {"layer_orders", "aggregate-first 2"},
                            {"late_epochs", 0}};
  started["actors"] = nlohmann::json::parse(
      actorsToJson({{0, 0, "sample", ActorKind::sampler, ActorDevice::host},
                    {1, 0, "card 0: train", ActorKind::trainer, ActorDevice::modelled}}));
  recorder.take({FrameType::started, started.dump()});
  CHECK(Hybrid(database).actors(row.id).size() == 2);

  BatchRows rows;
  rows.iterations = {{.wallNs = 100, .modelledNs = 50, .seeds = 2}};
  rows.stages = {{.stage = BatchStage::sample}, {.stage = BatchStage::propagate, .actor = 1}};
  rows.decisions = {{.decision = 0, .cpuSeeds = 1}};
  Span computed;
  computed.durationNs = 30;
  EpochBatch epochs;
  epochs.epochs = {{.wallNs = 100, .loss = 1}};
  LayerRow layer;
  layer.sampleNs = 120;  // of two actors
  epochs.layers = {layer};
  recorder.take({FrameType::spans, encodeSpans({0, {computed}, 1})});
  recorder.take({FrameType::iterations, encodeBatches(rows)});
  recorder.take({FrameType::epochs, encodeEpochs(epochs)});
  CHECK(Hybrid(database).stages(row.id).size() == 2);
  CHECK(Hybrid(database).decisions(row.id).at(0).cpuSeeds == 1);
  CHECK(Iterations(database).iterations(row.id).at(0).modelledNs == 50);
  REQUIRE(Spans(database).blocks(row.id).size() == 1);
  CHECK(Spans(database).blocks(row.id)[0].actor == 1);
  CHECK(Runs(database).latest(row.id).at("compute_share") == 0.6);
}
