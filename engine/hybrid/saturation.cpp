#include "engine/hybrid/saturation.h"

#include <algorithm>
#include <limits>

#include "engine/hybrid/stage_model.h"

namespace halo {

std::optional<int> saturatingCards(const MappingRequest& request, std::int64_t seedsEach, int most) {
  constexpr double kRounding = 0.999;  // seeds are whole, so that stages are hardly ever equal
  HybridPlatform platform = request.platform;
  platform.threadSampleMedges = std::numeric_limits<double>::infinity();
  for (int cards = 1; cards <= most; ++cards) {
    platform.cards = cards;
    const HybridMapping mapping =
        modelMapping({platform, request.work, request.sizes, seedsEach * (cards + 1), request.cpuTrains});
    const HybridTimes times = predictStages(platform, request.work, request.sizes, mapping);
    if (times.load >= kRounding * std::max(times.transfer, times.propagate())) return cards;
  }
  return std::nullopt;
}

}  // namespace halo
