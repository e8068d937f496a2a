#include "engine/hybrid/mean_batches.h"

namespace halo {

RaceTimes meanIteration(const MappingRequest& request, Prefetch prefetch, const HybridMapping& mapping) {
  const BatchWork mean = batchWork(request.platform, request.work, mapping,
                                   [&](double seeds, int) { return request.sizes.mean(seeds); });
  const auto lanes = lanesOf(request.platform, request.work, mapping, prefetch, {&mean, &mean, &mean, &mean});
  return race(lanes, request.platform);
}

ResourceManager managedMeans(const MappingRequest& request, Prefetch prefetch, const HybridMapping& start) {
  ResourceManager manager(request.platform, prefetch, start);
  while (!manager.atRest()) {
    const RaceTimes times = meanIteration(request, prefetch, manager.mapping());
    manager.endWindow(timesOf(times, request.platform), times.seconds);
  }
  return manager;
}

}  // namespace halo
