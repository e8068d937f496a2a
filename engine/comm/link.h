#pragma once

#include <cstdint>
#include <vector>

namespace halo {

/// An interconnect to emulate; bandwidth 0: none.
struct LinkModel {
  double bandwidthGbit = 0, latencyUs = 0;
};

/// One rank's two sides of the emulated interconnect. Each side is a server of the given bandwidth; a message
/// passes the sender's side, then after the latency streams through the receiver's side (cut-through), so
/// that
///
///   departs  = max(posted, sender's side free)           sender's side free   = departs + bytes / bandwidth
///   delivery = max(departs + latency, receiver's side free) + bytes / bandwidth = receiver's side free
///
/// Pure arithmetic over times in ns; the communicator does the waiting.
class Link {
 public:
  Link() = default;
  explicit Link(const LinkModel& model) : model_(model) {}

  bool emulated() const { return model_.bandwidthGbit > 0; }
  std::int64_t transferNs(std::int64_t bytes) const;
  std::int64_t latencyNs() const;
  /// Takes the outgoing side; returns when the message departs.
  std::int64_t send(std::int64_t postedNs, std::int64_t bytes);
  /// Takes the incoming side; returns when the message is delivered. Messages of one wait come in order of
  /// departure.
  std::int64_t receive(std::int64_t departsNs, std::int64_t bytes);
  /// How long a ring all-reduce of `bytes` over `ranks` takes: 2(P−1) steps of bytes/P.
  std::int64_t allReduceNs(std::int64_t bytes, int ranks) const;
  /// How long a ring all-gather of `bytes` from each of `ranks` takes: P−1 steps.
  std::int64_t allGatherNs(std::int64_t bytes, int ranks) const;

 private:
  LinkModel model_;
  std::int64_t outFreeNs_ = 0, inFreeNs_ = 0;
};

/// Sleeps until `deadlineNs` of the monotonic clock; the core is free meanwhile.
void sleepUntil(std::int64_t deadlineNs);

}  // namespace halo
