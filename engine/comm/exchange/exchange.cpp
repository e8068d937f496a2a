#include "engine/comm/exchange/exchange.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {
namespace {

int tag(int layer, bool backward) { return 2 * layer + (backward ? 1 : 0); }

}  // namespace

void HaloExchange::reserve(Index width) {
  reserveReturned(width);
  halo_.resize(receiveCount(peers_), width);
}

void HaloExchange::announce(int layer) {
  for (const HaloPeer& peer : peers_)
    for (const bool backward : {false, true}) comm_.announce(peer.rank, tag(layer, backward));
}

void HaloExchange::reserveReturned(Index width) {
  HALO_CHECK(transfers_.empty());
  resizeUndefined(packed_, static_cast<std::size_t>(sendCount(peers_) * width));
}

void HaloExchange::startForward(int layer, const Matrix& X) {
  HALO_CHECK(transfers_.empty());
  width_ = X.cols();
  const auto width = static_cast<std::size_t>(width_);
  halo_.resize(receiveCount(peers_), width_);
  resizeUndefined(packed_, static_cast<std::size_t>(sendCount(peers_)) * width);
  for (const HaloPeer& peer : peers_)
    if (peer.receiveCount > 0)
      transfers_.push_back(comm_.startReceive(
          peer.rank, tag(layer, false),
          {halo_.data() + peer.receiveBegin * width_, static_cast<std::size_t>(peer.receiveCount) * width},
          width_));
  receives_ = transfers_.size();
  const auto eachSent = [&](const auto& take) {
    std::size_t at = 0;
    for (const HaloPeer& peer : peers_) {
      if (peer.sendRows.empty()) continue;
      take(peer, std::span<Scalar>(packed_.data() + at, peer.sendRows.size() * width));
      at += peer.sendRows.size() * width;
    }
  };
  {
    const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
    eachSent([&](const HaloPeer& peer, std::span<Scalar> rows) { gatherRows(X, peer.sendRows, rows); });
  }
  comm_.copyOut(static_cast<std::int64_t>(packed_.size() * sizeof(Scalar)));
  eachSent([&](const HaloPeer& peer, std::span<Scalar> rows) {
    transfers_.push_back(comm_.startSend(peer.rank, tag(layer, false), rows, width_));
  });
}

Matrix& HaloExchange::finishForward() {
  comm_.waitAll(transfers_);
  transfers_.clear();
  return halo_;
}

void HaloExchange::startBackward(int layer, const Matrix& haloGradient) {
  HALO_CHECK(transfers_.empty());
  HALO_CHECK(haloGradient.rows() == receiveCount(peers_));
  width_ = haloGradient.cols();
  const auto width = static_cast<std::size_t>(width_);
  resizeUndefined(packed_, static_cast<std::size_t>(sendCount(peers_)) * width);
  std::size_t at = 0;
  for (const HaloPeer& peer : peers_) {
    if (peer.sendRows.empty()) continue;
    transfers_.push_back(comm_.startReceive(peer.rank, tag(layer, true),
                                            {packed_.data() + at, peer.sendRows.size() * width}, width_));
    at += peer.sendRows.size() * width;
  }
  receives_ = transfers_.size();
  comm_.copyOut(static_cast<std::int64_t>(haloGradient.bytes()));
  for (const HaloPeer& peer : peers_)
    if (peer.receiveCount > 0)
      transfers_.push_back(comm_.startSend(peer.rank, tag(layer, true),
                                           {haloGradient.data() + peer.receiveBegin * width_,
                                            static_cast<std::size_t>(peer.receiveCount) * width},
                                           width_));
}

std::span<Scalar> HaloExchange::awaitBackward() {
  comm_.waitAll(transfers_);
  transfers_.clear();
  return packed_;
}

const HaloPeer* HaloExchange::next(Arrival order) {
  const auto receives = std::span(transfers_).first(receives_);
  if (order == Arrival::any) {
    const int position = comm_.waitAny(receives);
    return taken(position < 0 ? receives.end() : receives.begin() + position);
  }
  const auto first = std::ranges::find(receives, false, &Transfer::taken);
  if (first != receives.end()) comm_.waitAll({&*first, 1});
  return taken(first);
}

const HaloPeer* HaloExchange::next(const HaloPeer& peer) {
  const auto receives = std::span(transfers_).first(receives_);
  const auto receive = std::ranges::find(receives, peer.rank, &Transfer::peer);
  HALO_CHECK(receive != receives.end() && !receive->taken);
  comm_.waitAll({&*receive, 1});
  return taken(receive);
}

const HaloPeer* HaloExchange::taken(std::span<Transfer>::iterator receive) {
  const auto receives = std::span(transfers_).first(receives_);
  if (receive != receives.end()) return &*std::ranges::find(peers_, receive->peer, &HaloPeer::rank);
  comm_.waitAll(std::span(transfers_).subspan(receives_));
  transfers_.clear();
  receives_ = 0;
  return nullptr;
}

void HaloExchange::addReturned(const HaloPeer& peer, Matrix& dX) {
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  std::size_t rows = 0;
  for (const HaloPeer& before : peers_) {
    if (before.rank == peer.rank) break;
    rows += before.sendRows.size();
  }
  const auto width = static_cast<std::size_t>(dX.cols());
  addRows({packed_.data() + rows * width, peer.sendRows.size() * width}, peer.sendRows, dX);
}

void HaloExchange::finishBackward(Matrix& dX) { addReturned(awaitBackward(), dX); }

void HaloExchange::finishBackwardSmoothed(const MeanStep& step, Matrix& mean, Matrix& dX) {
  const std::span<const Scalar> rows = awaitBackward();
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  if (mean.empty()) mean.setZero(sendCount(peers_), dX.cols());
  std::size_t at = 0;
  for (const HaloPeer& peer : peers_) {
    if (peer.sendRows.empty()) continue;
    const std::size_t size = peer.sendRows.size() * static_cast<std::size_t>(dX.cols());
    smoothAndAdd(step, rows.subspan(at, size), mean.values().subspan(at, size), peer.sendRows, dX);
    at += size;
  }
}

void HaloExchange::addReturned(std::span<const Scalar> rows, Matrix& dX) {
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  std::size_t at = 0;
  for (const HaloPeer& peer : peers_) {
    if (peer.sendRows.empty()) continue;
    const std::size_t size = peer.sendRows.size() * static_cast<std::size_t>(dX.cols());
    addRows(rows.subspan(at, size), peer.sendRows, dX);
    at += size;
  }
}

}  // namespace halo
