#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace halo {

/// How many bytes a rank may have on the wire at once: enough to keep it busy, few enough that what is small
/// and urgent need not wait long behind them. Twice what the wire carried in the shortest time that a chunk
/// and its acknowledgement ever took, as first learnt from an idle wire; within bounds. Pure arithmetic; a
/// call costs a few operations.
class FlowWindow {
 public:
  /// Bytes of a chunk: with MPI's own header it goes over TCP in one piece, without a handshake before it.
  static constexpr std::int64_t kChunk = 60 << 10;
  /// The bounds of the window. With half the least one, 1 Gbit/s between two hosts was not kept busy.
  static constexpr std::int64_t kLeast = 8 * kChunk, kMost = 16 << 20;

  /// What to remember of a chunk until it is acknowledged.
  struct Sent {
    std::int64_t bytes = 0, atNs = 0, acknowledgedBefore = 0;
  };

  bool allows(std::int64_t bytes) const { return inFlight_ == 0 || inFlight_ + bytes <= limit(); }
  Sent sent(std::int64_t bytes, std::int64_t nowNs) {
    inFlight_ += bytes;
    return {bytes, nowNs, acknowledged_};
  }
  void acknowledge(const Sent& chunk, std::int64_t nowNs) {
    inFlight_ -= chunk.bytes;
    acknowledged_ += chunk.bytes;
    const auto took = static_cast<double>(std::max<std::int64_t>(nowNs - chunk.atNs, 1));
    if (chunk.bytes == kChunk) shortestNs_ = std::min(shortestNs_, took);
    const double rate = static_cast<double>(acknowledged_ - chunk.acknowledgedBefore) / took;
    fastest_ = std::max(fastest_, rate);
    if (++samples_ < kGeneration) return;
    fastestBefore_ = std::exchange(fastest_, 0);
    samples_ = 0;
  }
  std::int64_t inFlight() const { return inFlight_; }
  std::int64_t limit() const {
    if (shortestNs_ == kUnknown) return kLeast;
    const double carried = std::max(fastest_, fastestBefore_) * shortestNs_;
    return std::clamp(static_cast<std::int64_t>(2 * carried), kLeast, kMost);
  }

 private:
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();
  static constexpr int kGeneration = 64;  // acknowledgements after which a faster wire is forgotten, twice

  std::int64_t inFlight_ = 0, acknowledged_ = 0;
  double shortestNs_ = kUnknown;            // of a whole chunk
  double fastest_ = 0, fastestBefore_ = 0;  // bytes per ns, of this generation and the one before
  int samples_ = 0;
};

}  // namespace halo
