#include "engine/hybrid/resource_manager.h"

#include <catch2/catch.hpp>

#include "engine/hybrid/manager_actions.h"

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

constexpr HybridMapping kMapping{1000, 400, 20, 20, 24, 0};

/// What is tried first after a window with these times.
ManagerOption first(const HybridPlatform& platform, const HybridTimes& times,
                    const HybridMapping& mapping = kMapping) {
  const auto options = managerOptions(platform, Prefetch::two, mapping, times);
  REQUIRE_FALSE(options.empty());
  return options.front();
}

}  // namespace

TEST_CASE("each longest stage is answered as the rules say", "[hybrid]") {
  const HybridPlatform platform = platformOf(2);
  using enum MappingAction;
  using enum MappingPart;
  SECTION("cards: work goes to the processors, then a step") {
    const auto options = managerOptions(platform, Prefetch::two, kMapping, {1, 0, 1, 9, 2, 5, 0});
    CHECK(options[0].change == ManagerChange{work, cards, cpu});
    CHECK(options[0].mapping.cpuSeeds > 400);
    CHECK(options[1].change == ManagerChange{step, cards, cpu});
    CHECK(options[1].mapping.cpuSeeds == 400 + 2 * 25);  // 5 % of 1000 over two cards
  }
  SECTION("the loader: threads of the fastest, then of the other") {
    const auto options = managerOptions(platform, Prefetch::two, kMapping, {1, 0, 9, 2, 3, 4, 0});
    CHECK(options[0].change == ManagerChange{threads, sample, load});
    CHECK(options[0].mapping.loadThreads == 24);  // 5 % of 64, up
    CHECK(options[0].mapping.sampleThreads == 16);
    CHECK(options[1].change == ManagerChange{threads, train, load});
  }
  SECTION("the sampler: threads of the fastest") {
    const ManagerOption option = first(platform, {9, 0, 4, 2, 1.5, 3, 0});
    CHECK(option.change == ManagerChange{threads, train, sample});
    CHECK(option.mapping.trainThreads == 20);
  }
  SECTION("the processors' trainer: work to idle cards") {
    const ManagerOption option = first(platform, {3, 0, 4, 1, 9, 1, 0});
    CHECK(option.change == ManagerChange{work, cpu, cards});
    CHECK(option.mapping.cpuSeeds < 400);
  }
  SECTION("the processors' trainer: threads, where cards are not the fastest") {
    const ManagerOption option = first(platform, {3, 0, 0.5, 1, 9, 1, 0});
    CHECK(option.change == ManagerChange{threads, load, train});
    CHECK(option.mapping.loadThreads == 16);
  }
  SECTION("without a trainer of the processors neither work nor its threads move") {
    const HybridMapping alone{1000, 0, 32, 32, 0, 0};
    for (const ManagerOption& option :
         managerOptions(platform, Prefetch::two, alone, {1, 0, 2, 9, 0, 5, 0})) {
      CHECK(option.change.action == threads);
      CHECK(option.mapping.trainThreads == 0);
    }
  }
}

TEST_CASE("what one stage of prefetching takes in turn counts for the longer", "[hybrid]") {
  // loading 4 and transfer 3 make 7, more than the processors' 6; with two stages the processors are longest
  const HybridTimes times{1, 0, 4, 3, 6, 2, 0};
  const HybridPlatform platform = platformOf(2);
  CHECK(managerOptions(platform, Prefetch::one, kMapping, times)[0].change.to == MappingPart::load);
  CHECK(managerOptions(platform, Prefetch::two, kMapping, times)[0].change.to == MappingPart::train);
  // where transfer is the longer, the sum is the cards'
  const HybridTimes slowLink{1, 0, 3, 4, 6, 2, 0};
  CHECK(managerOptions(platform, Prefetch::one, kMapping, slowLink)[0].change.from == MappingPart::cards);
}

TEST_CASE("work moves half of the way to where both take alike", "[hybrid]") {
  // 200 seeds a card in 8 s, 200 of the processors in 2 s: 0.04 and 0.01 a seed, alike at B_A = 1000 · 0.01 /
  // (0.04 + 4 · 0.01)
  const HybridMapping mapping{1000, 200, 20, 20, 24, 0};
  const ManagerOption option = first(platformOf(4), {0.1, 0, 0.1, 8, 2, 1, 0}, mapping);
  CHECK(option.change.action == MappingAction::work);
  CHECK(option.mapping.cpuSeeds == 1000 - 4 * 163);  // 200 + (125 − 200) / 2 = 162.5, half up
}

TEST_CASE("neighbours are sampled where it is done sooner", "[hybrid]") {
  // the processors' sampler is the longest, the cards' the fastest
  const ManagerOption option = first(platformOf(2, 100), {9, 0, 3, 2, 3, 4, 0});
  CHECK(option.change == ManagerChange{MappingAction::sampling, MappingPart::cpu, MappingPart::cards});
  // 20 threads of 10 M and 2 cards of 100 M neighbours a second: alike at half; half of the way
  CHECK(option.mapping.cardSampleShare == Approx(0.25));
}

TEST_CASE("what did not make an iteration 1 % shorter is undone, and not tried again", "[hybrid]") {
  const HybridPlatform platform = platformOf(2);
  const HybridTimes times{1, 0, 9, 2, 3, 4, 0};
  ResourceManager manager(platform, Prefetch::two, kMapping);
  const HybridMapping tried = manager.endWindow(times, 9);
  CHECK(tried != kMapping);
  const HybridMapping next = manager.endWindow(times, 8.95);  // 0.6 %
  CHECK(manager.decisions()[1].outcome == DecisionOutcome::undone);
  CHECK(next != tried);  // another change of the mapping before
  std::vector<ManagerChange> tries;
  while (!manager.atRest()) manager.endWindow(times, 9);
  CHECK(manager.mapping() == kMapping);
  for (const ManagerDecision& decision : manager.decisions())
    if (decision.outcome == DecisionOutcome::undone) tries.push_back(decision.change);
  for (const ManagerChange& change : tries) CHECK(std::ranges::count(tries, change) == 1);
  CHECK(manager.windowsToRest() == std::ssize(tries) + 1);
}

TEST_CASE("at rest nothing is tried until an iteration is 10 % off for two windows", "[hybrid]") {
  const HybridPlatform platform = platformOf(2);
  const HybridTimes times{1, 0, 9, 2, 3, 4, 0};
  ResourceManager manager(platform, Prefetch::two, kMapping);
  while (!manager.atRest()) manager.endWindow(times, 9);
  const std::size_t decisions = manager.decisions().size();
  manager.endWindow(times, 9.8);  // within
  manager.endWindow(times, 10);   // off once
  manager.endWindow(times, 9);    // and back
  manager.endWindow(times, 7.9);  // off once, to the other side
  CHECK(manager.atRest());
  CHECK(manager.decisions().size() == decisions);
  manager.endWindow(times, 10);
  CHECK_FALSE(manager.atRest());
  CHECK(manager.decisions().size() == decisions + 1);
  CHECK(manager.mapping() != kMapping);
}
