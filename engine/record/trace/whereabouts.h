#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "engine/base/clock.h"
#include "engine/record/trace/span.h"

namespace halo {

/// The ranks that a rank waits for: the first few by number, and how many there are.
struct Awaited {
  static constexpr int kNamed = 4;
  std::array<std::int32_t, kNamed> ranks{};
  std::int32_t count = 0;  // 0: every other rank

  static Awaited only(std::int32_t rank) { return {{rank}, 1}; }
  void add(std::int32_t rank) {
    const int named = std::min<int>(count, kNamed);
    if (std::find(ranks.begin(), ranks.begin() + named, rank) != ranks.begin() + named) return;
    if (named < kNamed) ranks[static_cast<std::size_t>(named)] = rank;
    ++count;
  }
};

/// What a rank's driving thread does and whom it waits for. Another thread can tell it while the first is
/// stuck in MPI. A note costs a few plain stores; no lock, no system call. One thread writes.
class Whereabouts {
 public:
  struct Seen {
    std::int32_t epoch = -1;
    std::int16_t layer = -1;
    Pass pass = Pass::none;
    std::int64_t waitsSinceNs = 0;  // 0: it does not wait
    const char* doing = "";         // what the wait is part of
    Awaited awaited;
  };

  void at(std::int32_t epoch, std::int16_t layer, Pass pass) {
    place_.store(Place{epoch, layer, pass}, std::memory_order_relaxed);
  }
  void beginWait(std::int64_t sinceNs, const char* doing, const Awaited& awaited) {
    const std::uint32_t change = change_.load(std::memory_order_relaxed);
    change_.store(change + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    sinceNs_.store(sinceNs, std::memory_order_relaxed);
    doing_.store(doing, std::memory_order_relaxed);
    count_.store(awaited.count, std::memory_order_relaxed);
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      ranks_[i].store(awaited.ranks[i], std::memory_order_relaxed);
    change_.store(change + 2, std::memory_order_release);
  }
  void endWait() { sinceNs_.store(0, std::memory_order_relaxed); }

  /// From any thread. What changes while it is read is read again, and a rank that goes on changing it does
  /// not wait. One that is stuck changes nothing.
  Seen seen() const {
    constexpr int kTries = 100;
    Seen activity;
    for (int i = 0; i < kTries; ++i) {
      const std::uint32_t before = change_.load(std::memory_order_acquire);
      const Place place = place_.load(std::memory_order_relaxed);
      activity.epoch = place.epoch;
      activity.layer = place.layer;
      activity.pass = place.pass;
      activity.waitsSinceNs = sinceNs_.load(std::memory_order_relaxed);
      activity.doing = doing_.load(std::memory_order_relaxed);
      activity.awaited.count = count_.load(std::memory_order_relaxed);
      for (std::size_t r = 0; r < ranks_.size(); ++r)
        activity.awaited.ranks[r] = ranks_[r].load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && before == change_.load(std::memory_order_relaxed)) return activity;
    }
    activity.waitsSinceNs = 0;
    return activity;
  }

 private:
  struct Place {  // of one word, so that it is never half old
    std::int32_t epoch = -1;
    std::int16_t layer = -1;
    Pass pass = Pass::none;
    std::uint8_t unused = 0;  // no padding: compared and copied as bytes
  };
  static_assert(sizeof(Place) == 8 && std::atomic<Place>::is_always_lock_free);

  std::atomic<Place> place_{Place{}};
  std::atomic<std::uint32_t> change_{0};
  std::atomic<std::int64_t> sinceNs_{0};
  std::atomic<const char*> doing_{""};
  std::atomic<std::int32_t> count_{0};
  std::array<std::atomic<std::int32_t>, Awaited::kNamed> ranks_{};
};

/// Notes that the enclosing block waits. `doing` is a literal: "summing gradients".
class Waiting {
 public:
  Waiting(Whereabouts& whereabouts, std::int64_t sinceNs, const char* doing, const Awaited& awaited = {})
      : whereabouts_(whereabouts) {
    whereabouts_.beginWait(sinceNs, doing, awaited);
  }
  Waiting(Whereabouts& whereabouts, const char* doing) : Waiting(whereabouts, wallNs(), doing) {}
  ~Waiting() { whereabouts_.endWait(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Whereabouts& whereabouts_;
};

}  // namespace halo
