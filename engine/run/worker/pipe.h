#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "engine/run/protocol/frame.h"
#include "engine/run/protocol/orders.h"

namespace halo {

/// Rank 0's end of the pipes to the supervisor: standard input and output. From its construction on, whatever
/// a library prints on standard output goes to standard error, and frames have a descriptor of their own.
class Pipe {
 public:
  Pipe();
  /// Writes what is still queued.
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// Hands the frame to the writing thread: training does not wait for the supervisor unless a MB is
  /// queued. Throws once the supervisor no longer reads.
  void send(FrameType type, std::string_view payload);
  /// What the supervisor asks, on standard input.
  Orders& orders() { return orders_; }

 private:
  void writeQueued();
  std::string write(std::string_view rest) const;

  int out_;
  Orders orders_;
  std::mutex mutex_;  // of the five below
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  std::size_t queuedBytes_ = 0;
  std::string failure_;
  bool closing_ = false;
  std::thread writer_;  // last: it uses all of the above
};

}  // namespace halo
