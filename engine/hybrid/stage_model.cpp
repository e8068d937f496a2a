#include "engine/hybrid/stage_model.h"

#include <algorithm>
#include <array>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6;

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
  return 2 * seconds;
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

double HybridTimes::iteration(Prefetch prefetch) const {
  switch (prefetch) {
    case Prefetch::none:
      return sample() + load + transfer + propagate();
    case Prefetch::one:
      return std::max({load + transfer, propagate(), sample()});
    case Prefetch::two:
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
                          const HybridMapping& mapping) {
  const double host = platform.hostMemoryGbps() * kGiga, threads = platform.cpuThreads;
  const double link = platform.pcieGbps * kGiga / (platform.sharedRootPort ? platform.cards : 1);
  double edges = 0, features = 0, sent = 0;
  const auto loadFor = [&](std::int64_t seeds, double trainers) {
    const BatchSize size = sizes.mean(static_cast<double>(seeds));
    const TrainerLoad load = loadOf(size, work, platform);
    edges += trainers * size.sampled();
    features += trainers * load.featureBytes;
    return load;
  };
  HybridTimes times;
  const TrainerLoad cpu = loadFor(mapping.cpuSeeds, 1);
  // cards have two numbers of seeds at most, the first the largest
  const std::int64_t most = mapping.cardSeeds(0, platform.cards);
  const std::int64_t more = (mapping.batch - mapping.cpuSeeds) - (most - 1) * platform.cards;
  const TrainerLoad card = loadFor(most, static_cast<double>(more));
  const TrainerLoad other =
      more < platform.cards ? loadFor(most - 1, static_cast<double>(platform.cards - more)) : TrainerLoad{};
  times.transfer = std::max(card.transferBytes, other.transferBytes) / link;
  times.trainCard = std::max(card.cardSeconds, other.cardSeconds);
  sent = static_cast<double>(more) * card.transferBytes +
         static_cast<double>(platform.cards - more) * other.transferBytes;
  const double onCards = edges * mapping.cardSampleShare, onCpu = edges - onCards;
  times.sampleCpu = onCpu / (mapping.sampleThreads * platform.threadSampleMedges * kMega);
  if (onCards > 0) times.sampleCard = onCards / (platform.cards * platform.cardSampleMedges * kMega);
  const double loaded = features * std::min(work.hostTrafficFactor, 2);
  times.load = loaded / host;
  if (mapping.cpuTrains())
    times.trainCpu =
        cpu.gatheredBytes / host + cpu.macs / (platform.cpuGmacs * kGiga * mapping.trainThreads / threads);
  const double read = work.hostTrafficFactor == 3 ? sent : 0;
  times.hostMemory = (onCpu * platform.sampleBytesPerEdge + loaded + cpu.gatheredBytes + read) / host;
  times.sync = 2 * modelBytes(work) / link;
  return times;
}

std::map<std::string, double> predictionErrors(const HybridTimes& predicted, double predictedSeconds,
                                               const HybridTimes& measured, double measuredSeconds) {
  std::map<std::string, double> errors;
  const auto add = [&](const char* metric, double model, double real) {
    if (real > 0) errors[metric] = model / real - 1;
  };
  add("prediction_error", predictedSeconds, measuredSeconds);
  add("prediction_error_sample", predicted.sample(), measured.sample());
  add("prediction_error_load", predicted.load, measured.load);
  add("prediction_error_transfer", predicted.transfer, measured.transfer);
  add("prediction_error_propagate", predicted.propagate(), measured.propagate());
  return errors;
}

double mteps(double edges, double seconds) { return seconds > 0 ? edges / seconds / kMega : 0; }

double saturatingTrainers(double hostGbps, double pcieGbps, int hostTrafficFactor) {
  return hostGbps / (hostTrafficFactor * pcieGbps);
}

}  // namespace halo
