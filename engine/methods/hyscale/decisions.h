#pragma once

#include <vector>

#include "engine/hybrid/resource_manager.h"
#include "engine/methods/hyscale/settings.h"

namespace halo::hyscale {

/// When the resource manager is asked, and by which medians: windows of iterations that a mapping has to
/// itself. Without `manage` the mapping stays.
class Decisions {
 public:
  /// travel: iterations until a batch with a new mapping has passed all stages. `node` outlives this.
  Decisions(const NodeSettings& node, const HybridMapping& start, Index lag, Index travel);

  const HybridMapping& mapping() const { return mapping_; }
  /// After iteration t of the run, with what its stages took.
  void iterationDone(Index iteration, const HybridTimes& times, double seconds);
  /// Changes that were tried and undone or kept.
  Index count() const { return count_; }

 private:
  struct Measured {
    HybridTimes times;
    double seconds = 0;
  };
  void decide();

  const NodeSettings& node_;
  HybridMapping mapping_;
  ResourceManager manager_;
  Index settled_, travel_;
  std::vector<Measured> window_;
  Index count_ = 0;
};

/// Of each stage, and of iterations; of an even number the upper one.
HybridTimes medianTimes(const std::vector<HybridTimes>& times);

}  // namespace halo::hyscale
