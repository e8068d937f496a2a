// What a worker, or a library that prints in it, may write into the supervisor's pipe. The supervisor makes a
// failed run of any exception; here only what no exception is counts.

#include "engine/experiment/experiment.h"
#include "engine/run/protocol/checkpoint.h"
#include "engine/run/protocol/frame.h"
#include "tests/fuzz/harness.h"

namespace halo::fuzz {
namespace {

void decode(const Frame& frame) {
  switch (frame.type) {
    case FrameType::epochs:
      decodeEpochs(frame.payload);
      return;
    case FrameType::iterations:
      decodeBatches(frame.payload);
      return;
    case FrameType::spans:
      decodeSpans(frame.payload);
      return;
    case FrameType::artifact:
      decodeArtifact(frame.payload);
      return;
    case FrameType::goOn:
      decodeCheckpoint(decodeGoOn(frame.payload).checkpoint);
      return;
    case FrameType::job:
      runFromJson(frame.payload);
      return;
    case FrameType::stop:
    case FrameType::progress:
    case FrameType::started:
    case FrameType::finished:
    case FrameType::failed:
      workersFromJson(frame.payload);
      return;
  }
}

/// Any exception ends the run, and no more.
void decodeOrThrow(const Frame& frame) {
  try {
    decode(frame);
  } catch (const std::exception&) {
  }
}

void feed(std::string_view bytes) {
  FrameReader reader;
  const std::size_t half = bytes.size() / 2;  // pieces as a pipe gives them
  for (const std::string_view piece : {bytes.substr(0, half), bytes.substr(half)})
    for (const Frame& frame : reader.feed(piece)) decodeOrThrow(frame);
  reader.takeText();
}

/// The first byte tells the type; the checksum is right, so that what lies behind it is reached.
void feedPayload(std::string_view bytes) {
  if (bytes.empty()) return;
  feed(encode(static_cast<FrameType>(bytes[0] & 15), bytes.substr(1)));
}

std::vector<Frame> frames() {
  EpochBatch epochs;
  epochs.epochs.resize(2), epochs.layers.resize(1), epochs.messages.resize(1);
  return {{FrameType::job, toJson(RunSettings{})},
          {FrameType::epochs, encodeEpochs(epochs)},
          {FrameType::iterations, encodeBatches({std::vector<IterationRow>(2),
                                                 std::vector<BlockRow>(1),
                                                 {},
                                                 std::vector<StageRow>(2),
                                                 std::vector<DecisionRow>(1)})},
          {FrameType::spans, encodeSpans({1, std::vector<Span>(3)})},
          {FrameType::artifact, encodeArtifact({"weights", "application/x-npz", "PK"})},
          {FrameType::goOn,
           encodeGoOn({7, encodeCheckpoint({"0.1.0", 4, 3, 2, 23, 7, 0, "digest", "settings", {"a", "b"}})})},
          {FrameType::started, workersToJson(std::vector<WorkerRow>(2))}};
}

}  // namespace

std::vector<Harness> frameHarnesses() {
  const auto streams = [] {
    std::vector<std::string> seeds;
    for (const Frame& frame : frames())
      seeds.push_back("a line\n" + encode(frame.type, frame.payload) + "another\n");
    return seeds;
  };
  const auto payloads = [] {
    std::vector<std::string> seeds;
    for (const Frame& frame : frames()) seeds.push_back(static_cast<char>(frame.type) + frame.payload);
    return seeds;
  };
  return {{"frames", feed, streams}, {"frame-payload", feedPayload, payloads}};
}

}  // namespace halo::fuzz
