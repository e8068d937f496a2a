#include "engine/hybrid/stage_model.h"

#include <algorithm>
#include <array>

#include "engine/base/index.h"
#include "engine/hybrid/sharing.h"

namespace halo {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6, kMicro = 1e-6;

/// Multiply-adds of an update of so many rows; of one row, the elements of the layer's weights.
double updateMacs(const HybridWork& work, std::size_t layer, double rows) {
  const auto in = static_cast<double>(work.widths[layer]) * (work.concatenates ? 2 : 1);
  const auto out = static_cast<double>(work.widths[layer + 1]);
  return rows * in * out + (work.twoProducts ? rows * out * out : 0);
}

double cardSeconds(const BatchSize& size, const HybridWork& work, const HybridPlatform& platform) {
  double seconds = 0;
  for (std::size_t l = 0; l < size.edges.size(); ++l) {
    const double rows = platform.cardDuplicates ? size.vertices[l] : size.edges[l];
    const double aggregate =
        rows * static_cast<double>(work.widths[l]) * work.elementBytes / (platform.cardMemoryGbps * kGiga);
    const double update = updateMacs(work, l, size.vertices[l + 1]) / (platform.cardGmacs * kGiga);
    seconds += platform.cardOverlaps ? std::max(aggregate, update) : aggregate + update;
  }
  return 2 * seconds + platform.launchUs * kMicro;
}

double shareOfThreads(const HybridPlatform& platform, int threads) {
  return static_cast<double>(threads) / platform.cpuThreads;
}

/// The trainers of one mini-batch of mean size, and what they come to.
struct MeanBatch {
  std::vector<TrainerLoad> cards;
  TrainerLoad cpu;  // of nothing, if the processors do not train
  double features = 0, edges = 0;
};
MeanBatch meanBatch(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                    const HybridMapping& mapping) {
  MeanBatch batch;
  const auto load = [&](std::int64_t seeds) {
    const BatchSize size = sizes.mean(static_cast<double>(seeds));
    const TrainerLoad one = loadOf(size, work, platform);
    batch.features += one.featureBytes;
    batch.edges += size.sampled();
    return one;
  };
  if (mapping.cpuTrains()) batch.cpu = load(mapping.cpuSeeds);
  for (int card = 0; card < platform.cards; ++card)
    batch.cards.push_back(load(mapping.cardSeeds(card, platform.cards)));
  return batch;
}

/// How long the stages are at what they do with host memory.
struct HostSeconds {
  double sample = 0, load = 0, gather = 0, transfer = 0;
};

/// Beside others each gets its share of host memory, which grows when others are through. One after the
/// other, each has all of it.
HostSeconds hostSeconds(const std::vector<SharedUse>& stages, const std::vector<SharedUse>& transfers,
                        double host, Prefetch prefetch) {
  HostSeconds seconds;
  const auto last = [&](const std::vector<SharedUse>& uses) {
    return std::ranges::max(sharedEnds(uses, host));
  };
  if (prefetch == Prefetch::none)
    return {last({stages[0]}), last({stages[1]}), last({stages[2]}), last(transfers)};
  constexpr int kLoad = 1;
  std::vector<SharedUse> all = stages;
  for (SharedUse transfer : transfers) {
    if (prefetch == Prefetch::oneStage) transfer.after = kLoad;
    all.push_back(transfer);
  }
  const std::vector<double> ends = sharedEnds(all, host);
  const double transferred = *std::max_element(ends.begin() + std::ssize(stages), ends.end());
  return {ends[0], ends[kLoad], ends[2], transferred - (prefetch == Prefetch::oneStage ? ends[kLoad] : 0)};
}

}  // namespace

TrainerLoad loadOf(const BatchSize& size, const HybridWork& work, const HybridPlatform& platform) {
  TrainerLoad load;
  if (size.vertices.back() == 0) return load;
  load.featureBytes = size.vertices.front() * static_cast<double>(work.widths.front()) * work.elementBytes;
  load.transferBytes = load.featureBytes + (work.sendsTopology ? 8 * size.sampled() : 0);
  for (std::size_t l = 0; l < size.edges.size(); ++l) {
    load.gatheredBytes += 2 * size.edges[l] * static_cast<double>(work.widths[l]) * work.elementBytes;
    load.macs += 2 * updateMacs(work, l, size.vertices[l + 1]);
  }
  load.cardSeconds = cardSeconds(size, work, platform);
  return load;
}

