#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "engine/base/check.h"

namespace halo {

/// What a message is called in recordings, on both sides. MPI delivers the messages of a tag between two
/// ranks in the order in which they were sent, so their count tells them apart. Both sides count every
/// message.
///
///   number = count << 16 | tag << 1 | 1 where it was sent, 0 where it was received
class MessageNumbers {
 public:
  /// Makes room, so that next() need not.
  void expect(int peer, int tag, bool sent) { counts_.try_emplace({peer, tag, sent}); }
  /// How many there were of a tag, to or from a peer.
  struct Count {
    int peer = 0, tag = 0;
    bool sent = false;
    std::int64_t count = 0;
  };
  std::vector<Count> counts() const {
    std::vector<Count> all;
    for (const auto& [key, count] : counts_)
      all.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), count});
    return all;
  }
  /// Goes on from these.
  void goOnFrom(std::span<const Count> counts) {
    for (const Count& each : counts) counts_[{each.peer, each.tag, each.sent}] = each.count;
  }
  std::int64_t next(int peer, int tag, bool sent) {
    HALO_CHECK(tag >= 0 && tag < kTags);
    return counts_[{peer, tag, sent}]++ << 16 | std::int64_t{tag} << 1 | std::int64_t{sent};
  }

 private:
  static constexpr int kTags = 1 << 15;
  std::map<std::tuple<int, int, bool>, std::int64_t> counts_;
};

/// Whether the rank that noted it sent the message; else the rank received it.
constexpr bool isSent(std::int64_t message) { return (message & 1) != 0; }
/// The same on either side.
constexpr std::int64_t numberOfBoth(std::int64_t message) { return message >> 1; }

}  // namespace halo
