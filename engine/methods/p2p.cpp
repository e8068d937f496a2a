// Point-to-point messages taken as they arrive (Demirci et al., VLDB 2023). Every worker posts receives from
// all it needs rows of, sends its own, and aggregates its own block. Then it adds each neighbour's block when
// its rows come, in whatever order that is. Synchronous, exact to rounding.
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
// Departures: backward the partial sums of a neighbour's rows travel ("push"). The paper's fetching of G
// through A is right for symmetric A only. Push is exact for directed graphs too. It moves the same rows, and
// for a symmetric pattern between the same ranks. W is multiplied once, not with every message. One
// all-reduce an epoch, not one a layer.
#include <array>

#include "engine/base/index.h"
#include "engine/methods/full_graph/arrival_pass.h"
#include "engine/methods/full_graph/full_graph.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

constexpr std::array<Parameter, 1> kParameters = {kAccumulationParameter};

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
      : own_(parts.model, parts.share.graph.own),
        halo_(parts.model, parts.share.graph.halo),
        byRank_(at(parts.share.graph.parts)),
        pass_(parts, parts.share.graph.peers, order) {
    const LocalGraph& graph = parts.share.graph;
    for (const HaloPeer& peer : graph.peers)
      byRank_[at(peer.rank)] = onlyColumns(graph.halo, peer.receiveBegin, peer.receiveCount);
  }

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    pass_.forward(layer, own_.block(), byRank_, Y, Z);
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    pass_.backward(layer, own_.block(), halo_.block(), dZ, dY);
  }
  // In the order of then, sums come to the same bits.
  void repeat(bool repeats) override { pass_.repeat(repeats); }
  std::size_t bufferBytes() const override { return pass_.bufferBytes(); }

 private:
  TurnedEdges own_, halo_;
  std::vector<Csr> byRank_;  // own × halo rows, those of one rank alone; only summed forward
  ArrivalPass pass_;
};

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"p2p", "add each neighbour's rows as they arrive, one message a neighbour and direction",
                    "Demirci et al., VLDB 2023", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(
          parts, std::make_unique<ArrivalPropagator>(parts, accumulation(values)), /*layer0Cached=*/false);
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
