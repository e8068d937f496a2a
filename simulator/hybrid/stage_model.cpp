#include "simulator/hybrid/stage_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/base/check.h"
#include "engine/base/problem.h"
#include "simulator/hybrid/sharing.h"

namespace halo::sim {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6, kMicro = 1e-6;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Multiply-adds of an update of so many rows; of one row, the elements of the layer's weights.
double updateMacs(const HybridWork& work, std::size_t layer, double rows) {
  const auto in = static_cast<double>(work.widths[layer]) * (work.concatenates ? 2 : 1);
  const auto out = static_cast<double>(work.widths[layer + 1]);
  return rows * in * out + (work.twoProducts ? rows * out * out : 0);
}

void check(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
           std::int64_t batch) {
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({"", 0, 0, key, std::move(message)});
  };
  if (work.widths.size() < 2) wrong("hybrid.widths", "one layer has two widths: its inputs and its outputs");
  for (const std::int64_t width : work.widths)
    if (width < 1) wrong("hybrid.widths", fmt::format("{} cannot be used; 1 or more", width));
  if (static_cast<std::size_t>(sizes.layers()) + 1 != work.widths.size())
    wrong("hybrid.widths", fmt::format("{} widths for mini-batches of {} layers; one more than layers",
                                       work.widths.size(), sizes.layers()));
  if (work.hostTrafficFactor < 1 || work.hostTrafficFactor > 3)
    wrong("hybrid.host_traffic_factor", fmt::format("{} cannot be used; 1, 2 or 3", work.hostTrafficFactor));
  if (work.elementBytes < 1)
    wrong("hybrid.element_bytes", fmt::format("{} cannot be used", work.elementBytes));
  if (work.trainVertices < 0)
    wrong("hybrid.train_vertices", fmt::format("{} cannot be used; 0 or more", work.trainVertices));
  if (batch < platform.cards)
    wrong("hybrid.batch",
          fmt::format("{} cannot be used; at least {}, a seed for each card", batch, platform.cards));
  if (!problems.empty()) throw InputError(std::move(problems));
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

/// Bytes of host memory a second that each user of it gets.
struct HostRates {
  double sample = 0, load = 0, gather = 0, dma = 0;
};

HostRates hostRates(const HybridPlatform& platform, const HybridMapping& mapping, double copies, bool dma,
                    Prefetch prefetch) {
  const double host = platform.hostMemoryGbps() * kGiga, thread = platform.threadGbps * kGiga;
  const std::array<double, 4> demands = {
      mapping.sampleThreads * platform.threadSampleMedges * kMega * platform.sampleBytesPerEdge,
      mapping.loadThreads * thread * copies, mapping.trainThreads * thread,
      dma ? platform.pcieGbps * kGiga * (platform.sharedRootPort ? 1 : platform.cards) : 0};
  const std::vector<double> shares = maxMinShares(demands, host);
  const auto rate = [&](std::size_t user) {
    return prefetch == Prefetch::none ? std::min(demands[user], host) : shares[user];
  };
  return {rate(0), rate(1), rate(2), rate(3)};
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
      return std::max({load + transfer, propagate(), sample(), hostMemory});
    case Prefetch::twoStage:
      return std::max({load, transfer, propagate(), sample(), hostMemory});
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
  const HostRates host = hostRates(platform, mapping, copies, work.hostTrafficFactor == 3, prefetch);
  HybridTimes times;
  double features = 0, edges = 0, sent = 0, gathered = 0;
  for (int card = 0; card < platform.cards; ++card) {
    const BatchSize size = sizes.mean(static_cast<double>(mapping.cardSeeds(card, platform.cards)));
    const TrainerLoad load = loadOf(size, work, platform);
    features += load.featureBytes;
    edges += size.sampled();
    sent += load.transferBytes;
    times.transfer = std::max(times.transfer, load.transferBytes / pcie);
    times.trainCard = std::max(times.trainCard, load.cardSeconds);
  }
  if (platform.sharedRootPort) times.transfer = sent / pcie;
  if (mapping.cpuTrains()) {
    const BatchSize size = sizes.mean(static_cast<double>(mapping.cpuSeeds));
    const TrainerLoad load = loadOf(size, work, platform);
    features += load.featureBytes;
    edges += size.sampled();
    gathered = load.gatheredBytes;
    times.trainCpu = gathered / host.gather +
                     load.macs / (platform.cpuGmacs * kGiga * shareOfThreads(platform, mapping.trainThreads));
  }
  const double onCards = edges * mapping.cardSampleShare, onCpu = edges - onCards;
  times.load = features * copies / host.load;
  if (host.dma > 0) times.transfer = std::max(times.transfer, sent / host.dma);
  times.sampleCpu = onCpu / (mapping.sampleThreads * platform.threadSampleMedges * kMega);
  if (host.sample > 0)
    times.sampleCpu = std::max(times.sampleCpu, onCpu * platform.sampleBytesPerEdge / host.sample);
  if (onCards > 0) times.sampleCard = onCards / (platform.cards * platform.cardSampleMedges * kMega);
  times.hostMemory =
      (features * copies + (host.dma > 0 ? sent : 0) + gathered + onCpu * platform.sampleBytesPerEdge) /
      (platform.hostMemoryGbps() * kGiga);
  times.sync = 2 * modelBytes(work) / pcie * (platform.sharedRootPort ? platform.cards : 1);
  return times;
}

HybridMapping staticMapping(const HybridPlatform& platform, const HybridWork& work, const BatchSizes& sizes,
                            std::int64_t batch, Prefetch prefetch, bool cpuMayTrain) {
  check(platform, work, sizes, batch);
  constexpr int kThreadSteps = 16, kShareSteps = 20;
  const int pool = platform.cpuThreads;
  HybridMapping best;
  double shortest = -1;
  const auto consider = [&](const HybridMapping& mapping) {
    const double seconds = predictStages(platform, work, sizes, mapping, prefetch).iteration(prefetch);
    if (shortest >= 0 && seconds >= shortest) return;
    shortest = seconds;
    best = mapping;
  };
  const auto withThreads = [&](std::int64_t cpuSeeds) {
    for (int s = 1; s < kThreadSteps; ++s)
      for (int l = 1; s + l <= kThreadSteps; ++l) {
        const int sample = std::max(1, pool * s / kThreadSteps), load = std::max(1, pool * l / kThreadSteps);
        const int train = pool - sample - load;
        if (train < 1) continue;
        consider({batch, cpuSeeds, sample, load, train, 0});
      }
  };
  // without a trainer all threads but the samplers' load
  for (int s = 1; s < kThreadSteps; ++s) {
    const int sample = std::max(1, pool * s / kThreadSteps);
    consider({batch, 0, sample, pool - sample, 0, 0});
  }
  for (int share = 1; cpuMayTrain && batch > platform.cards && share < kShareSteps; ++share)
    withThreads(std::clamp<std::int64_t>(batch * share / kShareSteps, 1, batch - platform.cards));
  HALO_CHECK(shortest >= 0);
  return best;
}

double mteps(double edges, double seconds) { return seconds > 0 ? edges / seconds / kMega : 0; }

std::vector<ScalingPoint> scalingCurve(double hostGbps, double pcieGbps, int hostTrafficFactor,
                                       double featureBytes, double propagateSeconds, int cards) {
  std::vector<ScalingPoint> curve;
  for (int q = 1; q <= cards; ++q) {
    const double load = (q + 1) * featureBytes * hostTrafficFactor / (hostGbps * kGiga);
    const double others = std::max(featureBytes / (pcieGbps * kGiga), propagateSeconds);
    const double seconds = std::max(load, others);
    curve.push_back({q, seconds > 0 ? (q + 1) / seconds : 0, load > others});
  }
  return curve;
}

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

}  // namespace halo::sim
