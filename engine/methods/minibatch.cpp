// DistDGL's mini-batches (Zheng et al., IA3 2020): every worker takes seeds of its own. Neighbours are drawn
// by who owns the target, and features are pulled from their owners. Gradients are summed after every batch.
// Synchronous.
//
//   rank i, iteration t:   V^L_i = its seeds;   for l = L … 1: E^l_i drawn, V^(l−1)_i = V^l_i and its sources
//                          X(V^0_i) pulled;   Z^l = P̂^l Y^(l−1);   dY^(l−1) = P̂^lᵀ dZ^l
//   P̂_vu = (d_v / k_v) P_vu of a drawn arc, P_vv as it is: unbiased given Y
//   bytes of all ranks, R^l remote targets and e^l their arcs, R^0 remote vertices of V^0, I iterations:
//     8 P(P−1) L I + 8 Σ_{l=1}^{L−1} (R^l + e^l) + (8 + d_0 S) R^0 + 2(P−1) W S I
//
// Departures: draws are keyed by update, layer and vertex, so that who draws does not matter. Training and
// pulling do not overlap. How DistDGL's samplers group their calls is not known.
#include "engine/methods/minibatch/batch_entry.h"
#include "engine/methods/minibatch/batch_settings.h"

namespace halo {
namespace {

constexpr auto kParameters = joined(kBatchParameters, kSamplerParameters);

const Registered<MethodEntry> self{
    batchEntry({"minibatch", "sample mini-batches of own seeds, pull what they read from its owners",
                "DistDGL, IA3 2020", kParameters},
               {{"never_drawn", "training vertices that the sampler never draws, which are in no loss",
                 Metric::Unit::plain}})};

}  // namespace
}  // namespace halo
