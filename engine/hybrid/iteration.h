#pragma once

#include <vector>

#include "engine/hybrid/mapping.h"
#include "engine/hybrid/stage_model.h"
#include "engine/hybrid/stage_race.h"

namespace halo {

/// A mini-batch under way: what its trainers have to do.
struct BatchWork {
  std::vector<TrainerLoad> cards;
  TrainerLoad cpu;  // of nothing, if the processors do not train
  double edges = 0, features = 0;
  double cardSampleShare = 0;
};

/// Shares out a mini-batch as `mapping` does; sizeOf(seeds, trainer) is the BatchSize of a trainer's seeds,
/// of the processors (trainer 0), then of each card from 1.
template <class SizeOf>
BatchWork batchWork(const HybridPlatform& platform, const HybridWork& work, const HybridMapping& mapping,
                    SizeOf sizeOf) {
  BatchWork batch;
  batch.cardSampleShare = mapping.cardSampleShare;
  const auto add = [&](std::int64_t seeds, int trainer) {
    const BatchSize size = sizeOf(static_cast<double>(seeds), trainer);
    const TrainerLoad load = loadOf(size, work, platform);
    batch.edges += size.sampled();
    batch.features += load.featureBytes;
    return load;
  };
  if (mapping.cpuTrains()) batch.cpu = add(mapping.cpuSeeds, 0);
  for (int card = 0; card < platform.cards; ++card)
    batch.cards.push_back(add(mapping.cardSeeds(card, platform.cards), card + 1));
  return batch;
}

/// The mini-batches that go through the stages side by side in one iteration; nullptr: none.
struct InIteration {
  const BatchWork *sampled = nullptr, *loaded = nullptr, *transferred = nullptr, *trained = nullptr;
};

/// What happens in it: lanes for race().
std::vector<RaceLane> lanesOf(const HybridPlatform& platform, const HybridWork& work,
                              const HybridMapping& mapping, Prefetch prefetch, const InIteration& batches);

/// How long each stage took in a race of such lanes.
HybridTimes timesOf(const RaceTimes& race, const HybridPlatform& platform);

}  // namespace halo
