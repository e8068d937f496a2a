#include "engine/hybrid/saturation.h"

#include <algorithm>
#include <limits>

#include "engine/hybrid/stage_model.h"

namespace halo {
namespace {

/// What the model's mapping makes of so many cards, each with as many seeds, where sampling takes no time.
HybridTimes timesOn(int cards, const MappingRequest& request, std::int64_t seedsEach) {
  HybridPlatform platform = request.platform;
  platform.threadSampleMedges = std::numeric_limits<double>::infinity();
  platform.cards = cards;
  const HybridMapping mapping =
      modelMapping({platform, request.work, request.sizes, seedsEach * (cards + 1), request.cpuTrains});
  return predictStages(platform, request.work, request.sizes, mapping);
}

double besideLoading(const HybridTimes& times) { return std::max(times.transfer, times.propagate()); }

}  // namespace

std::optional<int> saturatingCards(const MappingRequest& request, std::int64_t seedsEach, int most) {
  constexpr double kRounding = 0.999;  // seeds are whole, so that stages are hardly ever equal
  for (int cards = 1; cards <= most; ++cards) {
    const HybridTimes times = timesOn(cards, request, seedsEach);
    if (times.load >= kRounding * besideLoading(times)) return cards;
  }
  return std::nullopt;
}

double scalingOverOneCard(const MappingRequest& request, std::int64_t seedsEach) {
  const auto seedsPerSecond = [&](int cards) {
    const HybridTimes times = timesOn(cards, request, seedsEach);
    return static_cast<double>(seedsEach * (cards + 1)) / std::max(times.load, besideLoading(times));
  };
  return seedsPerSecond(request.platform.cards) / seedsPerSecond(1);
}

}  // namespace halo
