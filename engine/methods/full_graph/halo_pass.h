#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/index.h"
#include "engine/comm/exchange/exchange.h"
#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/full_graph/central_rows.h"

namespace halo {

constexpr std::array<std::string_view, 3> kOverlaps = {"none", "local-first", "central"};
/// overlap = none         wait for the halo, then aggregate (the baseline of PipeGCN's Table 2)
/// overlap = local-first  aggregate the own block while the halo travels
/// overlap = central      aggregate rows without remote neighbours while the halo travels, then the others;
///                        backward the own block, which is at hand (AdaQP's order)
inline constexpr Parameter kOverlapParameter{"overlap", "what to compute while halo rows travel",
                                             Choice{"none", std::span(kOverlaps).first<2>()}};
/// Of methods that also know central rows.
inline constexpr Parameter kRowOverlapParameter{"overlap", "what to compute while halo rows travel",
                                                Choice{"none", kOverlaps}};
inline Meanwhile meanwhile(const Values& values) {
  const std::string& overlap = values.text("overlap");
  return overlap == "none" ? Meanwhile::nothing : overlap == "central" ? Meanwhile::central : Meanwhile::own;
}

/// Aggregation over own and halo rows that are exchanged first, and its adjoint ("push":
/// exact for directed graphs too):
///
///   Z = own Y + halo Y(B)        dY = ownᵀ dZ + Σ_j rows that peer j returns of haloᵀ dZ
///
/// Where layers attend, the halo rows of every layer are kept for its backward pass. Exchange: what moves the
/// halo rows, HaloExchange or what has its functions.
template <class Exchange>
class HaloPassOver {
 public:
  /// `peers`, the plan, outlives this and fits the matrices given. `scores`: see Aggregation.
  HaloPassOver(WorkerParts& parts, const std::vector<HaloPeer>& peers, bool localFirst,
               std::vector<GivenScores>* scores = nullptr)
      : HaloPassOver(parts, Exchange(parts.comm, peers), localFirst, scores) {}
  HaloPassOver(WorkerParts& parts, Exchange exchange, bool localFirst,
               std::vector<GivenScores>* scores = nullptr)
      : localFirst_(localFirst),
        exchange_(std::move(exchange)),
        aggregation_(parts, scores),
        arrived_(at(parts.model.layers())) {}

  void forward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& Y, Matrix& Z) {
    start(layer, Y);
    aggregation_.begin(layer, Y, Z, own.edges.rows());
    if (localFirst_) aggregation_.add(own, Y);
    finishForward(layer, localFirst_ ? nullptr : &own, halo, Y);
  }

  /// As forward, where `central` and `marginal` are the own block by rows: the first while the halo travels.
  void forward(int layer, const EdgeBlock& central, const EdgeBlock& marginal, const EdgeBlock& halo,
               const Matrix& Y, Matrix& Z) {
    start(layer, Y);
    aggregation_.begin(layer, Y, Z, central.edges.rows());
    aggregation_.add(central, Y);
    finishForward(layer, &marginal, halo, Y);
  }

  void backward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& dZ, Matrix& dY) {
    aggregation_.beginBackward(layer, dZ);
    aggregation_.rowGradients(halo, arrived_[at(layer)], haloGradient_);
    exchange_.startBackward(layer, haloGradient_);
    if (!localFirst_) exchange_.awaitBackward();
    aggregation_.ownGradients(own, dY);
    aggregation_.finishBackward(dY);
    exchange_.finishBackward(dY);
  }

  void release() { exchange_.release(); }
  std::size_t bufferBytes() const {
    std::size_t bytes = exchange_.bufferBytes() + haloGradient_.heldBytes() + aggregation_.bytes();
    for (const Matrix& rows : arrived_) bytes += rows.heldBytes();
    return bytes;
  }

 private:
  /// Rows arrive where the layer's last ones were: handed on from layer to layer, buffers of narrow layers
  /// would grow one after the other.
  void start(int layer, const Matrix& Y) {
    if (received_ != nullptr) std::swap(*received_, arrived_[at(layer)]);
    exchange_.startForward(layer, Y);
  }
  /// `rest`: of the own block, or nullptr.
  void finishForward(int layer, const EdgeBlock* rest, const EdgeBlock& halo, const Matrix& Y) {
    Matrix& arrived = exchange_.finishForward();
    if (rest != nullptr) aggregation_.add(*rest, Y);
    if (halo.edges.nonzeros() > 0) aggregation_.add(halo, arrived);
    aggregation_.finish();
    if (!aggregation_.attends()) return;
    std::swap(arrived, arrived_[at(layer)]);
    received_ = &arrived;
  }

  bool localFirst_;
  Exchange exchange_;
  Aggregation aggregation_;
  std::vector<Matrix> arrived_;  // by layer, where it attends
  Matrix* received_ = nullptr;   // of the exchange, where it attends
  Matrix haloGradient_;
};

using HaloPass = HaloPassOver<HaloExchange>;

/// The same as a propagator, for the own rows of a row partition.
template <class Exchange>
class HaloPropagatorOver : public Propagator {
 public:
  HaloPropagatorOver(WorkerParts& parts, Exchange exchange, Meanwhile meanwhile)
      : own_(parts.model, parts.share.graph.own),
        halo_(parts.model, parts.share.graph.halo),
        pass_(parts, std::move(exchange), meanwhile != Meanwhile::nothing) {
    if (meanwhile == Meanwhile::central) rows_ = rowsByReach(parts.share.graph.own, parts.share.graph.halo);
  }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    if (!rows_) return pass_.forward(layer, own_.block(), halo_.block(), Y, Z);
    // only a backward pass reads the other way round
    const Csr& turned = own_.block().transposed;
    pass_.forward(layer, {rows_->central, turned}, {rows_->marginal, turned}, halo_.block(), Y, Z);
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    pass_.backward(layer, own_.block(), halo_.block(), dZ, dY);
  }
  void release() override { pass_.release(); }
  std::size_t bufferBytes() const override { return pass_.bufferBytes(); }

 private:
  TurnedEdges own_, halo_;
  std::optional<RowsByReach> rows_;  // where central rows come first
  HaloPassOver<Exchange> pass_;
};

/// Every peer's rows in a message of their own, straight from their owner.
class HaloPropagator : public HaloPropagatorOver<HaloExchange> {
 public:
  HaloPropagator(WorkerParts& parts, const Values& values)
      : HaloPropagatorOver(parts, HaloExchange(parts.comm, parts.share.graph.peers), meanwhile(values)) {}
};

}  // namespace halo
