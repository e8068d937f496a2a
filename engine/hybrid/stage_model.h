#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/hybrid/batch_sizes.h"
#include "engine/hybrid/platform.h"

namespace halo {

// What HyScale's stages take by its performance model (equations 5 to 13, rebuilt from its words). Times
// in seconds. Departure: where stages run beside each other, each has its max-min fair share of host memory,
// more of it when another is through; the paper gives each stage all of it.

/// What is trained. Layer l = 1 … L has f^(l−1) inputs and f^l outputs.
struct HybridWork {
  std::vector<std::int64_t> widths = {100, 256, 47};  // f^0 … f^L
  bool concatenates = false;                          // GraphSAGE: a vertex's own row beside the aggregate
  std::int64_t trainVertices = 0;
  int elementBytes = 4;
  int hostTrafficFactor = 1;  // of features in host memory: 1 read; 2 and written gathered; 3 and read by DMA
  bool sendsTopology = false;  // 8 bytes a sampled edge go to the card too
  bool twoProducts = false;    // GIN: the update's output by f^l × f^l once more
};

/// What one trainer's mini-batch costs. "Twice": forward, and the same in reverse.
struct TrainerLoad {
  double featureBytes = 0;   // |V^0| f^0 S, read from host memory
  double transferBytes = 0;  // over PCIe
  double gatheredBytes = 0;  // twice Σ |E^l| f^(l−1) S, without a duplicator
  double macs = 0;           // twice Σ |V^l| f^(l−1) f^l, and GIN's |V^l| f^l f^l
  double cardSeconds = 0;    // of a propagation on a card
};
TrainerLoad loadOf(const BatchSize& size, const HybridWork& work, const HybridPlatform& platform);
/// Elements of all weights × S.
double modelBytes(const HybridWork& work);

/// Who trains, samples and loads how much.
struct HybridMapping {
  std::int64_t batch = 0;     // seeds of an iteration, all trainers together
  std::int64_t cpuSeeds = 0;  // of these, the processors'; 0: they do not train
  int sampleThreads = 1, loadThreads = 1, trainThreads = 0;
  double cardSampleShare = 0;  // of the neighbours, sampled on cards

  bool cpuTrains() const { return cpuSeeds > 0; }
  /// What is left for the cards is dealt evenly.
  std::int64_t cardSeeds(int card, int cards) const;
  auto operator<=>(const HybridMapping&) const = default;
};

/// What runs at the same time: nothing; loading and transfer, one after the other, beside propagation and
/// sampling; all four.
enum class Prefetch : std::uint8_t { none, oneStage, twoStage };

struct HybridTimes {
  double sampleCpu = 0, sampleCard = 0, load = 0, transfer = 0, trainCpu = 0, trainCard = 0, sync = 0;
  double hostMemory = 0;  // that all its traffic takes at full bandwidth

  double sample() const { return sampleCpu > sampleCard ? sampleCpu : sampleCard; }
  double propagate() const { return (trainCpu > trainCard ? trainCpu : trainCard) + sync; }
  double iteration(Prefetch prefetch) const;
  /// The longest of "sample", "load", "transfer" and "propagate", the first of equals.
  std::string_view longest() const;
};

/// The model's prediction for mini-batches of mean size. Level: analytic.
HybridTimes predictStages(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                          const HybridMapping& mapping, Prefetch prefetch = Prefetch::none);

/// Millions of edges that all trainers traverse a second (equation 5).
double mteps(double edges, double seconds);

/// Trainers with which loading takes as long as one transfer: BW_host / (factor · BW_pcie).
double saturatingTrainers(double hostGbps, double pcieGbps, int hostTrafficFactor);

/// What each trainer's mean gradient is weighted with: its share of the batch, which makes the sum the
/// gradient of the whole batch, or all alike as HyScale's text has it.
std::vector<double> gradientWeights(const HybridMapping& mapping, int cards, bool plain);

}  // namespace halo
