#include "engine/comm/exchange/relayed_exchange.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {
namespace {

enum class Stage { owners, relays };

int tag(int layer, Stage stage, bool backward) {
  return 4 * layer + (stage == Stage::relays ? 2 : 0) + (backward ? 1 : 0);
}

std::vector<RowBlock> blocksOf(const std::vector<PeerRows>& peers) {
  std::vector<RowBlock> blocks;
  Index begin = 0;
  for (const PeerRows& peer : peers) {
    const auto count = static_cast<Index>(peer.rows.size());
    blocks.push_back({peer.rank, begin, count});
    begin += count;
  }
  return blocks;
}

/// Of the owners that halo rows come from directly: those of which rows are passed on (late), or the others.
/// The gradients of rows passed on are complete only when others have returned theirs.
std::vector<PeerRows> ownersOf(const RelayRoutes& routes, bool late) {
  std::vector<Vertex> passed;
  for (const PeerRows& peer : routes.passed) passed.insert(passed.end(), peer.rows.begin(), peer.rows.end());
  std::ranges::sort(passed);
  std::vector<PeerRows> owners;
  for (const PeerRows& peer : routes.direct)
    if (late ==
        std::ranges::any_of(peer.rows, [&](Vertex row) { return std::ranges::binary_search(passed, row); }))
      owners.push_back(peer);
  return owners;
}

Index rowCount(const std::vector<PeerRows>& peers) {
  Index count = 0;
  for (const PeerRows& peer : peers) count += static_cast<Index>(peer.rows.size());
  return count;
}

}  // namespace

RelayedExchange::RelayedExchange(Communicator& comm, RelayRoutes routes)
    : comm_(comm),
      routes_(std::move(routes)),
      ready_(ownersOf(routes_, /*late=*/false)),
      late_(ownersOf(routes_, /*late=*/true)),
      out_(comm, blocksOf(routes_.sent), blocksOf(routes_.direct)),
      on_(comm, blocksOf(routes_.passed), blocksOf(routes_.relayed)),
      back_(comm, blocksOf(routes_.relayed), blocksOf(routes_.passed)),
      home_(comm, blocksOf(ready_), blocksOf(routes_.sent)),
      homeLate_(comm, blocksOf(late_), {}) {
  HALO_CHECK(rowCount(routes_.direct) + rowCount(routes_.relayed) == routes_.haloRows);
}

/// Each peer's part of what is packed, or arrived, by `peers`.
template <class Take>
void RelayedExchange::eachPeer(const std::vector<PeerRows>& peers, const Matrix& packed, const Take& take) {
  std::size_t at = 0;
  for (const PeerRows& peer : peers) {
    const std::size_t size = peer.rows.size() * static_cast<std::size_t>(packed.cols());
    take(packed.values().subspan(at, size), peer.rows);
    at += size;
  }
}

void RelayedExchange::pack(const std::vector<PeerRows>& peers, const Matrix& X, Matrix& packed) {
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  packed.resize(rowCount(peers), X.cols());
  std::size_t at = 0;
  for (const PeerRows& peer : peers) {
    const std::size_t size = peer.rows.size() * static_cast<std::size_t>(X.cols());
    gatherRows(X, peer.rows, packed.values().subspan(at, size));
    at += size;
  }
}

void RelayedExchange::startForward(int layer, const Matrix& X) {
  layer_ = layer;
  pack(routes_.sent, X, packed_);
  halo_.resize(routes_.haloRows, X.cols());
  out_.start(tag(layer, Stage::owners, false), packed_);
}

Matrix& RelayedExchange::finishForward() {
  const auto toHalo = [&](std::span<const Scalar> rows, const std::vector<Vertex>& places) {
    scatterRows(rows, places, halo_);
  };
  eachPeer(routes_.direct, out_.finish(), toHalo);
  pack(routes_.passed, halo_, packedOn_);
  on_.start(tag(layer_, Stage::relays, false), packedOn_);
  eachPeer(routes_.relayed, on_.finish(), toHalo);
  return halo_;
}

void RelayedExchange::startBackward(int layer, Matrix& haloGradient) {
  HALO_CHECK(haloGradient.rows() == routes_.haloRows);
  layer_ = layer;
  gradient_ = &haloGradient;
  returned_ = nullptr;
  pack(routes_.relayed, haloGradient, packedOn_);
  back_.start(tag(layer, Stage::relays, true), packedOn_);
  pack(ready_, haloGradient, packed_);
  home_.start(tag(layer, Stage::owners, true), packed_);
}

void RelayedExchange::awaitBackward() {
  if (returned_ != nullptr) return;
  eachPeer(routes_.passed, back_.finish(),
           [&](std::span<const Scalar> rows, const std::vector<Vertex>& places) {
             addRows(rows, places, *gradient_);
           });
  pack(late_, *gradient_, packedOn_);
  homeLate_.start(tag(layer_, Stage::owners, true), packedOn_);
  returned_ = &home_.finish();
  homeLate_.finish();
}

void RelayedExchange::finishBackward(Matrix& dX) {
  awaitBackward();
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  eachPeer(routes_.sent, *returned_, [&](std::span<const Scalar> rows, const std::vector<Vertex>& places) {
    addRows(rows, places, dX);
  });
}

void RelayedExchange::release() {
  for (Matrix* rows : {&packed_, &packedOn_, &halo_}) *rows = Matrix();
  for (RowExchange* exchange : {&out_, &on_, &back_, &home_, &homeLate_}) exchange->release();
}

std::size_t RelayedExchange::bufferBytes() const {
  return packed_.heldBytes() + packedOn_.heldBytes() + halo_.heldBytes() + out_.bufferBytes() +
         on_.bufferBytes() + back_.bufferBytes() + home_.bufferBytes() + homeLate_.bufferBytes();
}

}  // namespace halo
