// Vanilla partition parallelism (methods.md 1; "GCN" in PipeGCN, "partition parallelism" in MixGCN): every
// worker owns the rows V_i, fetches its halo rows before each aggregation and returns their gradients after
// it. Synchronous, exact.
//
//   rank i, layer l:   Z_i = P[V_i,V_i] Y_i + P[V_i,B_i] Y(B_i)        dY_i = P[V_i,V_i]ᵀ dZ_i + Σ_j (rows j
//   returned)
//
// overlap = none       wait for the halo, then aggregate (the baseline of PipeGCN's Table 2)
// overlap = local-first aggregate the own block while the halo travels
// The backward exchange is "push" (methods.md 0.3): exact for directed graphs too.
#include <array>

#include "engine/comm/exchange.h"
#include "engine/methods/full_graph.h"
#include "engine/methods/volume.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 2> kOverlap = {"none", "local-first"};
const std::array<Parameter, 2> kParameters = {{
    {"overlap", "what to compute while halo rows travel", Choice{"none", kOverlap}},
    {"layer0_cache", "aggregate the input features once, not every epoch", Flag{false}},
}};

class HaloPropagator final : public Propagator {
 public:
  HaloPropagator(WorkerParts& parts, bool localFirst)
      : parts_(parts),
        localFirst_(localFirst),
        ownTransposed_(transpose(parts.share.graph.own)),
        haloTransposed_(transpose(parts.share.graph.halo)),
        exchange_(parts.comm, parts.share.graph) {}

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    const LocalGraph& graph = parts_.share.graph;
    exchange_.startForward(layer, Y);
    if (localFirst_) aggregate(parts_.tracer, graph.own, Y, Z, Write::overwrite);
    const Matrix& halo = exchange_.finishForward();
    if (!localFirst_) aggregate(parts_.tracer, graph.own, Y, Z, Write::overwrite);
    if (graph.halo.nonzeros() > 0) aggregate(parts_.tracer, graph.halo, halo, Z, Write::add);
  }

  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    aggregate(parts_.tracer, haloTransposed_, dZ, haloGradient_, Write::overwrite);
    exchange_.startBackward(layer, haloGradient_);
    if (localFirst_) {
      aggregate(parts_.tracer, ownTransposed_, dZ, dY, Write::overwrite);
      exchange_.finishBackward(dY);
      return;
    }
    exchange_.awaitBackward();
    aggregate(parts_.tracer, ownTransposed_, dZ, dY, Write::overwrite);
    exchange_.finishBackward(dY);
  }

  std::size_t bufferBytes() const override { return exchange_.bufferBytes() + haloGradient_.bytes(); }

 private:
  WorkerParts& parts_;
  bool localFirst_;
  Csr ownTransposed_, haloTransposed_;
  HaloExchange exchange_;
  Matrix haloGradient_;
};

const Registered<MethodEntry> self{
    {{"vanilla", "fetch halo rows before every aggregation, return their gradients after it",
      "PipeGCN 2, MixGCN 2.2", kParameters},
     true,
     [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
       auto propagator = std::make_unique<HaloPropagator>(parts, values.text("overlap") == "local-first");
       return std::make_unique<FullGraph>(parts, std::move(propagator), values.flag("layer0_cache"));
     },
     predictHaloExchange}};

}  // namespace
}  // namespace halo
