#pragma once

#include <string>
#include <vector>

#include "engine/base/problem.h"
#include "engine/hybrid/platform.h"

namespace halo {

/// Figures of a platform that change while a run trains: as other programs take a share of them, or a card
/// gets hot. Iterations come in stretches of equal length. The first stretch is as the platform's file says.
/// In every second one the figure is so many times what the file says.
class PlatformDrift {
 public:
  PlatformDrift() = default;
  /// text: "FIGURE TIMES ITERATIONS", several by comma, as "cpu_gmacs 0.5 100, pcie_gbps 0.7 60"; empty:
  /// nothing changes. What is wrong with it goes to `problems`, under `key`.
  PlatformDrift(const std::string& text, const char* key, std::vector<Problem>& problems);

  bool empty() const { return figures_.empty(); }
  /// Sets the drifting figures of `now` to what they are in an iteration, counted from 0; base: as the file
  /// has them. Whether any is another than before.
  bool apply(const HybridPlatform& base, std::int64_t iteration, HybridPlatform& now) const;

 private:
  struct Figure {
    double HybridPlatform::*figure;
    double times = 1;
    std::int64_t every = 1;
  };
  std::vector<Figure> figures_;
};

}  // namespace halo
