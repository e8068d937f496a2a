#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace halo {

/// How many bytes a rank may have on the wire at once. They are enough to keep it busy, and so few that
/// small, urgent messages need not wait long behind them. The window is three times what the wire carries in
/// the shortest time that a chunk and its acknowledgement ever took, within bounds. Pure arithmetic; a call
/// costs a few operations.
///
/// Where both ends send, acknowledgements queue behind chunks. The end with the wider window fills the queue,
/// and the other's acknowledgements wait in it. The other end then sends at the ratio of the two windows. So
/// both ends tell each other what they measured, and come to one limit W. What lies in a queue is then at
/// most W, and each sends at W / (W + what the wire holds) of its rate at least. Acknowledgements that waited
/// come in crowds: a rate is never above that at which the chunks left (BBR,
/// draft-cheng-iccrg-delivery-rate-estimation).
class FlowWindow {
 public:
  /// Bytes of a chunk: with MPI's own header it goes over TCP in one piece, without a handshake before it.
  static constexpr std::int64_t kChunk = 60 << 10;
  /// The bounds of the window. With half the least one, 1 Gbit/s between two hosts was not kept busy.
  static constexpr std::int64_t kLeast = 8 * kChunk, kMost = 16 << 20;

  /// What to remember of a chunk until it is acknowledged.
  struct Sent {
    std::int64_t bytes = 0, atNs = 0, acknowledgedBefore = 0;
    std::int64_t stretchFromNs = 0;     // when the chunk left that was acknowledged last
    std::int64_t acknowledgedAtNs = 0;  // when it was
  };

  /// What an end of the wire measured. It travels as it is, between programs of one build.
  struct Wire {
    double shortestNs = std::numeric_limits<double>::infinity();  // of a whole chunk and its acknowledgement
    double bytesPerNs = 0;                                        // that left and were acknowledged
  };

  bool allows(std::int64_t bytes) const { return inFlight_ == 0 || inFlight_ + bytes <= limit(); }
  Sent sent(std::int64_t bytes, std::int64_t nowNs) {
    if (inFlight_ == 0) stretchFromNs_ = acknowledgedAtNs_ = nowNs;  // the wire stood idle
    inFlight_ += bytes;
    return {bytes, nowNs, acknowledged_, stretchFromNs_, acknowledgedAtNs_};
  }
  /// The time that a whole chunk and its acknowledgement took; endless for a shorter one.
  double acknowledge(const Sent& chunk, std::int64_t nowNs) {
    inFlight_ -= chunk.bytes;
    acknowledged_ += chunk.bytes;
    stretchFromNs_ = std::max(stretchFromNs_, chunk.atNs);
    acknowledgedAtNs_ = nowNs;
    const auto took = [](std::int64_t ns) { return static_cast<double>(std::max<std::int64_t>(ns, 1)); };
    const double tripNs = chunk.bytes == kChunk ? took(nowNs - chunk.atNs) : Wire{}.shortestNs;
    shortestNs_ = std::min(shortestNs_, tripNs);
    const std::int64_t stretchNs = std::max(nowNs - chunk.acknowledgedAtNs, chunk.atNs - chunk.stretchFromNs);
    const double rate = static_cast<double>(acknowledged_ - chunk.acknowledgedBefore) / took(stretchNs);
    fastest_ = std::max(fastest_, rate);
    if (++samples_ < kGeneration) return tripNs;
    fastestBefore_ = std::exchange(fastest_, 0);
    heardBefore_ = std::exchange(heard_, 0);
    samples_ = 0;
    return tripNs;
  }
  /// What the other end says with an acknowledgement.
  void hear(const Wire& wire) {
    shortestNs_ = std::min(shortestNs_, wire.shortestNs);
    heard_ = std::max(heard_, wire.bytesPerNs);
  }
  /// The highest rate measured at this end lately.
  double bytesPerNs() const { return std::max(fastest_, fastestBefore_); }
  std::int64_t inFlight() const { return inFlight_; }
  std::int64_t limit() const {
    if (std::isinf(shortestNs_)) return kLeast;
    const double carried = std::max({bytesPerNs(), heard_, heardBefore_}) * shortestNs_;
    return std::clamp(static_cast<std::int64_t>(3 * carried), kLeast, kMost);
  }

 private:
  static constexpr int kGeneration = 64;  // acknowledgements after which a faster wire is forgotten, twice

  std::int64_t inFlight_ = 0, acknowledged_ = 0, stretchFromNs_ = 0, acknowledgedAtNs_ = 0;
  double shortestNs_ = Wire{}.shortestNs;
  double fastest_ = 0, fastestBefore_ = 0;  // bytes per ns, of this generation and the one before
  double heard_ = 0, heardBefore_ = 0;      // the other ends', likewise
  int samples_ = 0;
};

}  // namespace halo
