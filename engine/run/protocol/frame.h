#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/record/rows/batch_rows.h"
#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

// What supervisor and rank 0 say to each other over pipes. A frame is
//   8 bytes "HALOFRM1" · u32 type · u32 CRC-32 of the payload · u64 payload size · payload (little-endian)
// so that a library's stray line between two frames is found and shown as log, never taken for data.

enum class FrameType : std::uint32_t {
  job = 1,       // to the worker: the resolved run as JSON
  stop = 2,      // to the worker: finish this epoch, then end
  progress = 3,  // JSON {what, share}: loading, partitioning
  started = 4,   // JSON {workers: […], marks: […], remarks: […], dataset, …}: every rank is ready
  epochs = 5,    // binary: rows of `epoch`, `layer`, `message`; what came before belongs to it
  spans = 6,     // binary: rank and its spans
  artifact = 7,  // binary: name, media type, bytes
  finished = 8,  // JSON {workers: […], …}
  failed = 9,    // JSON {message, exit}
  iterations =
      10,  // binary: rows of `iteration`, `block`, `cache`, `stage`, `decision`, of the epochs frame to come
  goOn = 11,  // to the worker, before the job: a checkpoint, and where the run's clock goes on
};

struct Frame {
  FrameType type = FrameType::progress;
  std::string payload;
};

std::string encode(FrameType type, std::string_view payload);

/// Cuts a byte stream into frames; what lies between is returned as text, line by line.
class FrameReader {
 public:
  /// Frames completed by these bytes, in order. A frame whose checksum is wrong becomes a line of `text`.
  std::vector<Frame> feed(std::string_view bytes);
  /// Complete lines outside frames since the last call.
  std::vector<std::string> takeText();

 private:
  void keepText(std::string_view bytes);
  std::string buffer_, text_;
  std::vector<std::string> lines_;
};

/// Rows of finished epochs, merged over the ranks.
struct EpochBatch {
  std::vector<EpochRow> epochs;
  std::vector<LayerRow> layers;
  std::vector<MessageRow> messages;
};
std::string encodeEpochs(const EpochBatch& batch);
EpochBatch decodeEpochs(std::string_view payload);

std::string encodeBatches(const BatchRows& rows);
/// Throws std::runtime_error for words that are none.
BatchRows decodeBatches(std::string_view payload);

struct SpanBatch {
  std::int64_t rank = 0;
  std::vector<Span> spans;
  std::int64_t actor = kNoActor;  // of the rank itself
};
std::string encodeSpans(const SpanBatch& batch);
SpanBatch decodeSpans(std::string_view payload);

std::string encodeArtifact(const ArtifactRow& artifact);
ArtifactRow decodeArtifact(std::string_view payload);

std::string actorsToJson(const std::vector<ActorRow>& actors);
/// Throws std::runtime_error for kinds and devices that are none.
std::vector<ActorRow> actorsFromJson(const std::string& text);

std::string workersToJson(const std::vector<WorkerRow>& workers);
std::vector<WorkerRow> workersFromJson(const std::string& text);

}  // namespace halo
