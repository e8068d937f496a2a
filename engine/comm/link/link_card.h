#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace halo {

/// Both sides of one card on an emulated link (link.h), each a server of its bandwidth. Pure arithmetic over
/// times in ns; holds no pointers, so that it may lie in memory that processes share.
class LinkCard {
 public:
  /// Takes the outgoing side for a message that may depart at `readyNs`; returns when it does.
  std::int64_t send(std::int64_t readyNs, std::int64_t transferNs);
  /// Takes the incoming side for a message that reaches it at `reachesNs`; returns when it has arrived. To be
  /// called in the order of departure.
  std::int64_t receive(std::int64_t reachesNs, std::int64_t transferNs);
  /// A sum goes before what is under way; what follows it waits for as long as its bytes take.
  void sum(std::int64_t enteredNs, std::int64_t onWireNs);

 private:
  /// The incoming side as the oldest sum leaves it.
  void passSum();
  void dropSum();

  struct Sum {
    std::int64_t enteredNs = 0, onWireNs = 0;
  };
  static constexpr std::size_t kSumsKept = 128;

  std::int64_t outFreeNs_ = 0, inFreeNs_ = 0;
  // whose turn on the incoming side has not come: what is served now may have arrived before them
  std::array<Sum, kSumsKept> sums_ = {};
  std::size_t sumCount_ = 0;
};

}  // namespace halo
