#pragma once

#include <cstddef>

#include "simulator/contract/simulation_kind.h"
#include "simulator/hybrid/hybrid_node.h"

namespace halo::sim {

/// What rows are made of. All outlive this.
struct PlatformRows {
  const HybridPlatform& platform;
  const HybridWork& work;
  const BatchSizes& sizes;
  std::int64_t batch = 0;  // seeds of an iteration
  Prefetch prefetch = Prefetch::two;
  const HybridResult& result;
  std::size_t mostShown = 0;  // iterations of the node
};

/// When each stage of an iteration begins, after the iteration does, in seconds.
std::array<double, kHybridStages.size()> stageBegins(const HybridTimes& times, Prefetch prefetch);
/// How long each takes, in the same order.
std::array<double, kHybridStages.size()> stageLengths(const HybridTimes& times);

/// Puts rows of actors, iterations, stages and decisions into `outcome`, whose lanes are made. Each
/// mini-batch that is propagated within what is shown has a row of `iteration`. Actors are the lanes: so all
/// that do one stage stand for one actor, the slowest of them.
void addRows(const PlatformRows& rows, SimulationOutcome& outcome);

}  // namespace halo::sim
