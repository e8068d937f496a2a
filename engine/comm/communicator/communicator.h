#pragma once

#include <mpi.h>
#include <sched.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/base/matrix.h"
#include "engine/comm/communicator/outstanding.h"
#include "engine/comm/communicator/progress_engine.h"
#include "engine/comm/link/link.h"
#include "engine/comm/link/link_clock.h"
#include "engine/comm/link/stamps.h"
#include "engine/record/trace/message_numbers.h"
#include "engine/record/trace/tracer.h"

namespace halo {

class HostCards;
class SharedMemory;

/// What this rank exchanged with one peer in one pass of one layer since the counters were last taken.
struct Flow {
  std::int16_t layer = -1;
  Pass pass = Pass::none;
  std::int32_t target = -1;              // −1: a collective
  std::int64_t messages = 0, bytes = 0;  // sent
  std::int64_t quantiseBytes = 0;        // of them, the parameters of codes
  // From posting to completion, summed over transfers of both directions and over the flags that were shared.
  // The sum of the gradients is left out, for all its time is waiting for the slowest.
  std::int64_t transferNs = 0;
};

/// A transfer under way. Its rows must outlive the wait that takes it. Moves, but has no copies: it is taken
/// once.
struct Transfer {
  MPI_Request request = MPI_REQUEST_NULL;
  std::optional<std::size_t> moving = {};  // instead, what the progress engine knows it by
  StampHandle stamp = {};                  // emulated link only: when the message entered the link
  std::int64_t postedNs = 0, bytes = 0;
  std::int64_t message = kNoMessage;  // its number (MessageNumbers)
  Outstanding::Watch watch = {};      // what it is known by among the outstanding
  std::int64_t linkNs = 0;            // emulated link: when a sent message has left, of the link's clock
  std::int64_t arrivedNs = 0;         // when it completed, as far as was noticed; 0: not yet
  std::int32_t peer = -1;
  bool receives = false, taken = false;  // taken: by a wait
};

/// The one door to MPI: besides the worker's main, no other folder includes mpi.h. Every call that moves
/// payload is timed and counted under the tracer's layer and pass. Recorded bytes are therefore sent bytes.
/// Control traffic (loss, scores, set-up) is neither timed nor counted. One thread; gone before MPI_Finalize.
/// MPI errors are thrown with MPI's own words.
class Communicator {
 public:
  /// Collective. Duplicates `parent`, so that our messages never meet another library's.
  Communicator(MPI_Comm parent, Tracer& tracer);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  Tracer& tracer() { return tracer_; }
  /// Before keepMoving. clockOffsetNs: what to add to this rank's clock to get rank 0's. Collective where
  /// ranks share a card; throws on every rank where they cannot.
  void emulate(const LinkModel& model, std::int64_t clockOffsetNs = 0);
  const Link& link() const { return link_; }
  enum class Moves : std::uint8_t { overNetworks, always };
  /// Collective. From now on messages move while the ranks compute: those to ranks of other hosts, or all.
  /// Nothing may be under way. For real links only; does nothing where MPI lets no second thread call it.
  void keepMoving(Moves moves);
  /// Collective. The emulated link stands still from when the last rank calls this until it is started. What
  /// is under way then waits. What is sent and taken meanwhile takes no time of the link's. Returns when this
  /// rank called.
  std::int64_t stopLink();
  /// Collective. The link goes on where it stopped, at once for all ranks; returns when. Without an emulated
  /// link, the time.
  std::int64_t startLink();
  /// For how long the emulated link has yet to carry what this rank sent; 0 where none is emulated.
  std::int64_t linkBacklogNs() const;
  /// The next sends, of so many bytes altogether, leave the emulated link's device in one copy: to be called
  /// when their rows are packed. The same bytes may go to several peers, `times` in all. Sends that are not
  /// announced are copied one by one.
  void copyOut(std::int64_t bytes, std::int64_t times = 1) {
    if (emulating()) link_.copyOut(linkNs(), bytes, times);
  }

