// Communicator's waiting for whichever of several receives is first, and looking whether all are here.
#include <algorithm>
#include <ranges>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/comm/communicator/awaited.h"
#include "engine/comm/communicator/communicator.h"

namespace halo {

int Communicator::waitAny(std::span<Transfer> receives) {
  if (std::ranges::all_of(receives, &Transfer::taken)) return -1;
  const Aside polling(tracer_);
  const std::int64_t begin = wallNs();
  const Waiting waiting(tracer_.whereabouts(), begin, "exchanging rows", awaitedBy(receives));
  lookAfterTransfers(begin);
  trickle_.reset();
  const int position = emulating() ? firstDelivered(receives) : firstArrived(receives);
  Transfer& transfer = receives[static_cast<std::size_t>(position)];
  HALO_CHECK(transfer.receives && (transfer.stamp != nullptr) == emulating());
  settle(transfer);
  std::int64_t delivered = transfer.arrivedNs;
  if (emulating()) {
    serve(*transfer.stamp);
    const std::int64_t copied = link_.copyIn(transfer.stamp->arrivesNs, transfer.bytes);
    delivered = linkClock_.toWall(copied);
    noteDelivered(transfer, copied);
    dropStamp(transfer);
    letPass(copied);
  } else {
    tracer_.add(Kind::communication, Name::receive, Lane::link, transfer.postedNs, delivered, transfer.peer,
                transfer.bytes, transfer.message);
  }
  const std::int64_t end = wallNs();
  const std::int64_t completed = std::max({delivered, transfer.arrivedNs, transfer.postedNs});
  timeTransfer(transfer, completed > begin ? std::max(completed, end) : completed);
  tracer_.add(Kind::communication, Name::wait, Lane::main, begin, end, transfer.peer, 0, transfer.message);
  transfer.taken = true;
  --underWay_;
  return position;
}

int Communicator::firstArrived(std::span<Transfer> receives) {
  if (engine_ != nullptr) return firstMoved(receives);
  waited_.clear();
  for (const Transfer& transfer : receives) waited_.push_back(transfer.request);
  int position = MPI_UNDEFINED;
  check(MPI_Waitany(static_cast<int>(waited_.size()), waited_.data(), &position, MPI_STATUS_IGNORE),
        "waiting for a transfer");
  return position;
}

int Communicator::firstMoved(std::span<Transfer> receives) {
  std::span<Transfer>::iterator first = receives.end();
  driveUntil([&] {
    first = std::ranges::find_if(receives, [&](Transfer& transfer) {
      if (transfer.taken) return false;
      if (transfer.moving) return engine_->completedNs(*transfer.moving) != 0;
      int done = 0;
      check(MPI_Request_get_status(transfer.request, &done, MPI_STATUS_IGNORE), "receiving", transfer.peer);
      return done != 0;
    });
    return first != receives.end();
  });
  if (!first->moving) check(MPI_Wait(&first->request, MPI_STATUS_IGNORE), "receiving", first->peer);
  return static_cast<int>(first - receives.begin());
}

// A message that is here may still be under way on the modelled link. One that the model brings sooner may
// come after it. So the earliest of those here is taken once it would have reached this side.
int Communicator::firstDelivered(std::span<Transfer> receives) {
  std::vector<const Stamps::Stamp*>& arrivals = here_;
  arrivals.resize(receives.size());
  for (;;) {
    std::ranges::transform(receives, arrivals.begin(), [&](Transfer& transfer) -> const Stamps::Stamp* {
      return !transfer.taken && hasArrived(transfer) ? transfer.stamp.get() : nullptr;
    });
    // what stays within a host does not wait for the others
    for (std::size_t i = 0; i < arrivals.size(); ++i)
      if (arrivals[i] != nullptr && staysWithin(receives[i].peer) && arrivals[i]->departsNs <= linkNs())
        return static_cast<int>(i);
    const int first = firstToServe(arrivals);
    if (first >= 0) {
      const auto at = static_cast<std::size_t>(first);
      const std::int64_t reaches = reachesNs(*arrivals[at], receives[at].peer);
      const auto missing = [&](std::size_t i) { return !receives[i].taken && arrivals[i] == nullptr; };
      const auto all = std::views::iota(std::size_t{0}, arrivals.size());
      if (std::ranges::none_of(all, missing)) letPass(reaches);  // nothing that could still come sooner
      if (reaches <= linkNs()) return first;
    }
    nap();
  }
}

bool Communicator::hasArrived(Transfer& transfer) {
  int message = 0, stamp = 0;
  check(MPI_Test(&transfer.request, &message, MPI_STATUS_IGNORE), "receiving", transfer.peer);
  check(MPI_Test(&transfer.stamp->request, &stamp, MPI_STATUS_IGNORE), "receiving", transfer.peer);
  if (message != 0 && transfer.arrivedNs == 0)
    transfer.arrivedNs = outstanding_.settle(transfer.watch, wallNs());  // MPI_Test freed what was watched
  return message != 0 && stamp != 0;
}

bool Communicator::areHere(std::span<const Transfer> transfers) {
  if (transfers.empty()) return true;
  const Aside polling(tracer_);
  lookAfterTransfers(wallNs());
  const auto guard = hold();
  if (engine_ != nullptr) check(engine_->turn(), "moving messages");
  return std::ranges::all_of(transfers, [&](const Transfer& transfer) { return hasCompleted(transfer); });
}

bool Communicator::hasCompleted(const Transfer& transfer) const {
  if (transfer.moving) return engine_->completedNs(*transfer.moving) != 0;
  const auto isDone = [&](MPI_Request request) {
    int done = 0;
    check(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE), "looking after a transfer",
          transfer.peer);
    return done != 0;
  };
  if (!isDone(transfer.request)) return false;
  if (!transfer.receives || transfer.stamp == nullptr) return true;
  // before it reaches this side one that departed earlier may still come, which would be served first
  return isDone(transfer.stamp->request) && reachesNs(*transfer.stamp, transfer.peer) <= linkNs();
}

}  // namespace halo
