#pragma once

#include <cstdint>

#include "engine/comm/link/link_card.h"

namespace halo {

/// An interconnect to emulate; bandwidth 0: none. With `stagingGbit`, messages leave and enter a device that
/// is not on the network itself. They are copied from the device to the host before they depart, and from the
/// host to the device after they arrived (PipeGCN, F). With `ranksPerHost`, so many consecutive ranks are one
/// host's and share its card (host_cards.h); 0: each rank has a card of its own.
struct LinkModel {
  double bandwidthGbit = 0, latencyUs = 0, stagingGbit = 0;
  std::int64_t ranksPerHost = 0;
};

/// One rank's sides of the emulated interconnect: outgoing, incoming and, with staging, the copies out of and
/// into the device. Each side is a server of the given bandwidth. A message passes the sender's side, then
/// after the latency streams through the receiver's side (cut-through), so that
///
///   departs = max(posted or copied out, sender's side free)
///   sender's side free = departs + bytes / bandwidth
///   arrival = receiver's side free = max(departs + latency, receiver's side free) + bytes / bandwidth
///
/// Copies are stored and forwarded: what is copied together departs when all of it is out, and is there when
/// all of it is in. Pure arithmetic over times in ns; the communicator does the waiting.
class Link {
 public:
  Link() = default;
  explicit Link(const LinkModel& model) : model_(model) {}

  bool emulated() const { return model_.bandwidthGbit > 0; }
  bool staged() const { return model_.stagingGbit > 0; }
  std::int64_t transferNs(std::int64_t bytes) const;
  /// Of a copy out of or into the device.
  std::int64_t copyNs(std::int64_t bytes) const;
  std::int64_t latencyNs() const;
  /// Copies `bytes` out of the device together, for the messages that `send` takes next. These have up to as
  /// many bytes, or `times` as many where the same go to several peers.
  void copyOut(std::int64_t nowNs, std::int64_t bytes, std::int64_t times = 1);
  /// When a message may depart: it is copied out. What was not copied out with others is copied by itself.
  std::int64_t ready(std::int64_t postedNs, std::int64_t bytes);
  /// Takes the outgoing side; returns when the message departs.
  std::int64_t send(std::int64_t postedNs, std::int64_t bytes);
  /// When what was copied out last is out.
  std::int64_t copiedOutNs() const { return copyOutFreeNs_; }
  /// Takes the incoming side; returns when the message has arrived. To be called in the order of departure
  /// (Stamps).
  std::int64_t receive(std::int64_t departsNs, std::int64_t bytes);
  /// Copies what arrived into the device together; returns when it is there. To be called in the order of the
  /// waits, which tell what is copied together: not that of departure.
  std::int64_t copyIn(std::int64_t arrivedNs, std::int64_t bytes);
  /// For how long a ring all-reduce keeps both sides of every card busy.
  std::int64_t sumOnWireNs(std::int64_t bytes, int ranks) const;
  /// How long a ring all-reduce of `bytes` over `ranks` takes: 2(P−1) steps of bytes/P, and the copies.
  std::int64_t allReduceNs(std::int64_t bytes, int ranks) const;
  /// Such an all-reduce goes before what is under way; what follows that waits for as long as its bytes take.
  /// Returns when it ends.
  std::int64_t allReduce(std::int64_t enteredNs, std::int64_t bytes, int ranks);
  /// How long a ring all-gather of `bytes` from each of `ranks` takes: P−1 steps.
  std::int64_t allGatherNs(std::int64_t bytes, int ranks) const;

 private:
  LinkModel model_;
  LinkCard card_;
  std::int64_t copyOutFreeNs_ = 0, copyInFreeNs_ = 0;
  std::int64_t copiedOutBytes_ = 0;  // of messages to come
};

/// Lets this thread's sleeps end within a microsecond of when they should, not within fifty.
void sleepExactly();

/// Sleeps until `deadlineNs` of the monotonic clock; the core is free meanwhile.
void sleepUntil(std::int64_t deadlineNs);

constexpr std::int64_t kLookEveryNs = 20'000;
/// Sleeps between two looks at what travels an emulated link: waiting stands for the network's time, in which
/// another rank may use the core. No longer: looks are also what copies large messages on.
void nap();

}  // namespace halo
