#pragma once

#include <array>
#include <string_view>

#include "engine/hybrid/node_keys.h"
#include "engine/hybrid/platform.h"
#include "engine/hybrid/prefetch.h"
#include "engine/sampling/batch_keys.h"
#include "engine/sampling/fanouts.h"
#include "simulator/contract/simulation_kind.h"

namespace halo::sim {

// The keys of [[simulate]] platform.

inline constexpr std::string_view kBatchSizes[] = {"drawn", "hp-gnn"};
/// HyScale's ablation, each with something more than the one before; managed and one-stage are the same.
inline constexpr std::string_view kHybridModes[] = {"keys",    "serial",    "baseline", "hybrid",
                                                    "managed", "one-stage", "two-stage"};
inline constexpr Parameter kPlatformParameters[] = {
    platformParameter(""),
    {"mode",
     "HyScale's ablation: serial, cards alone without prefetching; baseline, with one stage; hybrid, the "
     "processors too; managed; two-stage, from where managed rests. keys: as the next four say",
     Choice{"keys", kHybridModes}},
    {"prefetch", "what of later mini-batches runs beside propagation", Choice{"two", kPrefetches}},
    {"cpu_trains", "the processors train beside the cards", Flag{true}},
    {"manage", "the resource manager changes the mapping", Flag{true}},
    {"mapping",
     "the first one: model, by the performance model; best, of a search over races; managed, where the "
     "manager "
     "rests with one stage prefetched; or seeds of the processors and threads, as 1024/42/42/44",
     Text{"model"}},
    {"seeds", "of an iteration and trainer: each card, and the processors", Integer{1024, 1, 1'000'000}},
    {"fanouts", "neighbours sampled of a vertex, from the layer at the inputs to that of the seeds",
     Text{"25,10", /*numbers=*/true}},
    {"sizes",
     "of mini-batches: drawn from the data set; or those that HP-GNN prints for 1024 seeds and fan-outs "
     "25,10, "
     "in proportion",
     Choice{"drawn", kBatchSizes}},
    {"train_vertices", "of the whole graph; 0: those of the data set's split, over its scale",
     Integer{0, 0, 1'000'000'000'000}},
    {"features", "width of the inputs; 0: the data set's", Integer{0, 0, 1'000'000}},
    {"classes", "width of the outputs; 0: the data set's", Integer{0, 0, 1'000'000}},
    kHostTrafficFactorParameter,
    {"average",
     "what each trainer's gradient counts: weighted by its seeds, the gradient of the whole batch; or plain, "
     "all alike, as HyScale's text has it. Takes no time; result.gradient_weights has the weights",
     Choice{"weighted", kAverages}},
    kSendsTopologyParameter,
    {"iterations", "that are simulated; an epoch is as many as the training vertices ask for",
     Integer{400, 1, 1'000'000}},
    {"window", "iterations between two decisions of the resource manager", Integer{5, 1, 1'000'000}},
    {"draws", "mini-batches sampled of each size", Integer{6, 1, 1000}},
};

/// What is wrong with them, whatever the data. A mode is replaced by the keys that it stands for.
std::vector<Problem> checkPlatformKeys(SimulateSettings& settings, const SimulationContext& context);
/// An iteration's seeds are different vertices of `source`.
std::optional<Problem> tooManySeeds(const SimulateSettings& settings, double vertices,
                                    const std::string& source = "the data set");

// What they say, once they are known to be right.

HybridPlatform platformOf(const SimulateSettings& settings);
Prefetch prefetchOf(const SimulateSettings& settings);
Fanouts fanoutsOf(const SimulateSettings& settings);
/// B: seeds of an iteration. Where the processors do not train the cards share out the same.
std::int64_t batchOf(const SimulateSettings& settings);

}  // namespace halo::sim
