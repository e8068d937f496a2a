#include "engine/comm/communicator/progress_engine.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/communicator_names.h"
#include "engine/comm/link/link.h"

namespace halo {
namespace {

/// Between two turns of the thread. A wire of 1 Gbit/s carries 12 KB meanwhile, which its sockets hold.
constexpr std::int64_t kTurnEveryNs = 100'000;

/// Beside what is urgent, whole messages have one part in so many of the window. That is two chunks of the
/// least window: one is acknowledged while the other travels.
constexpr std::int64_t kTrickle = 4;

/// Asks the kernel to run this thread soon after it wakes, for Linux 6.12 and later prefer who wishes for a
/// short slice. Otherwise a rank that computes on the same core keeps it for milliseconds, and the wire runs
/// dry. Other kernels take the wish for nothing.
void beSoon() {
  if (::sched_getscheduler(0) != SCHED_OTHER) return;  // somebody chose otherwise
  constexpr std::uint64_t kSliceNs = 100'000;
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } wish{.size = 48,
         .policy = SCHED_OTHER,
         .flags = 0,
         .nice = ::getpriority(PRIO_PROCESS, 0),
         .priority = 0,
         .runtime = kSliceNs,
         .deadline = 0,
         .period = 0};
  static_cast<void>(::syscall(SYS_sched_setattr, 0, &wish, 0));
}

}  // namespace

