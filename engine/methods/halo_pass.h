#pragma once

#include <array>
#include <vector>

#include "engine/comm/exchange.h"
#include "engine/methods/aggregation.h"

namespace halo {

constexpr std::array<std::string_view, 2> kOverlaps = {"none", "local-first"};
/// overlap = none         wait for the halo, then aggregate (the baseline of PipeGCN's Table 2)
/// overlap = local-first  aggregate the own block while the halo travels
inline constexpr Parameter kOverlapParameter{"overlap", "what to compute while halo rows travel",
                                             Choice{"none", kOverlaps}};

/// Aggregation over own and halo rows that are exchanged first, and its adjoint ("push", methods.md 0.3:
/// exact for directed graphs too):
///
///   Z = own Y + halo Y(B)        dY = ownᵀ dZ + Σ_j rows that peer j returns of haloᵀ dZ
///
/// Where layers attend, the halo rows of every layer are kept for its backward pass.
class HaloPass {
 public:
  /// `peers`, the plan, outlives this and fits the matrices given.
  HaloPass(WorkerParts& parts, const std::vector<HaloPeer>& peers, bool localFirst)
      : localFirst_(localFirst),
        exchange_(parts.comm, peers),
        aggregation_(parts),
        arrived_(static_cast<std::size_t>(parts.model.layers())) {}

  void forward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& Y, Matrix& Z);
  void backward(int layer, const EdgeBlock& own, const EdgeBlock& halo, const Matrix& dZ, Matrix& dY);
  std::size_t bufferBytes() const;

 private:
  bool localFirst_;
  HaloExchange exchange_;
  Aggregation aggregation_;
  std::vector<Matrix> arrived_;  // by layer, where it attends
  Matrix haloGradient_;
};

}  // namespace halo
