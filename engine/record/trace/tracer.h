#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/clock.h"
#include "engine/record/trace/span.h"
#include "engine/record/trace/whereabouts.h"

namespace halo {

/// Where a rank notes what it does: a ring allocated before the first epoch. add() costs a few stores; no
/// lock, no allocation, no I/O. One thread. Drained once an epoch; what did not fit is counted, never hidden.
/// Another thread may ask for the latest spans, while the first is stuck in MPI.
class Tracer {
 public:
  explicit Tracer(std::size_t capacity = std::size_t{1} << 18) : ring_(capacity) {}

  void setEnabled(bool enabled) { enabled_ = enabled; }
  bool enabled() const { return enabled_; }
  /// What the following spans belong to.
  void setEpoch(std::int32_t epoch) {
    epoch_ = epoch;
    whereabouts_.at(epoch_, layer_, pass_);
  }
  void setLayer(std::int16_t layer, Pass pass) {
    layer_ = layer;
    pass_ = pass;
    whereabouts_.at(epoch_, layer_, pass_);
  }
  std::int32_t epoch() const { return epoch_; }
  std::int16_t layer() const { return layer_; }
  Pass pass() const { return pass_; }
  /// What another thread can tell of this one.
  Whereabouts& whereabouts() { return whereabouts_; }

  void add(Kind kind, Name name, Lane lane, std::int64_t beginNs, std::int64_t endNs, std::int32_t peer = -1,
           std::int64_t bytes = 0, std::int64_t message = kNoMessage) {
    if (!enabled_) return;
    const std::size_t used = used_.load(std::memory_order_relaxed);
    if (used == ring_.size()) {
      ++dropped_;
      return;
    }
    ring_[used] = {beginNs, endNs - beginNs, bytes, epoch_, peer, layer_, name, kind, lane, pass_, message};
    used_.store(used + 1, std::memory_order_release);  // what stands below is never changed until clear()
  }

  std::span<const Span> spans() const { return {ring_.data(), used_.load(std::memory_order_relaxed)}; }
  std::int64_t dropped() const { return dropped_; }
  void clear() {
    const std::lock_guard reading(latest_);
    used_.store(0, std::memory_order_relaxed);
  }
  /// Whether it is time to take what was noted, before something does not fit.
  bool halfFull() const { return 2 * spans().size() >= ring_.size(); }

  /// From now on spans are recorded, so many ns after this host's clock.
  void recordsFrom(std::int64_t shiftNs) {
    const std::lock_guard reading(latest_);
    shiftNs_ = shiftNs;
  }
  /// From any thread: the latest spans that were not taken yet, at most `most`, and the wait that goes on at
  /// `nowNs` of this host's clock. On the run's clock. None where spans are not recorded.
  std::vector<Span> latest(std::size_t most, std::int64_t nowNs) const {
    const std::lock_guard reading(latest_);
    if (!shiftNs_) return {};
    const auto end = ring_.begin() + static_cast<std::ptrdiff_t>(used_.load(std::memory_order_acquire));
    std::vector<Span> spans(end - std::min(end - ring_.begin(), static_cast<std::ptrdiff_t>(most)), end);
    if (const Whereabouts::Seen now = whereabouts_.seen(); now.waitsSinceNs != 0)
      spans.push_back({now.waitsSinceNs, std::max<std::int64_t>(0, nowNs - now.waitsSinceNs), 0, now.epoch,
                       now.awaited.count == 1 ? now.awaited.ranks[0] : -1, now.layer, Name::wait,
                       Kind::communication, Lane::main, now.pass});
    for (Span& span : spans) span.beginNs += *shiftNs_;
    return spans;
  }

  /// CPU time of the driving thread so far without what it burnt waiting (Aside), ns. This is what an
  /// oversubscribed rank computed, to be read at the bounds of layers. Not once a span: reading that clock is
  /// a system call of 0.6 µs.
  std::int64_t computeCpuNs() const { return threadCpuNs() - asideCpuNs_; }
  void addAsideCpu(std::int64_t ns) { asideCpuNs_ += ns; }

 private:
  std::vector<Span> ring_;
  std::atomic<std::size_t> used_{0};
  std::int64_t dropped_ = 0;
  std::int64_t asideCpuNs_ = 0;
  std::int32_t epoch_ = -1;
  std::int16_t layer_ = -1;
  Pass pass_ = Pass::none;
  bool enabled_ = true;
  Whereabouts whereabouts_;
  mutable std::mutex latest_;            // between who reads the latest spans and who clears
  std::optional<std::int64_t> shiftNs_;  // guarded by it
};

/// Times the enclosing block into `tracer`, on the main lane.
class Timed {
 public:
  Timed(Tracer& tracer, Kind kind, Name name) : tracer_(tracer), kind_(kind), name_(name), begin_(wallNs()) {}
  ~Timed() { tracer_.add(kind_, name_, Lane::main, begin_, wallNs()); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Tracer& tracer_;
  Kind kind_;
  Name name_;
  std::int64_t begin_;
};

/// The CPU time of the enclosing block is no computing: waits burn it while they poll.
class Aside {
 public:
  explicit Aside(Tracer& tracer) : tracer_(tracer), begin_(threadCpuNs()) {}
  ~Aside() { tracer_.addAsideCpu(threadCpuNs() - begin_); }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  Tracer& tracer_;
  std::int64_t begin_;
};

}  // namespace halo
