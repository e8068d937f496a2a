#include "engine/methods/full_graph/arrival_pass.h"

#include <utility>

#include "engine/base/index.h"

namespace halo {

ArrivalPass::ArrivalPass(WorkerParts& parts, const std::vector<HaloPeer>& peers, Arrival order)
    : order_(order),
      exchange_(parts.comm, peers),
      aggregation_(parts),
      arrived_(at(parts.model.layers())),
      arrivalOrder_(2 * arrived_.size()) {
  for (Peers& each : arrivalOrder_) each.reserve(peers.size());
  for (int layer = 0; layer < parts.model.layers(); ++layer) exchange_.announce(layer);
}

void ArrivalPass::forward(int layer, const EdgeBlock& own, std::span<const Csr> byRank, const Matrix& Y,
                          Matrix& Z) {
  swapArrived(layer);
  exchange_.startForward(layer, Y);
  aggregation_.begin(layer, Y, Z);
  aggregation_.add(own, Y);
  forEachArrived(arrivalOrder_[2 * at(layer)], [&](const HaloPeer& peer) {
    const Csr& from = byRank[at(peer.rank)];
    const EdgeBlock edges{from, /*transposed=*/from, {}, peer.receiveBegin, peer.receiveCount};
    aggregation_.add(edges, exchange_.halo());
  });
  aggregation_.finish();
  swapArrived(layer);
}

void ArrivalPass::backward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& dZ,
                           Matrix& dY) {
  aggregation_.beginBackward(layer, dZ);
  aggregation_.rowGradients(halo, arrived_[at(layer)], haloGradient_);
  exchange_.startBackward(layer, haloGradient_);
  aggregation_.ownGradients(own, dY);
  aggregation_.finishBackward(dY);
  forEachArrived(arrivalOrder_[2 * at(layer) + 1],
                 [&](const HaloPeer& peer) { exchange_.addReturned(peer, dY); });
}

template <class Add>
void ArrivalPass::forEachArrived(Peers& peers, const Add& add) {
  if (repeats_) {
    for (const HaloPeer* peer : peers) add(*exchange_.next(*peer));
    exchange_.next(order_);  // nothing more, but that all was sent
    return;
  }
  peers.clear();
  while (const HaloPeer* peer = exchange_.next(order_)) {
    add(*peer);
    peers.push_back(peer);
  }
}

void ArrivalPass::swapArrived(int layer) {
  if (aggregation_.attends()) std::swap(exchange_.halo(), arrived_[at(layer)]);
}

std::size_t ArrivalPass::bufferBytes() const {
  std::size_t bytes = exchange_.bufferBytes() + haloGradient_.heldBytes() + aggregation_.bytes();
  for (const Matrix& rows : arrived_) bytes += rows.heldBytes();
  return bytes;
}

}  // namespace halo
