#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "engine/record/trace/tracer.h"

namespace halo {

/// "waits 37 s in layer 1 forward for rank 0 (epoch 12)", as seen at this time.
std::string words(const Whereabouts::Seen& activity, std::int64_t nowNs);

/// A rank's thread that says what the driving thread does, on standard error, every few seconds. When the
/// rank is asked to end by SIGTERM, the thread says it once more before the rank ends, and sends the spans
/// that were not recorded. It sends them in a wait, too, that may be the last. Uses neither MPI nor what the
/// driving thread may hold. One at a time. Cost: a line of some hundred bytes a beat.
class Heart {
 public:
  /// Beats at once. `tracer` must outlive it.
  Heart(Tracer& tracer, int rank);
  ~Heart();
  Heart(const Heart&) = delete;
  Heart& operator=(const Heart&) = delete;

  /// Beats from now on so often that a rank which misses several in a row is silent for `silenceS` seconds
  /// (0: for ever).
  void keepWithin(std::int64_t silenceS);

 private:
  void beat();
  void say(bool last) const;
  void tellLongWait();
  void sendSpans() const;

  Tracer& tracer_;
  const int rank_;
  const std::string host_;
  std::atomic<int> everyMs_;
  std::atomic<bool> closing_{false};
  std::atomic<std::int64_t> silenceNs_{0};
  std::int64_t toldSinceNs_ = 0;  // of the wait whose spans were sent
  std::thread thread_;            // last: it uses all of the above
};

}  // namespace halo
