#include "engine/hybrid/resource_manager.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

HybridPlatform platformOf(int cards, double cardSampleMedges = 0) {
  HybridPlatform platform;
  platform.cpuThreads = 64;
  platform.cards = cards;
  platform.threadSampleMedges = 10;
  platform.cardSampleMedges = cardSampleMedges;
  return platform;
}

/// What stages take for each seed or thread, constant: milliseconds of one thread, and of one seed on a card.
struct Costs {
  double sample = 1, load = 1, trainCpu = 1, trainCard = 1, transfer = 1;
};

HybridTimes timesOf(const Costs& costs, const HybridMapping& mapping, const HybridPlatform& platform) {
  const auto batch = static_cast<double>(mapping.batch);
  const double card = static_cast<double>(mapping.cardSeeds(0, platform.cards));
  HybridTimes times;
  times.sampleCpu = costs.sample * batch * (1 - mapping.cardSampleShare) / mapping.sampleThreads;
  if (platform.cardSampleMedges > 0)
    times.sampleCard = costs.sample * batch * mapping.cardSampleShare * platform.threadSampleMedges /
                       (platform.cards * platform.cardSampleMedges);
  times.load = costs.load * batch / mapping.loadThreads;
  if (mapping.cpuTrains())
    times.trainCpu = costs.trainCpu * static_cast<double>(mapping.cpuSeeds) / mapping.trainThreads;
  times.trainCard = costs.trainCard * card;
  times.transfer = costs.transfer * card;
  return times;
}

}  // namespace

TEST_CASE("with constant times the manager comes to rest within 20 windows, at nothing longer", "[hybrid]") {
  const auto costs = GENERATE(values<Costs>({{1, 1, 1, 1, 1},
                                             {1, 20, 5, 0.1, 0.3},
                                             {30, 1, 5, 0.1, 0.02},
                                             {1, 1, 200, 0.01, 0.01},
                                             {2, 3, 10, 2, 6},
                                             {5, 5, 5, 0.05, 0.05}}));
  const auto prefetch = GENERATE(Prefetch::none, Prefetch::oneStage, Prefetch::twoStage);
  const auto cardSampleMedges = GENERATE(0.0, 50.0);
  const auto cpuSeeds = GENERATE(100, 1000, 4000);
  CAPTURE(costs.sample, costs.load, costs.trainCpu, costs.trainCard, costs.transfer);
  CAPTURE(static_cast<int>(prefetch), cardSampleMedges, cpuSeeds);
  const HybridPlatform platform = platformOf(4, cardSampleMedges);
  ResourceManager manager(platform, prefetch);
  HybridMapping mapping{5000, cpuSeeds, 20, 20, 24, 0};
  const auto seconds = [&] { return timesOf(costs, mapping, platform).iteration(prefetch); };
  const double first = seconds();
  double shortest = first;
  int rest = 0;
  for (int window = 0; window < 20; ++window) {
    mapping = manager.next(mapping, timesOf(costs, mapping, platform), seconds());
    rest = manager.last() == Shift::none ? rest + 1 : 0;
    if (manager.last() == Shift::none) CHECK(seconds() <= shortest * 1.01);
    shortest = std::min(shortest, seconds());
    CHECK(mapping.batch == 5000);
    CHECK(mapping.sampleThreads + mapping.loadThreads + mapping.trainThreads == 64);
    CHECK(std::min({mapping.sampleThreads, mapping.loadThreads, mapping.trainThreads}) >= 1);
    CHECK(mapping.cpuSeeds >= 1);
    CHECK(mapping.cardSeeds(0, 4) >= 1);
    CHECK(mapping.cardSampleShare >= 0);
    CHECK(mapping.cardSampleShare <= 1);
  }
  CHECK(rest > 0);
  CHECK(seconds() <= first * 1.01);
  // and stays there
  const HybridMapping settled = mapping;
  for (int window = 0; window < 10; ++window)
    CHECK(manager.next(mapping, timesOf(costs, mapping, platform), seconds()) == settled);
}

