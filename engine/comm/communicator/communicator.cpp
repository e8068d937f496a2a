#include "engine/comm/communicator/communicator.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/comm/communicator/awaited.h"
#include "engine/comm/communicator/counted_type.h"
#include "engine/comm/communicator/element.h"
#include "engine/comm/link/host_cards.h"

namespace halo {
namespace {

// A row as one MPI element, so that counts stay rows and never overflow an int.
class RowType {
 public:
  explicit RowType(Index width) {
    HALO_CHECK(width <= std::numeric_limits<int>::max());
    MPI_Type_contiguous(static_cast<int>(width), kElement, &type_);
    MPI_Type_commit(&type_);
  }
  ~RowType() { MPI_Type_free(&type_); }  // MPI keeps it alive for transfers under way
  RowType(const RowType&) = delete;
  RowType& operator=(const RowType&) = delete;
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

int rowCount(std::size_t elements, Index width) {
  HALO_CHECK(width > 0 && elements % at(width) == 0);
  const std::size_t rows = elements / at(width);
  HALO_CHECK(rows <= at(std::numeric_limits<int>::max()));
  return static_cast<int>(rows);
}

}  // namespace

Communicator::Communicator(MPI_Comm parent, Tracer& tracer) : tracer_(tracer) {
  check(MPI_Comm_dup(parent, &comm_), "duplicating the communicator");
  check(MPI_Comm_dup(parent, &stamps_), "duplicating the communicator");
  for (MPI_Comm each : {comm_, stamps_})
    check(MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN), "asking for errors to be told");
  check(MPI_Comm_rank(comm_, &rank_), "asking for the rank");
  check(MPI_Comm_size(comm_, &size_), "asking for the number of ranks");
  constexpr std::size_t kPassesAtFirst = 16;  // messages that come late are the first to name some flows
  flows_.reserve(kPassesAtFirst * at(size_));
  const std::size_t both = 4 * at(size_);  // a wait for sends, receives and their stamps
  waited_.reserve(both);
  statuses_.reserve(both);
  arriving_.reserve(both);
}

Communicator::~Communicator() {
  trickle_.reset();
  engine_.reset();
  MPI_Comm_free(&stamps_);
  MPI_Comm_free(&comm_);
}

void Communicator::check(int code, const char* doing, int peer) const {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error("rank " + std::to_string(rank_) + ", " + doing +
                           (peer >= 0 ? " with rank " + std::to_string(peer) : std::string()) + ": " + text);
}

Flow* Communicator::flowTo(int target) {
  const auto same = [&](const Flow& f) {
    return f.target == target && f.layer == tracer_.layer() && f.pass == tracer_.pass();
  };
  auto flow = std::find_if(flows_.rbegin(), flows_.rend(), same);
  if (flow == flows_.rend()) {
    flows_.push_back({.layer = tracer_.layer(), .pass = tracer_.pass(), .target = target});
    flow = flows_.rbegin();
  }
  return &*flow;
}

void Communicator::count(int target, std::int64_t messages, std::int64_t bytes) {
  if (!counting_) return;
  Flow* flow = flowTo(target);
  flow->messages += messages;
  flow->bytes += bytes;
  sent_.messages += messages;
  sent_.bytes += bytes;
}

void Communicator::countParameters(int peer, std::int64_t bytes) {
  if (counting_) flowTo(peer)->quantiseBytes += bytes;
}

void Communicator::timeTransfer(const Transfer& transfer, std::int64_t completedNs) {
  if (counting_)
    flowTo(transfer.peer)->transferNs +=
        linkClock_.toLink(completedNs) - linkClock_.toLink(transfer.postedNs);
}

void Communicator::noteDelay(Name name, std::int64_t beginNs, std::int64_t endNs, const Transfer& transfer) {
  if (endNs > beginNs)
    tracer_.add(Kind::communication, name, Lane::message, beginNs, endNs, transfer.peer, transfer.bytes,
                transfer.message);
}

void Communicator::noteSent(const Transfer& transfer) {
  tracer_.add(Kind::communication, Name::send, Lane::message, transfer.postedNs, wallNs(), transfer.peer,
              transfer.bytes, transfer.message);
  if (emulating() && link_.staged())
    noteDelay(Name::copied, transfer.postedNs, linkClock_.toWall(link_.copiedOutNs()), transfer);
}

std::vector<Flow> Communicator::takeFlows() {
  std::vector<Flow> flows = flows_;
  flows_.clear();  // what it holds stays: the next epoch shall not allocate
  return flows;
}

Transfer Communicator::send(int peer, int tag, const void* from, int elements, MPI_Datatype type,
                            std::int64_t bytes) {
  HALO_CHECK(peer != rank_);
  Transfer transfer{.postedNs = wallNs(), .bytes = bytes, .peer = peer};
  transfer.message = numbers_.next(peer, tag, true);
  trickle_.reset();
  const auto guard = hold();
  count(peer, 1, transfer.bytes);
  ++underWay_;
  if (isMoved(peer)) {
    transfer.moving = engine_->send(peer, tag, from, bytes);
    noteSent(transfer);
    return transfer;
  }
  check(MPI_Isend(from, elements, type, peer, tag, comm_, &transfer.request), "sending", peer);
  if (emulating()) depart(transfer, tag);
  noteSent(transfer);
  transfer.watch = outstanding_.watch(transfer.request, peer, tag, transfer.receives);
  return transfer;
}

Transfer Communicator::receive(int peer, int tag, void* to, int elements, MPI_Datatype type,
                               std::int64_t bytes) {
  HALO_CHECK(peer != rank_);
  Transfer transfer{.postedNs = wallNs(), .bytes = bytes, .peer = peer};
  transfer.receives = true;
  transfer.message = numbers_.next(peer, tag, false);
  const auto guard = hold();
  ++underWay_;
  if (isMoved(peer)) {
    transfer.moving = engine_->receive(peer, tag, to, bytes);
    return transfer;
  }
  check(MPI_Irecv(to, elements, type, peer, tag, comm_, &transfer.request), "receiving", peer);
  if (emulating()) {
    const bool own = cards_ == nullptr;
    transfer.stamp.reset(&travelling_.add({.bytes = bytes, .peer = peer, .tag = tag, .receives = own}));
    check(MPI_Irecv(transfer.stamp->told(), Stamps::Stamp::kTold, MPI_INT64_T, peer, tag, stamps_,
                    &transfer.stamp->request),
          "receiving", peer);
  }
  transfer.watch = outstanding_.watch(transfer.request, peer, tag, transfer.receives);
  return transfer;
}

Transfer Communicator::startSend(int peer, int tag, std::span<const Scalar> rows, Index width) {
  const RowType row(width);
  return send(peer, tag, rows.data(), rowCount(rows.size(), width), row.get(),
              static_cast<std::int64_t>(rows.size_bytes()));
}

Transfer Communicator::startReceive(int peer, int tag, std::span<Scalar> rows, Index width) {
  const RowType row(width);
  return receive(peer, tag, rows.data(), rowCount(rows.size(), width), row.get(),
                 static_cast<std::int64_t>(rows.size_bytes()));
}

Transfer Communicator::startSend(int peer, int tag, std::span<const std::int64_t> positions) {
  const CountedType all(static_cast<std::int64_t>(positions.size()), MPI_INT64_T);
  return send(peer, tag, positions.data(), all.count(), all.get(),
              static_cast<std::int64_t>(positions.size_bytes()));
}

Transfer Communicator::startReceive(int peer, int tag, std::span<std::int64_t> positions) {
  const CountedType all(static_cast<std::int64_t>(positions.size()), MPI_INT64_T);
  return receive(peer, tag, positions.data(), all.count(), all.get(),
                 static_cast<std::int64_t>(positions.size_bytes()));
}

Transfer Communicator::startSend(int peer, int tag, std::span<const std::uint8_t> bytes) {
  const CountedType all(static_cast<std::int64_t>(bytes.size()), MPI_BYTE);
  return send(peer, tag, bytes.data(), all.count(), all.get(), static_cast<std::int64_t>(bytes.size()));
}

Transfer Communicator::startReceive(int peer, int tag, std::span<std::uint8_t> bytes) {
  const CountedType all(static_cast<std::int64_t>(bytes.size()), MPI_BYTE);
  return receive(peer, tag, bytes.data(), all.count(), all.get(), static_cast<std::int64_t>(bytes.size()));
}

void Communicator::complete(std::span<Transfer> transfers) {
  trickle_.reset();
  waited_.clear();
  for (const Transfer& transfer : transfers) {
    HALO_CHECK(!transfer.taken && (transfer.stamp != nullptr) == emulating());
    if (transfer.moving) continue;
    waited_.push_back(transfer.request);
    if (transfer.stamp != nullptr) waited_.push_back(transfer.stamp->request);
  }
  waitPolitely(waited_);
  if (engine_ != nullptr)
    driveUntil([&] {
      return std::ranges::all_of(transfers, [&](const Transfer& transfer) {
        return !transfer.moving || engine_->completedNs(*transfer.moving) != 0;
      });
    });
  const std::int64_t noticed = wallNs();  // of all that were not before
  for (Transfer& transfer : transfers) {
    settle(transfer);
    transfer.arrivedNs = std::min(transfer.arrivedNs, noticed);
    transfer.taken = true;
  }
  underWay_ -= static_cast<std::int64_t>(transfers.size());
}

void Communicator::settle(Transfer& transfer) {
  const auto guard = hold();
  if (transfer.moving) {
    if (!transfer.receives)
      noteDelay(Name::queued, transfer.postedNs, engine_->leftNs(*transfer.moving), transfer);
    transfer.arrivedNs = engine_->take(*transfer.moving);
    return;
  }
  if (transfer.arrivedNs == 0) transfer.arrivedNs = outstanding_.settle(transfer.watch, wallNs());
  transfer.request = MPI_REQUEST_NULL;
  if (transfer.stamp == nullptr) return;
  transfer.stamp->request = MPI_REQUEST_NULL;
  if (!transfer.receives) dropStamp(transfer);
}

void Communicator::dropStamp(Transfer& transfer) {
  travelling_.remove(*transfer.stamp);
  transfer.stamp.reset();
}

void Communicator::waitPolitely(std::span<MPI_Request> requests) {
  const int count = static_cast<int>(requests.size());
  if (engine_ != nullptr)
    return driveUntil([&] {
      int done = 0;
      check(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "waiting for transfers");
      return done != 0;
    });
  if (!link_.emulated()) {
    statuses_.resize(requests.size());
    const int code = MPI_Waitall(count, requests.data(), statuses_.data());
    if (code == MPI_ERR_IN_STATUS)  // says of no transfer what is wrong with it
      for (const MPI_Status& status : statuses_)
        if (status.MPI_ERROR != MPI_ERR_PENDING) check(status.MPI_ERROR, "waiting for transfers");
    check(code, "waiting for transfers");
    return;
  }
  for (int done = 0;;) {
    check(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "waiting for transfers");
    if (done != 0) return;
    nap();
  }
}

void Communicator::lookAfterTransfers(std::int64_t nowNs) {
  const auto guard = hold();
  check(outstanding_.look(nowNs), "looking after transfers");
}

void Communicator::keepMoving(Moves moves) {
  HALO_CHECK(!link_.emulated() && underWay_ == 0 && engine_ == nullptr);
  moved_.assign(at(size_), true);
  if (moves == Moves::overNetworks)
    for (const int rank : neighbours()) moved_[at(rank)] = false;
  int threads = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&threads), "asking for threads");
  const bool own = std::ranges::any_of(moved_, [](bool moved) { return moved; });
  if (anywhere(own) && !anywhere(threads < MPI_THREAD_SERIALIZED))
    engine_ = std::make_unique<ProgressEngine>(comm_);
}

