#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/hybrid/iteration.h"
#include "engine/hybrid/resource_manager.h"
#include "engine/hybrid/stage_race.h"

namespace halo::sim {

struct HybridRequest {
  const HybridPlatform& platform;
  const HybridWork& work;
  const BatchSizes& sizes;
  HybridMapping start;
  Prefetch prefetch = Prefetch::two;
  bool manage = true;  // by the resource manager
  int iterations = 400;
  int window = 5;  // iterations between two decisions of the resource manager
  std::uint64_t seed = 1;
};

/// One iteration: which mini-batches went through which stages side by side, and what they took.
struct HybridIteration {
  double seconds = 0;
  HybridTimes times;
  HybridMapping mapping;
  std::int64_t sampled = -1, loaded = -1, transferred = -1, trained = -1;  // mini-batch, from 0; −1: none
};

struct HybridResult {
  std::string_view level = "tile";          // one event a stage and trainer; rates as described
  std::vector<HybridIteration> iterations;  // filling and draining the stages included
  std::vector<ManagerDecision> decisions;   // from the start; without management that alone
  std::vector<std::int64_t> decidedAfter;   // the iteration that each was taken after; −1: before the first
  std::int64_t windowsToRest = 0;           // 0: it did not come to rest
  double seconds = 0;                       // of all
  double hostBytes = 0, pcieBytes = 0;
  /// Medians of the iterations at rest in which all stages work; without rest, of the last half of these.
  HybridTimes steady;
  double steadySeconds = 0;     // the same of an iteration
  HybridMapping mapping;        // that most of these had
  HybridTimes predicted;        // with it, by the performance model for mini-batches of mean size
  double predictedSeconds = 0;  // of an iteration, so
  double epochSeconds = 0;      // iterations of an epoch, each steady
  double steadyMteps = 0;
};

/// HyScale on one node, iteration by iteration; a barrier ends each (HyScale III-C, IV-B). Mini-batches are
/// drawn from `sizes`; the share of the processors is that of when a mini-batch is sampled.
/// Deterministic for a seed. Throws InputError for no iterations, for a window below 1 and for a start that
/// shares out another batch or other threads than there are.
HybridResult simulateHybrid(const HybridRequest& request);

}  // namespace halo::sim
