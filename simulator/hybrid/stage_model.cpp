#include "simulator/hybrid/stage_model.h"

#include <algorithm>
#include <array>

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

/// What passes through host memory for each of its users: bytes, and how many a second it could move by
/// itself.
struct HostUser {
  double bytes = 0, most = 0;
};

/// How long each is at it. Beside others it gets at least the max-min fair share that it would have if all of
/// them went on all the time, and it is done when all bytes are.
std::vector<double> hostSeconds(const std::vector<HostUser>& users, double host, Prefetch prefetch) {
  std::vector<double> demands;
  double all = 0;
  for (const HostUser& user : users) {
    demands.push_back(std::min(user.most, host));
    all += user.bytes;
  }
  const std::vector<double> shares = maxMinShares(demands, host);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const double alone = users[i].bytes > 0 ? users[i].bytes / demands[i] : 0;
    const double shared = users[i].bytes > 0 ? users[i].bytes / shares[i] : 0;
    seconds.push_back(prefetch == Prefetch::none ? alone : std::min(shared, std::max(alone, all / host)));
  }
  return seconds;
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
  const double host = platform.hostMemoryGbps() * kGiga, thread = platform.threadGbps * kGiga;
  HybridTimes times;
  double features = 0, edges = 0, sent = 0;
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
  TrainerLoad cpu;
  if (mapping.cpuTrains()) {
    const BatchSize size = sizes.mean(static_cast<double>(mapping.cpuSeeds));
    cpu = loadOf(size, work, platform);
    features += cpu.featureBytes;
    edges += size.sampled();
  }
  const double onCards = edges * mapping.cardSampleShare, onCpu = edges - onCards;
  const double rate = mapping.sampleThreads * platform.threadSampleMedges * kMega;
  const int links = platform.sharedRootPort ? 1 : platform.cards;
  const std::vector<HostUser> users = {
      {onCpu * platform.sampleBytesPerEdge, rate * platform.sampleBytesPerEdge},
      {features * copies, mapping.loadThreads * thread * copies},
      {cpu.gatheredBytes, mapping.trainThreads * thread},
      {work.hostTrafficFactor == 3 ? sent : 0, pcie * links}};
  const std::vector<double> seconds = hostSeconds(users, host, prefetch);
  times.sampleCpu = std::max(onCpu / rate, seconds[0]);
  if (onCards > 0) times.sampleCard = onCards / (platform.cards * platform.cardSampleMedges * kMega);
  times.load = seconds[1];
  times.transfer = std::max(times.transfer, seconds[3]);
  if (mapping.cpuTrains())
    times.trainCpu =
        seconds[2] + cpu.macs / (platform.cpuGmacs * kGiga * shareOfThreads(platform, mapping.trainThreads));
  for (const HostUser& user : users) times.hostMemory += user.bytes / host;
  times.sync = 2 * modelBytes(work) / pcie * (platform.sharedRootPort ? platform.cards : 1);
  return times;
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
