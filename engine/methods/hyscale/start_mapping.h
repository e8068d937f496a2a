#pragma once

#include <span>
#include <vector>

#include "engine/methods/hyscale/settings.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo::hyscale {

/// Sizes around those that trainers get, for the mapping to begin with.
BatchSizes sizesOf(const WorkerParts& parts, const BatchSettings& batches, int trainers);
/// Where seeds and threads of an iteration of so many seeds begin, as the key `mapping` says.
HybridMapping startMapping(const NodeSettings& node, const HybridWork& work, const BatchSizes& sizes,
                           std::int64_t batch);
/// What is wrong with a mapping that was written.
void refuseMapping(const NodeSettings& node, std::int64_t batch, std::vector<Problem>& problems);

/// Seeds of each trainer, processors first: as the mapping has them, low cards taking what does not divide.
/// Fewer seeds than the mapping's are dealt in proportion, by largest remainder and then to low trainers; so
/// a trainer may get none.
void dealSeeds(const HybridMapping& mapping, int cards, std::int64_t seeds, std::vector<std::int64_t>& out);

/// What each trainer's mean gradient counts in the sum. plain: as much as that of any other that has seeds.
void weighGradients(std::span<const std::int64_t> seeds, bool plain, std::vector<double>& out);

}  // namespace halo::hyscale
