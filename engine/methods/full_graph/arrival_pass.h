#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/comm/exchange/exchange.h"
#include "engine/methods/full_graph/aggregation.h"

namespace halo {

inline constexpr std::array<std::string_view, 2> kAccumulations = {"arrival", "fixed"};
inline constexpr Parameter kAccumulationParameter{
    "accumulation", "in which order messages are added: as they arrive, or fixed, for the same bits always",
    Choice{"arrival", kAccumulations}};
inline Arrival accumulation(const Values& values) {
  return values.text("accumulation") == "fixed" ? Arrival::inOrder : Arrival::any;
}

/// Aggregation over own rows, and over each peer's rows as they come; its adjoint returns partial sums
/// ("push": exact for directed graphs too):
///
///   Z = own Y + Σ_j block_j Y_j as the Y_j arrive       dY = ownᵀ dZ + Σ_j rows that j returns, as they
///   arrive
///
/// Where layers attend, the halo rows of every layer are kept for its backward pass.
class ArrivalPass {
 public:
  /// `peers`, the plan, outlives this. Between passes it may change, but not whom it names.
  ArrivalPass(WorkerParts& parts, const std::vector<HaloPeer>& peers, Arrival order);

  /// byRank[r]: own × all halo rows, with what stands in the columns of rank r's.
  void forward(int layer, const EdgeBlock& own, std::span<const Csr> byRank, const Matrix& Y, Matrix& Z);
  /// halo: own × all halo rows.
  void backward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& dZ, Matrix& dY);

  /// Of the passes that follow: whether rows are added in the order in which they last arrived.
  void repeat(bool repeats) { repeats_ = repeats; }
  std::size_t bufferBytes() const;

 private:
  using Peers = std::vector<const HaloPeer*>;

  template <class Add>
  void forEachArrived(Peers& peers, const Add& add);
  /// Where layers attend: puts the rows that arrive where the layer's last ones were, so that no layer's
  /// buffer grows for another's; afterwards away again.
  void swapArrived(int layer);

  Arrival order_;
  HaloExchange exchange_;
  Aggregation aggregation_;
  std::vector<Matrix> arrived_;      // by layer, where it attends
  std::vector<Peers> arrivalOrder_;  // by layer and direction, as they last arrived
  bool repeats_ = false;
  Matrix haloGradient_;
};

}  // namespace halo