double modelBytes(const HybridWork& work) {
  double elements = 0;
  for (std::size_t l = 0; l + 1 < work.widths.size(); ++l) elements += updateMacs(work, l, 1);
  return elements * work.elementBytes;
}

std::int64_t HybridMapping::cardSeeds(int card, int cards) const {
  const std::int64_t rest = batch - cpuSeeds;
  return rest * (card + 1) / cards - rest * card / cards;
}

double HybridTimes::iteration(Prefetch prefetch) const {
  switch (prefetch) {
    case Prefetch::none:
      return sample() + load + transfer + propagate();
    case Prefetch::oneStage:
      return std::max({load + transfer, propagate(), sample()});
    case Prefetch::twoStage:
      return std::max({load, transfer, propagate(), sample()});
  }
  return 0;
}

std::string_view HybridTimes::longest() const {
  constexpr std::array<std::string_view, 4> kNames = {"sample", "load", "transfer", "propagate"};
  const std::array<double, 4> times = {sample(), load, transfer, propagate()};
  return kNames[at(std::ranges::max_element(times) - times.begin())];
}

HybridTimes predictStages(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                          const HybridMapping& mapping, Prefetch prefetch) {
  const double copies = std::min(work.hostTrafficFactor, 2), pcie = platform.pcieGbps * kGiga;
  const double host = platform.hostMemoryGbps() * kGiga, thread = platform.threadGbps * kGiga;
  const MeanBatch batch = meanBatch(platform, work, sizes, mapping);
  const double onCards = batch.edges * mapping.cardSampleShare, onCpu = batch.edges - onCards;
  const double rate = mapping.sampleThreads * platform.threadSampleMedges * kMega;
  const double link = platform.sharedRootPort ? pcie / platform.cards : pcie;
  HybridTimes times;
  std::vector<SharedUse> transfers;
  for (const TrainerLoad& card : batch.cards) {
    times.transfer = std::max(times.transfer, card.transferBytes / link);
    times.trainCard = std::max(times.trainCard, card.cardSeconds);
    transfers.push_back({work.hostTrafficFactor == 3 ? card.transferBytes : 0, link});
  }
  const std::vector<SharedUse> stages = {
      {onCpu * platform.sampleBytesPerEdge, rate * platform.sampleBytesPerEdge},
      {batch.features * copies, mapping.loadThreads * thread * copies},
      {batch.cpu.gatheredBytes, mapping.trainThreads * thread}};
  const HostSeconds seconds = hostSeconds(stages, transfers, host, prefetch);
  times.sampleCpu = std::max(onCpu / rate, seconds.sample);
  if (onCards > 0) times.sampleCard = onCards / (platform.cards * platform.cardSampleMedges * kMega);
  times.load = seconds.load;
  times.transfer = std::max(times.transfer, seconds.transfer);
  if (mapping.cpuTrains())
    times.trainCpu = seconds.gather + batch.cpu.macs / (platform.cpuGmacs * kGiga *
                                                        shareOfThreads(platform, mapping.trainThreads));
  for (const std::vector<SharedUse>& uses : {stages, transfers})
    for (const SharedUse& use : uses) times.hostMemory += use.amount / host;
  times.sync = 2 * modelBytes(work) / link;
  return times;
}

double mteps(double edges, double seconds) { return seconds > 0 ? edges / seconds / kMega : 0; }

double saturatingTrainers(double hostGbps, double pcieGbps, int hostTrafficFactor) {
  return hostGbps / (hostTrafficFactor * pcieGbps);
}

std::vector<double> gradientWeights(const HybridMapping& mapping, int cards, bool plain) {
  std::vector<std::int64_t> seeds;
  if (mapping.cpuTrains()) seeds.push_back(mapping.cpuSeeds);
  for (int card = 0; card < cards; ++card) seeds.push_back(mapping.cardSeeds(card, cards));
  std::vector<double> weights;
  for (const std::int64_t own : seeds)
    weights.push_back(plain ? 1.0 / static_cast<double>(seeds.size())
                            : static_cast<double>(own) / static_cast<double>(mapping.batch));
  return weights;
}

}  // namespace halo