  /// Rows of `width` elements to or from `peer`; both return at once.
  [[nodiscard]] Transfer startSend(int peer, int tag, std::span<const Scalar> rows, Index width);
  [[nodiscard]] Transfer startReceive(int peer, int tag, std::span<Scalar> rows, Index width);
  /// The same for a list of positions, 8 bytes each: which rows a peer will get.
  [[nodiscard]] Transfer startSend(int peer, int tag, std::span<const std::int64_t> positions);
  [[nodiscard]] Transfer startReceive(int peer, int tag, std::span<std::int64_t> positions);
  /// The same for bytes: coded rows.
  [[nodiscard]] Transfer startSend(int peer, int tag, std::span<const std::uint8_t> bytes);
  [[nodiscard]] Transfer startReceive(int peer, int tag, std::span<std::uint8_t> bytes);
  /// Messages of this tag will travel between this rank and `peer`.
  void announce(int peer, int tag) {
    for (const bool receives : {false, true}) {
      outstanding_.expect(peer, tag, receives);
      numbers_.expect(peer, tag, !receives);
    }
  }
  /// Of what was sent to `peer`, so many bytes were the parameters of codes.
  void countParameters(int peer, std::int64_t bytes);
  /// Completes all, none of which a wait has taken before; the time inside is waiting, noted with the message
  /// that came last. Leaves the core free while it waits on an emulated link.
  void waitAll(std::span<Transfer> transfers);
  /// Completes one of these receives that it has not completed before, and gives its position; −1 if none is
  /// left. It takes whichever arrives first; on an emulated link, as the model delivers them. Timed as
  /// waitAll is.
  int waitAny(std::span<Transfer> receives);
  /// Whether all have completed, so that waitAll would not wait for any peer: to go on with other work
  /// where they have not. Takes none of them.
  bool areHere(std::span<const Transfer> transfers);
  /// Transfers started here that no wait has taken yet.
  std::int64_t underWay() const { return underWay_; }

  /// Bytes on their way through the progress engine that no receiver has acknowledged.
  std::int64_t onWire() const {
    const auto guard = hold();
    return engine_ != nullptr ? engine_->onWire() : 0;
  }

  /// Collective: sums over the ranks, the same bits on each. Counted as the ring all-reduce, which it is over
  /// networks unless it is short: 2(P−1)·elements in total, to P−1 peers each.
  void sumGradients(std::span<Scalar> values);

  /// Collective: every rank's flag on each, by rank; `flags` holds this rank's own beforehand. Counted as one
  /// byte to each of P−1 peers.
  void shareFlags(std::span<std::uint8_t> flags);

  // Control traffic: collective, not counted.
  double sum(double value);
  std::int64_t sum(std::int64_t value);
  std::int64_t max(std::int64_t value);
  std::int64_t min(std::int64_t value);
  void sum(std::span<std::int64_t> values);
  bool anywhere(bool value);
  void barrier();
  std::int64_t broadcast(std::int64_t value, int root = 0);
  std::string broadcast(std::string bytes, int root = 0);
  void broadcast(std::span<std::uint8_t> bytes, int root = 0);
  /// counts[r] values of every rank r into `all` on rank 0, by rank.
  void gather(std::span<const double> own, std::span<double> all, std::span<const std::int64_t> counts);
  /// Every rank's bytes on rank 0, by rank; empty elsewhere.
  std::vector<std::string> gather(const std::string& bytes);
  void sendBytes(int peer, const std::string& bytes);
  std::string receiveBytes(int peer);

  /// Counted since the beginning, to all peers.
  struct Sent {
    std::int64_t messages = 0, bytes = 0;
  };
  const Sent& sent() const { return sent_; }
  /// Counters since the last call; `setCounting(false)` pauses them (evaluation, probes).
  std::vector<Flow> takeFlows();
  // What a run goes on with: the counters so far, and how many messages have been numbered.

  const std::vector<Flow>& flows() const { return flows_; }
  const MessageNumbers& messageNumbers() const { return numbers_; }
  void goOnFrom(const std::vector<Flow>& flows, std::span<const MessageNumbers::Count> numbers) {
    flows_.assign(flows.begin(), flows.end());
    numbers_.goOnFrom(numbers);
  }
  void setCounting(bool counting) { counting_ = counting; }

  /// Collective. What to add to this rank's clock to get rank 0's, and half the shortest round trip, ns; both
  /// 0 on rank 0's host.
  struct ClockOffset {
    std::int64_t offsetNs = 0, uncertaintyNs = 0;
  };
  ClockOffset clockOffset();
  /// Collective. Ranks that share this rank's host.
  int ranksOnThisHost() const;
  /// Collective. Zeros that all ranks read and write; all must be on one host. Throws on every rank where
  /// they cannot have it.
  std::unique_ptr<SharedMemory> shareMemory(std::size_t bytes);
  /// Ends every rank at once: for what only one rank meets.
  [[noreturn]] void abort(int status);

