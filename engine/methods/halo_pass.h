#pragma once

#include <array>
#include <vector>

#include "engine/comm/exchange.h"
#include "engine/methods/full_graph.h"

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
class HaloPass {
 public:
  /// `peers`, the plan, outlives this and fits the matrices given.
  HaloPass(WorkerParts& parts, const std::vector<HaloPeer>& peers, bool localFirst)
      : parts_(parts), localFirst_(localFirst), exchange_(parts.comm, peers) {}

  void forward(int layer, const Csr& own, const Csr& halo, const Matrix& Y, Matrix& Z);
  void backward(int layer, const Csr& ownTransposed, const Csr& haloTransposed, const Matrix& dZ, Matrix& dY);
  std::size_t bufferBytes() const { return exchange_.bufferBytes() + haloGradient_.bytes(); }

 private:
  WorkerParts& parts_;
  bool localFirst_;
  HaloExchange exchange_;
  Matrix haloGradient_;
};

}  // namespace halo
