#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hybrid/iteration.h"
#include "engine/hybrid/resource_manager.h"
#include "engine/hybrid/stage_race.h"

namespace halo::sim {

/// HyScale's ablation: each has what the one before has, and something more.
enum class HybridMode : std::uint8_t {
  baseline,  // cards train, one stage after the other
  hybrid,    // processors train too, by staticMapping
  managed,   // + the resource manager changes that mapping
  oneStage,  // + loading and transfer of the next mini-batch beside propagation
  twoStage,  // + loading and transfer beside each other
  count
};
inline constexpr std::array<std::string_view, 5> kHybridModes = {"baseline", "hybrid", "managed", "one-stage",
                                                                 "two-stage"};
static_assert(kHybridModes.size() == static_cast<std::size_t>(HybridMode::count));
Prefetch prefetchOf(HybridMode mode);

struct HybridRequest {
  const HybridPlatform& platform;
  const HybridWork& work;
  const BatchSizes& sizes;
  std::int64_t batch = 0;  // seeds of an iteration, all trainers together
  HybridMode mode = HybridMode::twoStage;
  int iterations = 100;
  int window = 5;  // iterations between two decisions of the resource manager
  std::uint64_t seed = 1;
  std::optional<HybridMapping> start = {};  // instead of staticMapping's
};

/// One iteration: which mini-batches went through which stages side by side, and what they took.
struct HybridIteration {
  double seconds = 0;
  HybridTimes times;
  HybridMapping mapping;
  std::int64_t sampled = -1, loaded = -1, transferred = -1, trained = -1;  // mini-batch, from 0; −1: none
};
/// What the resource manager did after an iteration.
struct HybridDecision {
  std::int64_t iteration = 0;
  Shift shift = Shift::none;
};

struct HybridResult {
  std::string_view level = "tile";          // one event a stage and trainer; rates as described
  std::vector<HybridIteration> iterations;  // filling and draining the stages included
  std::vector<HybridDecision> decisions;
  double seconds = 0;  // of all
  double hostBytes = 0, pcieBytes = 0;
  HybridTimes steady;           // medians of the last half of the iterations that train
  double steadySeconds = 0;     // the same of an iteration
  HybridMapping mapping;        // that most of these had
  double predictedSeconds = 0;  // the same by the performance model, for mini-batches of mean size
  double epochSeconds = 0;      // iterations of an epoch, each steady
  double steadyMteps = 0;
};

/// HyScale on one node, iteration by iteration; a barrier ends each (HyScale III-C, IV-B). Mini-batches are
/// drawn from `sizes`; the share of the processors is that of when a mini-batch is sampled.
/// Deterministic for a seed. Throws InputError for what staticMapping refuses, for no iterations, for a
/// window below 1 and for a start that shares out another batch or other threads than there are.
HybridResult simulateHybrid(const HybridRequest& request);

}  // namespace halo::sim
