// Vanilla partition parallelism ("GCN" in PipeGCN, "partition parallelism" in MixGCN): every worker owns the
// rows V_i. It fetches its halo rows before each aggregation and returns their gradients after it.
// Synchronous, exact.
//
//   rank i, layer l:   Z_i = P[V_i,V_i] Y_i + P[V_i,B_i] Y(B_i)
//                      dY_i = P[V_i,V_i]ᵀ dZ_i + Σ_j (rows j returned)
#include <array>

#include "engine/methods/full_graph/halo_pass.h"
#include "engine/methods/laws/volume.h"

namespace halo {
namespace {

const std::array<Parameter, 2> kParameters = {{
    kRowOverlapParameter,
    kLayer0CacheParameter,
}};

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"vanilla", "fetch halo rows before every aggregation, return their gradients after it",
                    "PipeGCN 2, MixGCN 2.2", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(parts, std::make_unique<HaloPropagator>(parts, values),
                                         values.flag("layer0_cache"));
    },
    .predict = predictHaloExchange,
    .style = [](const RunSettings& run, int) -> MethodStyle {
      return {.meanwhile = meanwhile(run.parameters), .pairsAlone = true};
    },
    .attends = true}};

}  // namespace
}  // namespace halo