ProgressEngine::ProgressEngine(MPI_Comm parent) {
  int size = 0;
  note(MPI_Comm_dup(parent, &bulk_));
  note(MPI_Comm_dup(parent, &acknowledgements_));
  note(MPI_Comm_set_name(bulk_, kMessages));
  note(MPI_Comm_set_name(acknowledgements_, kAcknowledgements));
  for (MPI_Comm each : {bulk_, acknowledgements_}) note(MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN));
  note(MPI_Comm_size(parent, &size));
  peers_.resize(at(size));
  sigset_t all, before;  // signals are the main thread's
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressEngine::~ProgressEngine() {
  {
    const auto guard = lock();
    while (!requests_.empty() && turn() == MPI_SUCCESS) {
    }
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
  MPI_Comm_free(&acknowledgements_);
  MPI_Comm_free(&bulk_);
}

std::size_t ProgressEngine::add(const Message& message) {
  if (free_.empty()) {
    messages_.push_back(message);
    return messages_.size() - 1;
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  messages_[place] = message;
  return place;
}

MPI_Request* ProgressEngine::request(const Pending& pending) {
  if (requests_.empty()) wake_.notify_one();
  pending_.push_back(pending);
  return &requests_.emplace_back(MPI_REQUEST_NULL);
}

std::size_t ProgressEngine::send(int peer, int tag, const void* from, std::int64_t bytes) {
  const std::size_t message =
      add({.at = static_cast<char*>(const_cast<void*>(from)), .bytes = bytes, .peer = peer, .tag = tag});
  peers_[at(peer)].leaving.push_back(message);
  sendOn();
  return message;
}

std::size_t ProgressEngine::receive(int peer, int tag, void* to, std::int64_t bytes) {
  const std::size_t message = add({.at = static_cast<char*>(to), .bytes = bytes, .peer = peer, .tag = tag});
  Message& coming = messages_[message];
  do {
    const std::int64_t chunk = std::min(bytes - coming.started, FlowWindow::kChunk);
    note(MPI_Irecv(coming.at + coming.started, static_cast<int>(chunk), MPI_BYTE, peer, tag, bulk_,
                   request({.what = What::chunkIn, .message = message, .peer = peer, .tag = tag})));
    coming.started += chunk;
    ++coming.pending;
  } while (coming.started < bytes);
  return message;
}

/// The next chunk of a message, if the window allows it.
bool ProgressEngine::sendChunk(std::size_t message) {
  Message& leaving = messages_[message];
  const std::int64_t chunk = std::min(leaving.bytes - leaving.started, FlowWindow::kChunk);
  if (trickles_ ? window_.inFlight() + chunk > window_.limit() / kTrickle : !window_.allows(chunk))
    return false;
  Pending pending{.what = What::chunkOut, .message = message, .peer = leaving.peer, .tag = leaving.tag};
  note(MPI_Isend(leaving.at + leaving.started, static_cast<int>(chunk), MPI_BYTE, leaving.peer, leaving.tag,
                 bulk_, request(pending)));
  pending.what = What::acknowledgementIn;
  const std::int64_t now = wallNs();
  pending.chunk = window_.sent(chunk, now);
  if (leaving.started == 0) leaving.leftNs = now;
  pending.wire = takeWire();
  note(MPI_Irecv(&wires_[pending.wire], sizeof(FlowWindow::Wire), MPI_BYTE, leaving.peer, leaving.tag,
                 acknowledgements_, request(pending)));
  leaving.started += chunk;
  ++leaving.pending;
  return true;
}

/// Chunks of the peers in turn, as long as the window allows it: no peer waits behind another's message.
void ProgressEngine::sendOn() {
  const std::size_t peers = peers_.size();
  for (std::size_t idle = 0; idle < peers; next_ = (next_ + 1) % peers) {
    auto& queue = peers_[next_].leaving;
    if (queue.empty()) {
      ++idle;
      continue;
    }
    const std::size_t message = queue.front();
    if (!sendChunk(message)) return;
    if (messages_[message].started == messages_[message].bytes) queue.pop_front();
    idle = 0;
  }
}

void ProgressEngine::finishChunk(std::size_t message, std::int64_t nowNs) {
  Message& entry = messages_[message];
  if (--entry.pending == 0 && entry.started == entry.bytes) entry.completedNs = nowNs;
}

std::size_t ProgressEngine::takeWire() {
  if (freeWires_.empty()) {
    wires_.emplace_back();
    return wires_.size() - 1;
  }
  const std::size_t place = freeWires_.back();
  freeWires_.pop_back();
  return place;
}

/// Tells the sender of a chunk that it is here, and what this end measured of the wire between the two.
void ProgressEngine::acknowledge(const Pending& chunk) {
  const Pending answer{.what = What::acknowledgementOut, .wire = takeWire()};
  FlowWindow::Wire& wire = wires_[answer.wire];
  wire = {peers_[at(chunk.peer)].shortestNs, window_.bytesPerNs()};
  note(MPI_Isend(&wire, sizeof wire, MPI_BYTE, chunk.peer, chunk.tag, acknowledgements_, request(answer)));
}

void ProgressEngine::acknowledged(const Pending& chunk, std::int64_t nowNs) {
  const FlowWindow::Wire& peerWire = wires_[chunk.wire];
  double& shortestNs = peers_[at(chunk.peer)].shortestNs;
  shortestNs = std::min({shortestNs, peerWire.shortestNs, window_.acknowledge(chunk.chunk, nowNs)});
  window_.hear(peerWire);
  freeWires_.push_back(chunk.wire);
}

void ProgressEngine::completed(const Pending& pending, std::int64_t nowNs) {
  switch (pending.what) {
    case What::chunkIn:
      acknowledge(pending);
      return finishChunk(pending.message, nowNs);
    case What::chunkOut:
      return finishChunk(pending.message, nowNs);
    case What::acknowledgementIn:
      return acknowledged(pending, nowNs);
    case What::acknowledgementOut:
      return freeWires_.push_back(pending.wire);
  }
}

int ProgressEngine::turn() {
  for (int completedCount = 1; completedCount > 0 && failure_ == MPI_SUCCESS;) {
    done_.resize(requests_.size());
    note(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &completedCount, done_.data(),
                      MPI_STATUSES_IGNORE));
    if (failure_ != MPI_SUCCESS || completedCount == MPI_UNDEFINED) break;
    const std::int64_t now = wallNs();
    done_.resize(at(completedCount));
    std::ranges::sort(done_, std::greater());
    for (const int i : done_) {  // from the last on, so that the places of the others stay
      const auto place = at(i);
      const Pending pending = std::exchange(pending_[place], pending_.back());
      requests_[place] = requests_.back();
      pending_.pop_back();
      requests_.pop_back();
      completed(pending, now);
    }
    if (completedCount > 0) sendOn();
  }
  return failure_;
}

std::int64_t ProgressEngine::take(std::size_t message) {
  HALO_CHECK(messages_[message].completedNs != 0);
  free_.push_back(message);
  return messages_[message].completedNs;
}

void ProgressEngine::run() {
  sleepExactly();
  beSoon();
  for (;;) {
    {
      auto guard = lock();
      wake_.wait(guard, [this] { return ends_ || (!requests_.empty() && failure_ == MPI_SUCCESS); });
      if (ends_) return;
    }
    if (const std::unique_lock guard(mutex_, std::try_to_lock); guard)  // else the rank drives the engine
      static_cast<void>(turn());                                        // told to whoever waits
    sleepUntil(wallNs() + kTurnEveryNs);
  }
}

}  // namespace halo
