// What a method with several actors hands over, until it leaves rank 0.
#include <catch2/catch.hpp>

#include "engine/base/index.h"
#include "engine/run/worker/reporter.h"

using namespace halo;

namespace {

class Acting final : public Method {
 public:
  double runEpoch(std::int32_t) override { return 0; }
  EpochRow evaluate() override { return {}; }
  void keepForEvaluation() override {}
  std::vector<EpochRow> evaluateKept() override { return {}; }
  std::vector<Staleness> probeStaleness() override { return {}; }
  Memory memory() const override { return {}; }
};

/// Frames as they come to the supervisor.
struct Sent {
  BatchRows rows;
  std::vector<SpanBatch> spans;
  std::vector<LayerRow> layers;
  void take(FrameType type, const std::string& payload) {
    if (type == FrameType::iterations) rows = decodeBatches(payload);
    if (type == FrameType::spans) spans.push_back(decodeSpans(payload));
    if (type == FrameType::epochs) layers = decodeEpochs(payload).layers;
  }
};

Span sampled(std::int32_t epoch) {
  Span span;
  span.beginNs = 120, span.durationNs = 30, span.epoch = epoch, span.name = Name::sample;
  return span;
}

}  // namespace

TEST_CASE("stages, decisions and spans of actors leave with the epoch, on the run's clock", "[reporter]") {
  Tracer tracer;
  Communicator comm(MPI_COMM_WORLD, tracer);
  Sent sent;
  const std::int64_t originNs = 100;
  Reporter reporter(
      comm, {}, originNs, /*spansEvery=*/2,
      [](std::int64_t, const std::vector<RowTable>&) { return std::vector<PredictedVolume>{}; },
      [&](FrameType type, const std::string& payload) { sent.take(type, payload); });
  reporter.recordIterations(2);
  const std::int64_t actor = comm.rank();
  const std::vector<ActorSpans> spans = {{actor, {sampled(0), sampled(1)}}};
  DecisionRow decision;
  for (std::int64_t i = 0; i < 2; ++i) {
    const StageRow stage{
        .iteration = i, .actor = actor, .beginNs = 120, .busyNs = 30, .plannedEndNs = 155, .predictedNs = 9};
    decision.decision = i;
    reporter.add({.number = i,
                  .step = i,
                  .beginNs = 110,
                  .endNs = 210,
                  .modelledNs = 50,
                  .stages = std::span(&stage, 1),
                  .decisions = comm.rank() == 0 ? std::span<const DecisionRow>(&decision, 1)
                                                : std::span<const DecisionRow>(),
                  .actors = i == 0 ? std::span<const ActorSpans>(spans) : std::span<const ActorSpans>()});
  }
  Acting method;
  reporter.add({}, 0, 1, method, {});
  reporter.flush();
  if (comm.rank() != 0) return;
  const auto ranks = at(comm.size());
  REQUIRE(sent.rows.iterations.size() == 1);  // every second
  CHECK(sent.rows.iterations[0].modelledNs == 50);
  REQUIRE(sent.rows.stages.size() == ranks);
  CHECK(sent.rows.stages.back().actor == std::ssize(sent.rows.stages) - 1);
  CHECK(sent.rows.stages[0].beginNs == 20);
  CHECK(sent.rows.stages[0].plannedEndNs == 55);
  CHECK(sent.rows.stages[0].predictedNs == 9);  // a duration
  CHECK(sent.rows.decisions.size() == 2);       // all of them
  std::int64_t ofActors = 0;
  for (const SpanBatch& batch : sent.spans)
    if (batch.actor != kNoActor) {
      ++ofActors;
      CHECK(batch.actor == batch.rank);
      REQUIRE(batch.spans.size() == 1);  // that of epoch 1 is not recorded
      CHECK(batch.spans[0].beginNs == 20);
    }
  CHECK(ofActors == comm.size());
  REQUIRE(sent.layers.size() == ranks);
  for (const LayerRow& row : sent.layers) CHECK(row.sampleNs == 60);  // of both
}
