#include "engine/run/protocol/frame.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

std::string stream() {
  return "a stray line\n" + encode(FrameType::progress, "{}") + "another\nhalf" +
         encode(FrameType::stop, "") + encode(FrameType::artifact, std::string("\0HALOFRM1\n", 10));
}

}  // namespace

TEST_CASE("frames are found among stray text, however the bytes are cut", "[frame]") {
  const std::string bytes = stream();
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    FrameReader reader;
    std::vector<Frame> frames;
    std::vector<std::string> text;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      for (Frame& frame : reader.feed(std::string_view(bytes).substr(at, piece)))
        frames.push_back(std::move(frame));
      for (std::string& line : reader.takeText()) text.push_back(std::move(line));
    }
    CAPTURE(piece);
    REQUIRE(frames.size() == 3);
    CHECK(frames[0].payload == "{}");
    CHECK(frames[1].type == FrameType::stop);
    CHECK(frames[2].payload == std::string("\0HALOFRM1\n", 10));
    CHECK(text == std::vector<std::string>{"a stray line", "another"});
  }
}

TEST_CASE("a damaged frame is reported and the next one still read", "[frame]") {
  std::string damaged = encode(FrameType::progress, "{\"what\":1}");
  damaged.back() ^= 1;
  FrameReader reader;
  const auto frames = reader.feed(damaged + encode(FrameType::stop, ""));
  REQUIRE(frames.size() == 1);
  CHECK(frames[0].type == FrameType::stop);
  CHECK(reader.takeText() == std::vector<std::string>{"a frame from the worker is damaged and was left out"});
}

TEST_CASE("epoch rows survive the pipe, absent scores too", "[frame]") {
  EpochBatch batch;
  batch.epochs.push_back({.epoch = 3,
                          .beginNs = 10,
                          .wallNs = 20,
                          .loss = 0.5,
                          .train = 0.25,
                          .valid = std::nullopt,
                          .test = 1.0});
  batch.layers.push_back({.epoch = 3, .rank = 1, .layer = 2, .pass = Pass::forward, .bytesSent = 99});
  batch.messages.push_back({3, 2, Pass::forward, 0, 1, 1, 99, 98});
  const EpochBatch back = decodeEpochs(encodeEpochs(batch));
  REQUIRE(back.epochs.size() == 1);
  CHECK(back.epochs[0].train == 0.25);
  CHECK_FALSE(back.epochs[0].valid.has_value());
  CHECK(back.epochs[0].test == 1.0);
  REQUIRE(back.layers.size() == 1);
  CHECK(back.layers[0].bytesSent == 99);
  REQUIRE(back.messages.size() == 1);
  CHECK(back.messages[0].predictedBytes == 98);
}

TEST_CASE("a batch that ends early is refused, never read past", "[frame]") {
  const std::string payload = encodeSpans({1, std::vector<Span>(4)});
  for (std::size_t size = 0; size < payload.size(); ++size)
    CHECK_THROWS(decodeSpans(std::string_view(payload).substr(0, size)));
  CHECK(decodeSpans(payload).spans.size() == 4);
}

TEST_CASE("workers survive the pipe", "[frame]") {
  const std::vector<WorkerRow> workers = {
      {.rank = 1, .host = "node1", .threads = 3, .vertices = 5, .clockOffsetNs = -7}};
  const auto back = workersFromJson(workersToJson(workers));
  REQUIRE(back.size() == 1);
  CHECK(back[0].host == "node1");
  CHECK(back[0].threads == 3);
  CHECK(back[0].clockOffsetNs == -7);
}

TEST_CASE("actors, stages and decisions travel as they are, and words that are none are refused", "[frame]") {
  const std::vector<ActorRow> actors =
      actorsFromJson(actorsToJson({{3, 1, "card 2: train", ActorKind::trainer, ActorDevice::modelled}}));
  REQUIRE(actors.size() == 1);
  CHECK(actors[0].actor == 3);
  CHECK(actors[0].rank == 1);
  CHECK(actors[0].name == "card 2: train");
  CHECK(actors[0].kind == ActorKind::trainer);
  CHECK(actors[0].device == ActorDevice::modelled);
  CHECK_THROWS_AS(actorsFromJson(R"([{"actor":0,"rank":0,"name":"x","kind":9,"device":0}])"),
                  std::runtime_error);

  BatchRows rows;
  rows.stages = {{.iteration = 4, .stage = BatchStage::propagate, .plannedNs = 7}};
  rows.decisions = {{.decision = 2, .action = MappingAction::step, .outcome = DecisionOutcome::kept}};
  const BatchRows back = decodeBatches(encodeBatches(rows));
  CHECK(back.stages.at(0).stage == BatchStage::propagate);
  CHECK(back.stages.at(0).plannedNs == 7);
  CHECK(back.decisions.at(0).action == MappingAction::step);
  rows.stages[0].stage = static_cast<BatchStage>(9);
  CHECK_THROWS_AS(decodeBatches(encodeBatches(rows)), std::runtime_error);
  rows.stages.clear();
  rows.decisions[0].givenTo = static_cast<MappingPart>(9);
  CHECK_THROWS_AS(decodeBatches(encodeBatches(rows)), std::runtime_error);
}
