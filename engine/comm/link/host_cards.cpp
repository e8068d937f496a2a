#include "engine/comm/link/host_cards.h"

#include <sched.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::size_t kLockBytes = 64;  // a cache line of its own
static_assert(alignof(HostCard) <= kLockBytes && std::atomic<std::uint32_t>::is_always_lock_free);

int ranksOf(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

std::size_t hostsOf(MPI_Comm comm, std::int64_t ranksPerHost) {
  return at((ranksOf(comm) + ranksPerHost - 1) / ranksPerHost);
}

/// Who holds it may have no core, and is short of work: the others lend him theirs.
class Held {
 public:
  explicit Held(std::atomic<std::uint32_t>& flag) : lock_(flag) {
    while (lock_.exchange(1, std::memory_order_acquire) != 0) ::sched_yield();
  }
  ~Held() { lock_.store(0, std::memory_order_release); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::atomic<std::uint32_t>& lock_;
};

}  // namespace

HostCards::HostCards(MPI_Comm comm, std::int64_t ranksPerHost)
    : ranks_(ranksOf(comm)),
      ranksPerHost_(ranksPerHost),
      memory_(comm, kLockBytes + hostsOf(comm, ranksPerHost) * sizeof(HostCard)) {
  MPI_Comm_rank(comm, &rank_);
  host_ = hostOf(rank_);
  lock_ = reinterpret_cast<std::atomic<std::uint32_t>*>(memory_.data());
  const std::size_t hosts = hostsOf(comm, ranksPerHost);
  auto* const first = reinterpret_cast<HostCard*>(memory_.data() + kLockBytes);
  if (rank_ == 0) {
    new (lock_) std::atomic<std::uint32_t>(0);
    for (std::size_t host = 0; host < hosts; ++host) new (first + host) HostCard;
  }
  cards_ = {first, hosts};
  MPI_Barrier(comm);
}

HostCards::Departure HostCards::send(const Link& link, const LinkClock& clock, std::int64_t readyNs,
                                     std::int64_t bytes, int peer) {
  const std::int64_t takes = link.transferNs(bytes);
  const auto host = at(hostOf(peer));
  Departure departure;
  {
    const Held guard(*lock_);
    const std::int64_t ready = std::max(readyNs, clock.toLink(wallNs()));
    departure.ns = cards_[at(host_)].send(ready, takes);
    departure.place = cards_[host].enter(departure.ns, link.latencyNs(), takes, rank_);
  }
  if (departure.place == HostCard::kNoPlace)
    throw std::runtime_error("more than " + std::to_string(HostCard::kPlaces) +
                             " messages are under way to host " + std::to_string(host) +
                             " of the emulated link; link.per = \"rank\" has no such limit");
  return departure;
}

std::int64_t HostCards::take(std::int64_t place) {
  const Held guard(*lock_);
  return cards_[at(host_)].take(place);
}

std::int64_t HostCards::allReduce(const Link& link, std::int64_t enteredNs, std::int64_t bytes) {
  if (cards_.size() == 1) return enteredNs + 2 * link.copyNs(bytes);
  ++sums_;
  {
    const Held guard(*lock_);
    cards_[at(host_)].sum(sums_, enteredNs, link.sumOnWireNs(bytes, ranks_));
  }
  return enteredNs + link.allReduceNs(bytes, ranks_);
}

std::int64_t HostCards::allGatherNs(const Link& link, std::int64_t bytes) const {
  return cards_.size() == 1 ? 0 : link.allGatherNs(bytes, ranks_);
}

}  // namespace halo