TEST_CASE("each longest task is answered as the listing says", "[hybrid]") {
  const HybridPlatform platform = platformOf(2);
  const HybridMapping mapping{1000, 400, 20, 20, 24, 0};
  const auto answer = [&](const HybridTimes& times) {
    ResourceManager manager(platform, Prefetch::twoStage);
    const HybridMapping changed = manager.next(mapping, times, 1);
    return std::pair(manager.last(), changed);
  };
  SECTION("cards: work goes to the processors") {
    const auto [shift, changed] = answer({1, 0, 1, 9, 2, 5});
    CHECK(shift == Shift::work);
    CHECK(changed.cpuSeeds > 400);
  }
  SECTION("the loader: threads of the fastest") {
    const auto [shift, changed] = answer({1, 0, 9, 2, 3, 4});
    CHECK(shift == Shift::loadThreads);
    CHECK(changed.loadThreads == 24);  // 5 % of 64, up
    CHECK(changed.sampleThreads == 16);
  }
  SECTION("the sampler: threads of the fastest") {
    const auto [shift, changed] = answer({9, 0, 4, 2, 1.5, 3});
    CHECK(shift == Shift::sampleThreads);
    CHECK(changed.trainThreads == 20);
  }
  SECTION("the processors' trainer: work to idle cards") {
    const auto [shift, changed] = answer({3, 0, 4, 1, 9, 1});
    CHECK(shift == Shift::work);
    CHECK(changed.cpuSeeds < 400);
  }
  SECTION("the processors' trainer: threads, where cards are not the fastest") {
    const auto [shift, changed] = answer({3, 0, 0.5, 1, 9, 1});
    CHECK(shift == Shift::trainThreads);
    CHECK(changed.loadThreads == 16);
  }
}

TEST_CASE("work moves half of the way to where both take alike", "[hybrid]") {
  const HybridPlatform platform = platformOf(4);
  ResourceManager manager(platform, Prefetch::twoStage);
  // 200 seeds a card in 8 s, 200 of the processors in 2 s: 0.04 and 0.01 a seed, alike at B_A = 1000 · 0.01 /
  // (0.04 + 4 · 0.01)
  const HybridMapping changed = manager.next({1000, 200, 20, 20, 24, 0}, {0.1, 0, 0.1, 8, 2, 1}, 8);
  CHECK(manager.last() == Shift::work);
  CHECK(changed.cpuSeeds == 1000 - 4 * (200 + (125 - 200) / 2.0));
}

TEST_CASE("what made nothing shorter is undone, and not tried again", "[hybrid]") {
  const HybridPlatform platform = platformOf(2);
  ResourceManager manager(platform, Prefetch::twoStage);
  const HybridMapping before{1000, 400, 20, 20, 24, 0};
  const HybridTimes times{1, 0, 9, 2, 3, 4};
  const HybridMapping tried = manager.next(before, times, 9);
  CHECK(tried != before);
  CHECK(manager.next(tried, times, 9) == before);
  CHECK(manager.last() == Shift::undo);
  CHECK(manager.next(before, times, 9) == before);
  CHECK(manager.last() == Shift::none);
}

TEST_CASE("neighbours are sampled where it is done sooner", "[hybrid]") {
  const HybridPlatform platform = platformOf(2, 100);
  ResourceManager manager(platform, Prefetch::twoStage);
  // the processors' sampler is the longest, the cards' the fastest
  const HybridMapping changed = manager.next({1000, 400, 20, 20, 24, 0}, {9, 0, 3, 2, 3, 4}, 9);
  CHECK(manager.last() == Shift::sampling);
  // 20 threads of 10 M and 2 cards of 100 M edges a second: alike at half; half of the way
  CHECK(changed.cardSampleShare == Approx(0.25));
}
