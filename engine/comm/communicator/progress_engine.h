#pragma once

#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/comm/communicator/flow_window.h"

namespace halo {

/// Moves messages between hosts while the ranks compute, for MPI moves bytes only inside its calls. A thread
/// gives MPI its turn every 100 µs while something is under way; a rank that waits drives the engine itself.
/// Messages leave in chunks that the receiver acknowledges, so many at once as the window allows. What is
/// small and urgent, sums above all, therefore never waits behind a whole message.
///
/// MPI must allow calls from several threads, one at a time: whoever calls it holds lock() (see
/// MPI_THREAD_SERIALIZED). Both sides of a message use an engine, and name the same number of bytes.
class ProgressEngine {
 public:
  /// Collective.
  explicit ProgressEngine(MPI_Comm parent);
  /// Collective: returns when all that was sent has been acknowledged.
  ~ProgressEngine();
  ProgressEngine(const ProgressEngine&) = delete;
  ProgressEngine& operator=(const ProgressEngine&) = delete;

  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  /// While it lives few chunks are on the wire at once. They keep the wire busy between the trips of what is
  /// urgent, and are too few for those trips to wait long. Takes lock(); one at a time.
  class Trickle {
   public:
    explicit Trickle(ProgressEngine& engine) : engine_(engine) { set(true); }
    ~Trickle() { set(false); }
    Trickle(const Trickle&) = delete;
    Trickle& operator=(const Trickle&) = delete;

   private:
    void set(bool trickles) {
      const auto guard = engine_.lock();
      engine_.trickles_ = trickles;
      engine_.sendOn();
    }
    ProgressEngine& engine_;
  };

  // With lock() held.
  /// `from` and `to` must stay until the message has completed. The number it is known by until it is taken.
  std::size_t send(int peer, int tag, const void* from, std::int64_t bytes);
  std::size_t receive(int peer, int tag, void* to, std::int64_t bytes);
  /// When the message completed, as noticed within a turn; 0: it is under way.
  std::int64_t completedNs(std::size_t message) const { return messages_[message].completedNs; }
  /// When the first chunk of a message that was sent left; 0: not yet.
  std::int64_t leftNs(std::size_t message) const { return messages_[message].leftNs; }
  /// Forgets a message that has completed; when it did.
  std::int64_t take(std::size_t message);
  /// Bytes sent that were not acknowledged.
  std::int64_t onWire() const { return window_.inFlight(); }
  /// One turn: completes what it can and sends on. MPI's first code that is no success, of any turn.
  [[nodiscard]] int turn();

 private:
  enum class What : std::uint8_t { chunkOut, chunkIn, acknowledgementIn, acknowledgementOut };
  struct Message {
    char* at = nullptr;
    std::int64_t bytes = 0, started = 0, pending = 0;  // pending: chunks under way
    std::int64_t leftNs = 0, completedNs = 0;
    int peer = -1, tag = -1;
  };
  /// What request i of requests_ is.
  struct Pending {
    What what = What::chunkOut;
    std::size_t message = 0;
    int peer = -1, tag = -1;
    FlowWindow::Sent chunk = {};  // of an acknowledgement that is awaited
    std::size_t wire = 0;         // of an acknowledgement: its place in wires_
  };

  /// Whom this rank sends to.
  struct Peer {
    std::deque<std::size_t> leaving;  // in the order in which they were posted, that of their chunks on a tag
    double shortestNs = FlowWindow::Wire{}.shortestNs;  // of a chunk to this peer, as either end measured
  };

  std::size_t add(const Message& message);
  std::size_t takeWire();
  void acknowledge(const Pending& chunk);
  void acknowledged(const Pending& chunk, std::int64_t nowNs);
  MPI_Request* request(const Pending& pending);
  void sendOn();
  bool sendChunk(std::size_t message);
  void completed(const Pending& pending, std::int64_t nowNs);
  void finishChunk(std::size_t message, std::int64_t nowNs);
  void note(int code) {
    if (failure_ == MPI_SUCCESS) failure_ = code;
  }
  void run();

  MPI_Comm bulk_ = MPI_COMM_NULL, acknowledgements_ = MPI_COMM_NULL;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false, trickles_ = false;
  int failure_ = MPI_SUCCESS;
  FlowWindow window_;
  std::vector<Message> messages_;
  std::vector<std::size_t> free_;  // places in messages_
  std::vector<Peer> peers_;
  std::size_t next_ = 0;                // the peer whose turn it is
  std::deque<FlowWindow::Wire> wires_;  // what acknowledgements under way say: they stay where they are
  std::vector<std::size_t> freeWires_;  // places in wires_
  std::vector<MPI_Request> requests_;
  std::vector<Pending> pending_;
  std::vector<int> done_;  // positions, of a turn
  std::thread thread_;     // last: it uses all of these
};

}  // namespace halo
