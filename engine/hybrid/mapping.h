#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/problem.h"
#include "engine/hybrid/batch_sizes.h"
#include "engine/hybrid/platform.h"
#include "engine/hybrid/prefetch.h"
#include "engine/hybrid/work.h"

namespace halo {

/// Who trains, samples and loads how much.
struct HybridMapping {
  std::int64_t batch = 0;     // B: seeds of an iteration, all trainers together
  std::int64_t cpuSeeds = 0;  // B_C: of these, the processors'; 0: they do not train
  int sampleThreads = 1, loadThreads = 1, trainThreads = 0;
  double cardSampleShare = 0;  // of the neighbours, sampled on cards

  bool cpuTrains() const { return cpuSeeds > 0; }
  /// What is left for the cards is dealt evenly; those with low numbers get one more.
  std::int64_t cardSeeds(int card, int cards) const;
  int threads() const { return sampleThreads + loadThreads + trainThreads; }
  auto operator<=>(const HybridMapping&) const = default;
};

/// What a mapping is for.
struct MappingRequest {
  const HybridPlatform& platform;
  const HybridWork& work;
  const BatchSizes& sizes;
  std::int64_t batch = 0;
  bool cpuTrains = true;  // processors may
};

/// The mapping with the shortest iteration by the performance model (equation 6) for mini-batches of mean
/// size. Threads are divided in even thirds, or halves where processors do not train. B_A, the seeds a card,
/// is tried with every number that leaves each card one. Of equals the smaller second-longest stage, then
/// third, then more on cards.
///
/// Throws InputError for a batch that is too small, and for what cannot be of the work. Cost: B / cards
/// predictions.
HybridMapping modelMapping(const MappingRequest& request);

/// The mapping whose iteration is the shortest where every mini-batch has its mean size and stages share host
/// memory, event by event. Threads are tried by sixteenths of the pool, and the processors' share of the
/// batch by twentieths. What it throws: as modelMapping. Cost: 2 300 races.
HybridMapping bestMapping(const MappingRequest& request, Prefetch prefetch);

/// "CPU/SAMPLE/LOAD/TRAIN": seeds of the processors and threads. What is wrong is added to `problems` under
/// `key`; the result is then of no use.
HybridMapping readMapping(std::string_view text, std::int64_t batch, const HybridPlatform& platform,
                          std::string_view key, std::vector<Problem>& problems);

/// What each trainer's mean gradient is weighted with. Weights by its share of the batch make the sum the
/// gradient of the whole batch. `plain`: all alike, as HyScale's text has it.
std::vector<double> gradientWeights(const HybridMapping& mapping, int cards, bool plain);

}  // namespace halo
