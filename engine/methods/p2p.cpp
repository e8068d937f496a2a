// Point-to-point messages taken as they arrive (Demirci et al., VLDB 2023): every worker posts
// receives from all it needs rows of, sends its own, aggregates its own block, and then adds each neighbour's
// block when its rows come, in whatever order that is. Synchronous, exact to rounding.
//
//   forward:   Z_i = P[V_i,V_i] Y_i + Σ_j P[V_i,B_ij] Y(B_ij)     as the Y(B_ij) arrive
//   backward:  dY_i = P[V_i,V_i]ᵀ dZ_i + Σ_j rows that j returns   as they arrive
//
// order auto is update-last: dZ = dU, of width d_{l+1}, travels back in every layer and dW = Hᵀ dY, so that
// no Z is kept. R·(Σ_{l<L} d_l + Σ_{l≥1} d_l) elements in 2L·M messages an epoch.
//
// accumulation = arrival  sums in the order of arrival: the same to rounding
// accumulation = fixed    in ascending rank: the same bits every time
//
// Departures: backward the partial sums of a neighbour's rows travel ("push"), since the
// paper's fetching of G through A is right for symmetric A only; push is exact for directed graphs too, moves
// the same rows, and for a symmetric pattern between the same ranks. W is multiplied once, not with every
// message. One all-reduce an epoch, not one a layer.
#include <array>
#include <utility>

#include "engine/base/index.h"
#include "engine/comm/exchange/exchange.h"
#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 2> kAccumulations = {"arrival", "fixed"};
const std::array<Parameter, 1> kParameters = {{
    {"accumulation", "in which order messages are added: as they arrive, or fixed, for the same bits always",
     Choice{"arrival", kAccumulations}},
}};

/// A with what stands in columns [begin, begin + count) alone, numbered as before.
Csr onlyColumns(const Csr& A, Index begin, Index count) {
  Csr block = columnsOf(A, begin, count);
  block.cols = A.cols;
  for (Vertex& column : block.columns) column += static_cast<Vertex>(begin);
  return block;
}

class ArrivalPropagator final : public Propagator {
 public:
  ArrivalPropagator(WorkerParts& parts, Arrival order)
      : graph_(parts.share.graph),
        order_(order),
        exchange_(parts.comm, graph_.peers),
        aggregation_(parts),
        own_(parts.model, graph_.own),
        halo_(parts.model, graph_.halo),
        blocks_(at(graph_.parts)),
        arrived_(at(parts.model.layers())),
        taken_(2 * arrived_.size()) {
    for (auto& peers : taken_) peers.reserve(graph_.peers.size());
    for (const HaloPeer& peer : graph_.peers)
      block(peer) = onlyColumns(graph_.halo, peer.receiveBegin, peer.receiveCount);
  }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    // rows arrive where the layer's last ones were, so that no layer's buffer grows for another's
    if (aggregation_.attends()) std::swap(exchange_.halo(), arrived_[at(layer)]);
    exchange_.startForward(layer, Y);
    aggregation_.begin(layer, Y, Z);
    aggregation_.add(own_.block(), Y);
    forEachArrived(taken_[2 * at(layer)], [&](const HaloPeer& peer) {
      const Csr& from = block(peer);
      const EdgeBlock edges{from, /*transposed=*/from, {}, peer.receiveBegin, peer.receiveCount};
      aggregation_.add(edges, exchange_.halo());
    });
    aggregation_.finish();
    if (aggregation_.attends()) std::swap(exchange_.halo(), arrived_[at(layer)]);
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    aggregation_.beginBackward(layer, dZ);
    aggregation_.rowGradients(halo_.block(), arrived_[at(layer)], haloGradient_);
    exchange_.startBackward(layer, haloGradient_);
    aggregation_.ownGradients(own_.block(), dY);
    aggregation_.finishBackward(dY);
    forEachArrived(taken_[2 * at(layer) + 1], [&](const HaloPeer& peer) { exchange_.addReturned(peer, dY); });
  }

  // In the order of then, sums come to the same bits.
  void repeat(bool repeats) override { repeats_ = repeats; }

  std::size_t bufferBytes() const override {
    std::size_t bytes = exchange_.bufferBytes() + haloGradient_.heldBytes() + aggregation_.bytes();
    for (const Matrix& rows : arrived_) bytes += rows.heldBytes();
    return bytes;
  }

 private:
  using Peers = std::vector<const HaloPeer*>;

  /// As they arrive, which `taken` keeps; or once more as it says.
  template <class Add>
  void forEachArrived(Peers& taken, const Add& add) {
    if (repeats_) {
      for (const HaloPeer* peer : taken) add(*exchange_.next(*peer));
      exchange_.next(order_);  // nothing more, but that all was sent
      return;
    }
    taken.clear();
    while (const HaloPeer* peer = exchange_.next(order_)) {
      add(*peer);
      taken.push_back(peer);
    }
  }

  Csr& block(const HaloPeer& peer) { return blocks_[at(peer.rank)]; }

  const LocalGraph& graph_;
  Arrival order_;
  HaloExchange exchange_;
  Aggregation aggregation_;
  TurnedEdges own_, halo_;
  std::vector<Csr> blocks_;      // own × halo rows of one rank, by rank; only summed forward
  std::vector<Matrix> arrived_;  // by layer, where it attends
  std::vector<Peers> taken_;     // by layer and direction, as they last arrived
  bool repeats_ = false;
  Matrix haloGradient_;
};

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"p2p", "add each neighbour's rows as they arrive, one message a neighbour and direction",
                    "Demirci et al., VLDB 2023", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      const Arrival order = values.text("accumulation") == "fixed" ? Arrival::inOrder : Arrival::any;
      return std::make_unique<FullGraph>(parts, std::make_unique<ArrivalPropagator>(parts, order),
                                         /*layer0Cached=*/false);
    },
    .predict =
        [](const VolumeRequest& request) {
          return predictHaloRows(request, /*layer0Cached=*/false, request.rows);
        },
    .style = [](const RunSettings&, int) -> MethodStyle {
      return {.meanwhile = Meanwhile::own, .pairsAlone = true};
    },
    .attends = true,
    .autoOrder = "update-last"}};

}  // namespace
}  // namespace halo