 private:
  void check(int code, const char* doing, int peer = -1) const;
  /// To be held around calls of MPI once there is a progress engine.
  std::unique_lock<std::mutex> hold() const {
    return engine_ != nullptr ? engine_->lock() : std::unique_lock<std::mutex>();
  }
  /// Waits for what MPI was asked to start by `start`, which is given the request; others' bytes move on
  /// meanwhile. `doing` is a literal; `peer` −1: with all ranks.
  template <class Start>
  void await(const char* doing, const Start& start, int peer = -1);
  /// Waits until `isDone`, which is asked with MPI held.
  template <class IsDone>
  void driveUntil(const IsDone& isDone);
  void sumByMpi(std::span<Scalar> values);
  void sumRoundRing(std::span<Scalar> values);
  void passOn(std::span<const Scalar> right, std::span<Scalar> left);
  template <class Number>
  Number reduced(Number value, MPI_Datatype type, MPI_Op how, const char* doing);
  /// `count` elements of `size` bytes, in pieces that MPI can count.
  void sendPieces(int peer, const void* from, std::int64_t count, MPI_Datatype type, std::int64_t size);
  void receivePieces(int peer, void* to, std::int64_t count, MPI_Datatype type, std::int64_t size);
  /// Ranks that share this rank's host, in order.
  std::vector<int> neighbours() const;
  bool isMoved(int peer) const { return engine_ != nullptr && moved_[at(peer)]; }
  /// Whether what is sent now takes the emulated link's time.
  bool emulating() const { return link_.emulated() && linkClock_.runs(); }
  std::int64_t linkNs() const { return linkClock_.toLink(wallNs()); }
  /// Whether messages to and from the peer stay within one host of the emulated link, and so do not take it.
  bool staysWithin(int peer) const;
  /// Gives a message to the emulated link.
  void depart(Transfer& transfer, int tag);
  /// When what has departed reaches this side, of the link's clock.
  std::int64_t reachesNs(const Stamps::Stamp& stamp, int peer) const;
  Transfer send(int peer, int tag, const void* from, int elements, MPI_Datatype type, std::int64_t bytes);
  Transfer receive(int peer, int tag, void* to, int elements, MPI_Datatype type, std::int64_t bytes);
  Flow* flowTo(int target);
  void count(int target, std::int64_t messages, std::int64_t bytes);
  /// Sleeps until the link's time. Large messages that MPI copies piece by piece move only inside its calls,
  /// so that what else is under way is looked after meanwhile.
  void letPass(std::int64_t linkDeadlineNs);
  /// Notes which of those that nobody waits for have completed.
  void lookAfterTransfers(std::int64_t nowNs);
  void waitForLink(std::span<Transfer> transfers);
  void timeTransfer(const Transfer& transfer, std::int64_t completedNs);
  /// What is known of a message besides its way: for who asks why a rank waited.
  void noteSent(const Transfer& transfer);
  void noteDelay(Name name, std::int64_t beginNs, std::int64_t endNs, const Transfer& transfer);
  /// A message that has come over the emulated link, which copied it in until `deliveredNs`, both of the
  /// link.
  void noteDelivered(const Transfer& transfer, std::int64_t deliveredNs);
  void settle(Transfer& transfer);
  void dropStamp(Transfer& transfer);
  void serve(Stamps::Stamp& stamp);
  void complete(std::span<Transfer> transfers);
  int firstArrived(std::span<Transfer> receives);
  int firstMoved(std::span<Transfer> receives);
  int firstDelivered(std::span<Transfer> receives);
  bool hasArrived(Transfer& transfer);
  bool hasCompleted(const Transfer& transfer) const;
  void waitPolitely(std::span<MPI_Request> requests);

  MPI_Comm comm_ = MPI_COMM_NULL, stamps_ = MPI_COMM_NULL;
  Tracer& tracer_;
  Link link_;  // by linkClock_, as are all stamps
  LinkClock linkClock_;
  std::int64_t lastLeavesNs_ = 0;     // of what this rank sent
  std::unique_ptr<HostCards> cards_;  // or none: each rank has a card of its own
  int rank_ = 0, size_ = 1;
  bool counting_ = true;
  std::int64_t underWay_ = 0;
  MessageNumbers numbers_;
  Outstanding outstanding_;
  std::unique_ptr<ProgressEngine> engine_;  // or none
  std::optional<ProgressEngine::Trickle>
      trickle_;              // from a sum to the end of the next barrier, or to a message
  std::vector<bool> moved_;  // by rank: whether the engine moves what travels to and from it
  Stamps travelling_;        // messages on the emulated link
  std::vector<Flow> flows_;
  Sent sent_;
  // these are kept, so that no wait or sum allocates
  std::vector<MPI_Request> waited_;
  std::vector<MPI_Status> statuses_;
  std::vector<Transfer*> arriving_;
  std::vector<const Stamps::Stamp*> here_;
  std::vector<Scalar> addend_;
};

template <class IsDone>
void Communicator::driveUntil(const IsDone& isDone) {
  for (;; ::sched_yield()) {
    const auto guard = engine_->lock();
    check(engine_->turn(), "moving messages");
    if (isDone()) return;
  }
}

template <class Start>
void Communicator::await(const char* doing, const Start& start, int peer) {
  const Waiting waiting(tracer_.whereabouts(), wallNs(), doing, peer < 0 ? Awaited{} : Awaited::only(peer));
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const auto guard = hold();
    check(start(&request), doing, peer);
  }
  waitPolitely({&request, 1});
}

}  // namespace halo
