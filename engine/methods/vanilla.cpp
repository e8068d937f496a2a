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
      : graph_(parts.share.graph),
        ownTransposed_(transpose(graph_.own)),
        haloTransposed_(transpose(graph_.halo)),
        pass_(parts, graph_.peers, localFirst) {}

  void forward(int layer, const Matrix& Y, Matrix& Z) override {
    pass_.forward(layer, graph_.own, graph_.halo, Y, Z);
  }
  void backward(int layer, const Matrix& dZ, Matrix& dY) override {
    pass_.backward(layer, ownTransposed_, haloTransposed_, dZ, dY);
  }
  std::size_t bufferBytes() const override { return pass_.bufferBytes(); }

 private:
  const LocalGraph& graph_;
  Csr ownTransposed_, haloTransposed_;
  HaloPass pass_;
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
