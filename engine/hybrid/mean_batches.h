#pragma once

#include "engine/hybrid/iteration.h"
#include "engine/hybrid/resource_manager.h"

namespace halo {

/// An iteration in which every mini-batch has its mean size: what happens where stages share host memory.
RaceTimes meanIteration(const MappingRequest& request, Prefetch prefetch, const HybridMapping& mapping);

/// The resource manager on such iterations, from `start` until it rests.
ResourceManager managedMeans(const MappingRequest& request, Prefetch prefetch, const HybridMapping& start);

}  // namespace halo
