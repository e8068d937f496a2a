// Communicator's messages on an emulated link: MPI carries them, and they are handed over when the link's
// model says so.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "engine/base/clock.h"
#include "engine/comm/communicator/communicator.h"
#include "engine/comm/link/host_cards.h"

namespace halo {

void Communicator::emulate(const LinkModel& model, std::int64_t clockOffsetNs) {
  HALO_CHECK(engine_ == nullptr);  // it moves bytes of real links
  link_ = Link(model);
  linkClock_ = LinkClock(clockOffsetNs);
  cards_.reset();
  if (!link_.emulated()) return;
  sleepExactly();
  if (model.ranksPerHost == 0 || size_ == 1) return;
  const std::int64_t together = min(std::int64_t{ranksOnThisHost()});
  if (together < size_)
    throw std::runtime_error("cluster.link with per = \"host\" needs all " + std::to_string(size_) +
                             " ranks on one machine, and some have only " + std::to_string(together) +
                             " on theirs; per = \"rank\" needs none");
  cards_ = std::make_unique<HostCards>(stamps_, model.ranksPerHost);
}

bool Communicator::staysWithin(int peer) const { return cards_ != nullptr && cards_->sharesHost(peer); }

std::int64_t Communicator::stopLink() {
  const std::int64_t now = wallNs();
  if (link_.emulated()) linkClock_.stop(max(now + linkClock_.offsetNs()) - linkClock_.offsetNs());
  return now;
}

std::int64_t Communicator::startLink() {
  if (!link_.emulated()) return wallNs();
  const std::int64_t start = max(wallNs() + linkClock_.offsetNs()) - linkClock_.offsetNs();
  linkClock_.start(start);
  sleepUntil(start);
  return start;
}

std::int64_t Communicator::linkBacklogNs() const {
  return link_.emulated() ? std::max<std::int64_t>(lastLeavesNs_ - linkNs(), 0) : 0;
}

void Communicator::depart(Transfer& transfer, int tag) {
  const std::int64_t posted = linkClock_.toLink(transfer.postedNs);
  Stamps::Stamp& stamp = travelling_.add({});
  transfer.stamp.reset(&stamp);
  if (cards_ == nullptr) {
    stamp.departsNs = link_.send(posted, transfer.bytes);
  } else {
    stamp.departsNs = link_.ready(posted, transfer.bytes);
    if (!staysWithin(transfer.peer)) {
      const auto [ns, place] =
          cards_->send(link_, linkClock_, stamp.departsNs, transfer.bytes, transfer.peer);
      stamp.departsNs = ns;
      stamp.place = place;
    }
  }
  const std::int64_t takes = staysWithin(transfer.peer) ? 0 : link_.transferNs(transfer.bytes);
  transfer.linkNs = stamp.departsNs + takes;
  lastLeavesNs_ = std::max(lastLeavesNs_, transfer.linkNs);
  check(
      MPI_Isend(stamp.told(), Stamps::Stamp::kTold, MPI_INT64_T, transfer.peer, tag, stamps_, &stamp.request),
      "sending", transfer.peer);
}

std::int64_t Communicator::reachesNs(const Stamps::Stamp& stamp, int peer) const {
  return staysWithin(peer) ? stamp.departsNs : stamp.departsNs + link_.latencyNs();
}

void Communicator::serve(Stamps::Stamp& stamp) {
  if (cards_ != nullptr) {
    if (stamp.arrivesNs == 0)
      stamp.arrivesNs = stamp.place == HostCard::kNoPlace ? stamp.departsNs : cards_->take(stamp.place);
    return;
  }
  travelling_.serve(link_, stamp, [this](const Stamps::Stamp& other) {
    if (other.request == MPI_REQUEST_NULL) return true;
    int done = 0;
    check(MPI_Request_get_status(other.request, &done, MPI_STATUS_IGNORE), "receiving", other.peer);
    return done != 0;
  });
}

void Communicator::letPass(std::int64_t linkDeadlineNs) {
  const std::int64_t deadlineNs = linkClock_.toWall(linkDeadlineNs);
  for (std::int64_t now = wallNs(); now < deadlineNs; now = wallNs()) {
    lookAfterTransfers(now);
    sleepUntil(outstanding_.any() ? std::min(deadlineNs, now + kLookEveryNs) : deadlineNs);
  }
}

void Communicator::waitForLink(std::span<Transfer> transfers) {
  std::vector<Transfer*>& arriving = arriving_;
  arriving.clear();
  for (Transfer& transfer : transfers)
    if (transfer.receives) arriving.push_back(&transfer);
  if (arriving.empty()) return;
  std::ranges::sort(arriving,
                    [](const Transfer* a, const Transfer* b) { return departsBefore(*a->stamp, *b->stamp); });
  // until here one that departs before the last may still be posted; nor is the last one delivered sooner
  std::int64_t reaches = 0;
  for (const Transfer* transfer : arriving)
    reaches = std::max(reaches, reachesNs(*transfer->stamp, transfer->peer));
  letPass(reaches);
  serve(*arriving.back()->stamp);
  std::int64_t last = 0, bytes = 0;
  for (const Transfer* transfer : arriving) {
    serve(*transfer->stamp);  // most were, before the last
    last = std::max(last, transfer->stamp->arrivesNs);
    bytes += transfer->bytes;
  }
  std::ranges::sort(arriving, {}, [](const Transfer* transfer) { return transfer->stamp->arrivesNs; });
  const std::int64_t copied = link_.copyIn(last, bytes);
  for (Transfer* each : arriving) {
    Transfer& transfer = *each;
    const std::int64_t delivered = link_.staged() ? copied : transfer.stamp->arrivesNs;
    noteDelivered(transfer, delivered);
    transfer.arrivedNs = std::max({linkClock_.toWall(delivered), transfer.arrivedNs, transfer.postedNs});
    dropStamp(transfer);
  }
  letPass(copied);
}

void Communicator::noteDelivered(const Transfer& transfer, std::int64_t deliveredNs) {
  const Stamps::Stamp& stamp = *transfer.stamp;
  const bool within = staysWithin(transfer.peer);
  if (!within)
    noteDelay(Name::queued, linkClock_.toWall(stamp.departsNs + link_.latencyNs()),
              linkClock_.toWall(stamp.arrivesNs - link_.transferNs(transfer.bytes)), transfer);
  if (link_.staged())
    noteDelay(Name::copied, linkClock_.toWall(stamp.arrivesNs), linkClock_.toWall(deliveredNs), transfer);
  std::int64_t delivered = linkClock_.toWall(deliveredNs);
  if (within) delivered = std::max(delivered, transfer.arrivedNs);  // memory takes its own time
  tracer_.add(Kind::communication, Name::receive, Lane::link,
              std::min(linkClock_.toWall(stamp.departsNs), delivered), delivered, transfer.peer,
              transfer.bytes, transfer.message);
}

}  // namespace halo
