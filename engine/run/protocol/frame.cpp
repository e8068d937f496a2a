#include "engine/run/protocol/frame.h"

#include <libdeflate.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/comm/communicator/bytes.h"

namespace halo {
namespace {

constexpr std::string_view kMagic = "HALOFRM1";
constexpr std::size_t kHeader = 8 + 4 + 4 + 8;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 40;  // a length beyond this is damage, not data

std::uint32_t checksum(std::string_view bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

template <class T>
T load(std::string_view bytes, std::size_t at) {
  T v;
  std::memcpy(&v, bytes.data() + at, sizeof v);
  return v;
}

/// Of an enum that counts from 0 to `last`: its text is looked up by its number.
template <class Word>
void requireWord(Word word, Word last) {
  if (word > last) throw std::runtime_error("a frame from the worker has a word that is none");
}

}  // namespace

std::string encode(FrameType type, std::string_view payload) {
  std::string frame(kMagic);
  const auto put = [&](auto v) { frame.append(reinterpret_cast<const char*>(&v), sizeof v); };
  put(static_cast<std::uint32_t>(type));
  put(checksum(payload));
  put(static_cast<std::uint64_t>(payload.size()));
  return frame.append(payload);
}

void FrameReader::keepText(std::string_view bytes) {
  for (std::size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    text_ += bytes.substr(0, end);
    lines_.push_back(std::exchange(text_, {}));
    bytes.remove_prefix(end + 1);
  }
  text_ += bytes;
}

std::vector<Frame> FrameReader::feed(std::string_view bytes) {
  buffer_ += bytes;
  std::vector<Frame> frames;
  std::string_view rest = buffer_;
  for (;;) {
    const std::size_t begin = rest.find(kMagic);
    if (begin == std::string_view::npos) {
      // the magic may have been cut in two: keep as much as could be its beginning
      std::size_t keep = std::min(rest.size(), kMagic.size() - 1);
      while (keep > 0 && rest.substr(rest.size() - keep) != kMagic.substr(0, keep)) --keep;
      keepText(rest.substr(0, rest.size() - keep));
      rest.remove_prefix(rest.size() - keep);
      break;
    }
    keepText(rest.substr(0, begin));
    rest.remove_prefix(begin);
    if (rest.size() < kHeader) break;
    const auto size = load<std::uint64_t>(rest, 16);
    if (size > kLargest) {
      keepText(rest.substr(0, kMagic.size()));
      rest.remove_prefix(kMagic.size());
      continue;
    }
    if (rest.size() - kHeader < size) break;
    const std::string_view payload = rest.substr(kHeader, size);
    if (checksum(payload) == load<std::uint32_t>(rest, 12))
      frames.push_back({static_cast<FrameType>(load<std::uint32_t>(rest, 8)), std::string(payload)});
    else
      keepText("a frame from the worker is damaged and was left out\n");
    rest.remove_prefix(kHeader + size);
  }
  // a large frame comes in many pieces: nothing moves until it is whole
  buffer_.erase(0, buffer_.size() - rest.size());
  return frames;
}

std::vector<std::string> FrameReader::takeText() { return std::exchange(lines_, {}); }

std::string encodeEpochs(const EpochBatch& batch) {
  ByteWriter out;
  out.array(batch.epochs);
  out.array(batch.layers);
  out.array(batch.messages);
  return out.take();
}

EpochBatch decodeEpochs(std::string_view payload) {
  EpochBatch batch;
  ByteReader in(payload);
  in.array(batch.epochs);
  in.array(batch.layers);
  in.array(batch.messages);
  return batch;
}

std::string encodeBatches(const BatchRows& rows) {
  ByteWriter out;
  out.array(rows.iterations);
  out.array(rows.blocks);
  out.array(rows.caches);
  out.array(rows.stages);
  out.array(rows.decisions);
  return out.take();
}

BatchRows decodeBatches(std::string_view payload) {
  BatchRows rows;
  ByteReader in(payload);
  in.array(rows.iterations);
  in.array(rows.blocks);
  in.array(rows.caches);
  in.array(rows.stages);
  in.array(rows.decisions);
  for (const StageRow& row : rows.stages) requireWord(row.stage, BatchStage::synchronise);
  for (const DecisionRow& row : rows.decisions) {
    requireWord(row.action, MappingAction::rest);
    requireWord(row.takenFrom, MappingPart::train);
    requireWord(row.givenTo, MappingPart::train);
    requireWord(row.outcome, DecisionOutcome::rest);
  }
  return rows;
}

std::string encodeSpans(const SpanBatch& batch) {
  ByteWriter out;
  out.value(batch.rank);
  out.value(batch.actor);
  out.array(batch.spans);
  return out.take();
}

SpanBatch decodeSpans(std::string_view payload) {
  SpanBatch batch;
  ByteReader in(payload);
  batch.rank = in.value<std::int64_t>();
  batch.actor = in.value<std::int64_t>();
  in.array(batch.spans);
  return batch;
}

std::string encodeArtifact(const ArtifactRow& artifact) {
  ByteWriter out;
  out.array(artifact.name);
  out.array(artifact.mediaType);
  out.array(artifact.bytes);
  return out.take();
}

ArtifactRow decodeArtifact(std::string_view payload) {
  ArtifactRow artifact;
  ByteReader in(payload);
  in.array(artifact.name);
  in.array(artifact.mediaType);
  in.array(artifact.bytes);
  return artifact;
}

// Words as their numbers: ranks do not link the recording, which has their texts.
std::string actorsToJson(const std::vector<ActorRow>& actors) {
  nlohmann::json all = nlohmann::json::array();
  for (const ActorRow& a : actors)
    all.push_back({{"actor", a.actor},
                   {"rank", a.rank},
                   {"name", a.name},
                   {"kind", static_cast<int>(a.kind)},
                   {"device", static_cast<int>(a.device)}});
  return all.dump();
}

std::vector<ActorRow> actorsFromJson(const std::string& text) {
  std::vector<ActorRow> actors;
  for (const auto& a : nlohmann::json::parse(text)) {
    ActorRow row{a.at("actor"), a.at("rank"), a.at("name"),
                 static_cast<ActorKind>(a.at("kind").get<std::uint8_t>()),
                 static_cast<ActorDevice>(a.at("device").get<std::uint8_t>())};
    requireWord(row.kind, ActorKind::synchroniser);
    requireWord(row.device, ActorDevice::opencl);
    actors.push_back(std::move(row));
  }
  return actors;
}

std::string workersToJson(const std::vector<WorkerRow>& workers) {
  nlohmann::json all = nlohmann::json::array();
  for (const WorkerRow& w : workers)
    all.push_back({{"rank", w.rank},
                   {"host", w.host},
                   {"role", w.role},
                   {"threads", w.threads},
                   {"vertices", w.vertices},
                   {"boundary", w.boundary},
                   {"remote", w.remote},
                   {"nonzeros", w.nonzeros},
                   {"feature_bytes", w.featureBytes},
                   {"peak_rss_bytes", w.peakRssBytes},
                   {"clock_offset_ns", w.clockOffsetNs},
                   {"clock_uncertainty_ns", w.clockUncertaintyNs},
                   {"dropped_spans", w.droppedSpans}});
  return all.dump();
}

std::vector<WorkerRow> workersFromJson(const std::string& text) {
  std::vector<WorkerRow> workers;
  for (const auto& w : nlohmann::json::parse(text))
    workers.push_back({.rank = w.at("rank"),
                       .host = w.at("host"),
                       .role = w.at("role"),
                       .threads = w.at("threads"),
                       .vertices = w.at("vertices"),
                       .boundary = w.at("boundary"),
                       .remote = w.at("remote"),
                       .nonzeros = w.at("nonzeros"),
                       .featureBytes = w.at("feature_bytes"),
                       .peakRssBytes = w.at("peak_rss_bytes"),
                       .clockOffsetNs = w.at("clock_offset_ns"),
                       .clockUncertaintyNs = w.at("clock_uncertainty_ns"),
                       .droppedSpans = w.at("dropped_spans")});
  return workers;
}

}  // namespace halo
