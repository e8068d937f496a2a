#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/hybrid/batch_sizes.h"
#include "engine/hybrid/mapping.h"
#include "engine/hybrid/platform.h"
#include "engine/hybrid/prefetch.h"
#include "engine/hybrid/work.h"

namespace halo {

// HyScale's performance model (equations 5 to 13, rebuilt from its words). Times in seconds. Each stage has
// host memory to itself, and loading knows no threads. What happens where they share it: iteration.h.

/// What one trainer's mini-batch costs. "Twice": forward, and the same in reverse.
struct TrainerLoad {
  double featureBytes = 0;   // |V^0| f^0 S, read from host memory
  double transferBytes = 0;  // over PCIe
  double gatheredBytes = 0;  // twice Σ |E^l| f^(l−1) S, without a duplicator
  double macs = 0;           // twice Σ |V^l| f^(l−1) f^l, and GIN's |V^l| f^l f^l
  double cardSeconds = 0;    // of a propagation on a card once it has begun
};
TrainerLoad loadOf(const BatchSize& size, const HybridWork& work, const HybridPlatform& platform);
/// Elements of all weights × S.
double modelBytes(const HybridWork& work);

struct HybridTimes {
  double sampleCpu = 0, sampleCard = 0, load = 0, transfer = 0, trainCpu = 0, trainCard = 0, sync = 0;
  double hostMemory = 0;  // that all its traffic takes at full bandwidth

  double sample() const { return sampleCpu > sampleCard ? sampleCpu : sampleCard; }
  double propagate() const { return (trainCpu > trainCard ? trainCpu : trainCard) + sync; }
  double iteration(Prefetch prefetch) const;
  /// The longest of "sample", "load", "transfer" and "propagate", the first of equals.
  std::string_view longest() const;
};

/// Equations 7 to 13 for mini-batches of mean size; transfer and training of a card are of the one with the
/// most seeds.
HybridTimes predictStages(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                          const HybridMapping& mapping);

/// Predicted over measured, less one: of an iteration and of each stage that takes time, by the metric's
/// name.
std::map<std::string, double> predictionErrors(const HybridTimes& predicted, double predictedSeconds,
                                               const HybridTimes& measured, double measuredSeconds);

/// Millions of edges that all trainers traverse a second (equation 5).
double mteps(double edges, double seconds);

/// Trainers with which loading takes as long as one transfer: BW_host / (factor · BW_pcie).
double saturatingTrainers(double hostGbps, double pcieGbps, int hostTrafficFactor);

}  // namespace halo