void Communicator::waitAll(std::span<Transfer> transfers) {
  if (transfers.empty()) return;
  const Aside polling(tracer_);
  const std::int64_t begin = wallNs();
  const Waiting waiting(tracer_.whereabouts(), begin, "exchanging rows", awaitedBy(transfers));
  lookAfterTransfers(begin);
  complete(transfers);
  if (emulating()) waitForLink(transfers);
  const std::int64_t end = wallNs();
  if (emulating())
    for (Transfer& transfer : transfers)
      transfer.arrivedNs = std::max(transfer.arrivedNs, linkClock_.toWall(transfer.linkNs));
  // What was delivered last ended the wait on an emulated link: no rank waits there until its own have left.
  Transfer& last = emulating() && !arriving_.empty()
                       ? **std::ranges::max_element(arriving_, {}, &Transfer::arrivedNs)
                       : endOf(transfers);
  if (last.arrivedNs > begin) last.arrivedNs = std::max(last.arrivedNs, end);  // handed over when awake again
  for (const Transfer& transfer : transfers) {
    timeTransfer(transfer, transfer.arrivedNs);
    if (transfer.receives && !emulating())
      tracer_.add(Kind::communication, Name::receive, Lane::link, transfer.postedNs, transfer.arrivedNs,
                  transfer.peer, transfer.bytes, transfer.message);
  }
  tracer_.add(Kind::communication, Name::wait, Lane::main, begin, end, last.peer, 0, last.message);
}

void Communicator::abort(int status) {
  MPI_Abort(comm_, status);
  std::abort();
}

}  // namespace halo
