// Vanilla partition parallelism (methods.md 1; "GCN" in PipeGCN, "partition parallelism" in MixGCN): every
// worker owns the rows V_i, fetches its halo rows before each aggregation and returns their gradients after
// it. Synchronous, exact.
//
//   rank i, layer l:   Z_i = P[V_i,V_i] Y_i + P[V_i,B_i] Y(B_i)
//                      dY_i = P[V_i,V_i]ᵀ dZ_i + Σ_j (rows j returned)
#include <array>

#include "engine/methods/halo_pass.h"
#include "engine/methods/volume.h"

namespace halo {
namespace {

const std::array<Parameter, 2> kParameters = {{
    kOverlapParameter,
    kLayer0CacheParameter,
}};

class HaloPropagator final : public Propagator {
 public:
  HaloPropagator(WorkerParts& parts, bool localFirst)
      : own_(parts.model, parts.share.graph.own),
        halo_(parts.model, parts.share.graph.halo),
        pass_(parts, parts.share.graph.peers, localFirst) {}

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    pass_.forward(layer, own_.block(), halo_.block(), Y, Z);
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    pass_.backward(layer, own_.block(), halo_.block(), dZ, dY);
  }
  std::size_t bufferBytes() const override { return pass_.bufferBytes(); }

 private:
  TurnedEdges own_, halo_;
  HaloPass pass_;
};

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"vanilla", "fetch halo rows before every aggregation, return their gradients after it",
                    "PipeGCN 2, MixGCN 2.2", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      auto propagator = std::make_unique<HaloPropagator>(parts, values.text("overlap") == "local-first");
      return std::make_unique<FullGraph>(parts, std::move(propagator), values.flag("layer0_cache"));
    },
    .predict = predictHaloExchange,
    .attends = true}};

}  // namespace
}  // namespace halo
