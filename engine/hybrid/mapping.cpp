#include "engine/hybrid/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/whole_number.h"
#include "engine/hybrid/iteration.h"
#include "engine/hybrid/stage_model.h"

namespace halo {
namespace {

void check(const MappingRequest& request) {
  const HybridWork& work = request.work;
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, std::string message) {
    problems.push_back({.key = key, .message = std::move(message)});
  };
  if (work.widths.size() < 2) wrong("hybrid.widths", "one layer has two widths: its inputs and its outputs");
  for (const std::int64_t width : work.widths)
    if (width < 1) wrong("hybrid.widths", fmt::format("{} cannot be used; 1 or more", width));
  if (at(request.sizes.layers()) + 1 != work.widths.size())
    wrong("hybrid.widths", fmt::format("{} widths for mini-batches of {} layers; one more than layers",
                                       work.widths.size(), request.sizes.layers()));
  if (work.hostTrafficFactor < 1 || work.hostTrafficFactor > 3)
    wrong("hybrid.host_traffic_factor", fmt::format("{} cannot be used; 1, 2 or 3", work.hostTrafficFactor));
  if (work.elementBytes < 1)
    wrong("hybrid.element_bytes", fmt::format("{} cannot be used", work.elementBytes));
  if (work.trainVertices < 0)
    wrong("hybrid.train_vertices", fmt::format("{} cannot be used; 0 or more", work.trainVertices));
  if (request.batch < request.platform.cards)
    wrong("hybrid.batch", fmt::format("{} cannot be used; at least {}, a seed for each card", request.batch,
                                      request.platform.cards));
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// Of equal mappings the one whose stages are shorter from the longest on. Rounded, so that the order of sums
/// decides nothing.
using Rank = std::array<double, 4>;
Rank rankOf(const HybridTimes& times) {
  constexpr double kFemto = 1e-15;
  Rank rank = {times.sample(), times.load, times.transfer, times.propagate()};
  for (double& seconds : rank) seconds = std::round(seconds / kFemto) * kFemto;
  std::ranges::sort(rank, std::greater<>());
  return rank;
}

/// Threads in even parts among those who have something to do.
HybridMapping evenThreads(const MappingRequest& request, std::int64_t cpuSeeds) {
  const int pool = request.platform.cpuThreads, part = pool / (cpuSeeds > 0 ? 3 : 2);
  HybridMapping mapping{request.batch, cpuSeeds, part, cpuSeeds > 0 ? part : pool - part, 0, 0};
  if (cpuSeeds > 0) mapping.trainThreads = pool - 2 * part;
  return mapping;
}

}  // namespace

std::int64_t HybridMapping::cardSeeds(int card, int cards) const {
  const std::int64_t rest = batch - cpuSeeds;
  return rest / cards + (card < rest % cards ? 1 : 0);
}

HybridMapping modelMapping(const MappingRequest& request) {
  check(request);
  const int cards = request.platform.cards;
  if (!request.cpuTrains) return evenThreads(request, 0);
  HybridMapping best;
  std::optional<Rank> shortest;
  for (std::int64_t each = request.batch / cards; each >= 1; --each) {  // more on cards first
    const HybridMapping mapping = evenThreads(request, request.batch - cards * each);
    const Rank rank = rankOf(predictStages(request.platform, request.work, request.sizes, mapping));
    if (shortest && *shortest <= rank) continue;
    shortest = rank;
    best = mapping;
  }
  return best;
}

HybridMapping bestMapping(const MappingRequest& request, Prefetch prefetch) {
  check(request);
  constexpr int kThreadSteps = 16, kShareSteps = 20;
  const HybridPlatform& platform = request.platform;
  const int pool = platform.cpuThreads;
  const std::int64_t batch = request.batch;
  HybridMapping best;
  double shortest = -1;
  BatchWork mean;  // of the share that is looked at
  const auto consider = [&](const HybridMapping& mapping) {
    const double seconds =
        race(lanesOf(platform, request.work, mapping, prefetch, {&mean, &mean, &mean, &mean}), platform)
            .seconds;
    if (shortest >= 0 && seconds >= shortest) return;
    shortest = seconds;
    best = mapping;
  };
  const auto share = [&](std::int64_t cpuSeeds) {
    mean = batchWork(platform, request.work, {batch, cpuSeeds, 1, 1, 0, 0},
                     [&](double seeds, int) { return request.sizes.mean(seeds); });
  };
  // without a trainer all threads but the samplers' load
  share(0);
  for (int s = 1; s < kThreadSteps; ++s) {
    const int sample = std::max(1, pool * s / kThreadSteps);
    consider({batch, 0, sample, pool - sample, 0, 0});
  }
  for (int part = 1; request.cpuTrains && batch > platform.cards && part < kShareSteps; ++part) {
    const std::int64_t cpuSeeds =
        std::clamp<std::int64_t>(batch * part / kShareSteps, 1, batch - platform.cards);
    share(cpuSeeds);
    for (int s = 1; s < kThreadSteps; ++s)
      for (int l = 1; s + l <= kThreadSteps; ++l) {
        const int sample = std::max(1, pool * s / kThreadSteps), load = std::max(1, pool * l / kThreadSteps);
        const int train = pool - sample - load;
        if (train >= 1) consider({batch, cpuSeeds, sample, load, train, 0});
      }
  }
  HALO_CHECK(shortest >= 0);
  return best;
}

HybridMapping readMapping(std::string_view text, std::int64_t batch, const HybridPlatform& platform,
                          std::string_view key, std::vector<Problem>& problems) {
  std::array<std::int64_t, 4> parts{};
  std::string_view rest = text;
  bool read = true;
  for (std::size_t i = 0; read && i < parts.size(); ++i) {
    if (i > 0 && (read = rest.starts_with('/'))) rest.remove_prefix(1);
    read = read && takeWhole(rest, parts[i]);
  }
  const auto [cpuSeeds, sample, load, train] = parts;
  const std::int64_t most = batch - platform.cards, pool = platform.cpuThreads;
  const bool fits = read && rest.empty() && cpuSeeds >= 0 && cpuSeeds <= most && sample >= 1 && load >= 1 &&
                    train >= (cpuSeeds > 0 ? 1 : 0) && std::ranges::max(parts) <= std::max(batch, pool) &&
                    sample + load + train == pool;
  if (!fits) {
    problems.push_back(
        {.key = std::string(key),
         .message = fmt::format("'{}' cannot be used; seeds up to {} (one for each of {} cards) and "
                                "threads that make {}, as in {}/{}/{}/{}",
                                text, most, platform.cards, pool, batch / (platform.cards + 1), pool / 3,
                                pool / 3, pool - 2 * (pool / 3))});
    return {};
  }
  return {batch, cpuSeeds, static_cast<int>(sample), static_cast<int>(load), static_cast<int>(train), 0};
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
