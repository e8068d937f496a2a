#include "engine/run/protocol/checkpoint.h"

#include <stdexcept>

#include "engine/comm/communicator/bytes.h"

namespace halo {
namespace {

constexpr std::string_view kMagic = "HALOCKP4";

}  // namespace

std::string encodeCheckpoint(const Checkpoint& checkpoint) {
  ByteWriter out;
  out.array(kMagic);
  out.array(checkpoint.version);
  out.value(checkpoint.elementBytes);
  for (const std::int64_t value :
       {checkpoint.epoch, checkpoint.iteration, checkpoint.step, checkpoint.clockNs})
    out.value(value);
  out.value(checkpoint.decisions);
  out.array(checkpoint.dataDigest);
  out.array(checkpoint.experiment);
  out.value(static_cast<std::int64_t>(checkpoint.ranks.size()));
  for (const std::string& rank : checkpoint.ranks) out.array(rank);
  return out.take();
}

Checkpoint decodeCheckpoint(std::string_view bytes) {
  ByteReader in(bytes);
  std::string magic;
  in.array(magic);
  if (magic != kMagic) throw std::runtime_error("the run's checkpoint is damaged");
  Checkpoint checkpoint;
  in.array(checkpoint.version);
  checkpoint.elementBytes = in.value<std::int64_t>();
  for (std::int64_t* value :
       {&checkpoint.epoch, &checkpoint.iteration, &checkpoint.step, &checkpoint.clockNs})
    *value = in.value<std::int64_t>();
  checkpoint.decisions = in.value<std::int64_t>();
  in.array(checkpoint.dataDigest);
  in.array(checkpoint.experiment);
  for (auto ranks = in.value<std::int64_t>(); ranks > 0; --ranks) in.array(checkpoint.ranks.emplace_back());
  return checkpoint;
}

std::string encodeGoOn(const GoOn& goOn) {
  ByteWriter out;
  out.value(goOn.clockNs);
  out.array(goOn.checkpoint);
  return out.take();
}

GoOn decodeGoOn(std::string_view bytes) {
  ByteReader in(bytes);
  GoOn goOn;
  goOn.clockNs = in.value<std::int64_t>();
  in.array(goOn.checkpoint);
  return goOn;
}

}  // namespace halo
