// DistDGL on whole graphs, as MixGCN describes it (MixGCN 2.2): a worker fetches the features of its L-hop
// in-neighbourhood, L the number of layers. It computes every layer's rows that its own outputs depend on,
// others' vertices included. Synchronous, exact; nothing travels between layers.
//
//   N⁰ = V_i, N^k = vertices at most k hops against the arcs from V_i
//   layer l:   Z = P[N^(L−1−l), N^(L−l)] Y        dY = P[N^(L−1−l), N^(L−l)]ᵀ dZ
//
// refetch: features are fetched anew before every epoch (as MixGCN counts it), or in the first alone.
#include <array>

#include "engine/methods/full_graph/recompute.h"

namespace halo {
namespace {

const std::array<Parameter, 1> kParameters = {{
    {"refetch", "fetch the features of the neighbourhood before every epoch, not the first alone",
     Flag{true}},
}};

const Registered<MethodEntry> self{MethodEntry{
    .declaration = {"lhop",
                    "fetch the features of all vertices within L hops, compute their rows redundantly",
                    "DistDGL as MixGCN 2.2 describes it", kParameters},
    .make = [](WorkerParts& parts, const Values& values) -> std::unique_ptr<Method> {
      return std::make_unique<FullGraph>(
          parts, std::make_unique<RecomputingPropagator>(parts, everyDepth, values.flag("refetch")),
          /*layer0Cached=*/false);
    },
    .predict = [](const VolumeRequest& request) -> std::vector<PredictedVolume> {
      if (!request.firstEpoch && !request.parameters.flag("refetch")) return {};
      return predictFeatures(request, request.rows);
    },
    .style = [](const RunSettings&, int) -> MethodStyle {
      return {.unknown = "it computes rows that others own, how many is not in the rows that travel"};
    },
    .attends = true,
    .countRows = [](const CountRequest& request) -> std::vector<RowTable> {
      return {neighbourhoodRows(request)};
    }}};

}  // namespace
}  // namespace halo
