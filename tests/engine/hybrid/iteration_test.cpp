#include "engine/hybrid/iteration.h"

#include <catch2/catch.hpp>

#include "engine/base/problem.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::hybridtest;

namespace {

/// An iteration whose mini-batches have their mean size.
double secondsOf(const HybridPlatform& platform, const BatchSizes& sizes, const HybridMapping& mapping,
                 Prefetch prefetch) {
  const BatchWork mean =
      batchWork(platform, kProducts, mapping, [&](double seeds, int) { return sizes.mean(seeds); });
  return race(lanesOf(platform, kProducts, mapping, prefetch, {&mean, &mean, &mean, &mean}), platform)
      .seconds;
}

}  // namespace

TEST_CASE("the static mapping is the shortest of those that are looked at", "[hybrid]") {
  const BatchSizes sizes = publishedSizes();
  const HybridPlatform platform = platformNamed("hyscale-u250");
  for (const Prefetch prefetch : {Prefetch::none, Prefetch::oneStage, Prefetch::twoStage}) {
    const HybridMapping best = staticMapping(platform, kProducts, sizes, 5120, prefetch, true);
    const double shortest = secondsOf(platform, sizes, best, prefetch);
    CHECK(best.sampleThreads + best.loadThreads + best.trainThreads == 128);
    for (const std::int64_t cpuSeeds : {256, 1024, 2560})
      for (const int sample : {16, 48})
        for (const int load : {16, 48}) {
          const HybridMapping other{5120, cpuSeeds, sample, load, 128 - sample - load, 0};
          CHECK(shortest <= secondsOf(platform, sizes, other, prefetch));
        }
    const HybridMapping cardsOnly = staticMapping(platform, kProducts, sizes, 5120, prefetch, false);
    CHECK(cardsOnly.cpuSeeds == 0);
    CHECK(shortest <= secondsOf(platform, sizes, cardsOnly, prefetch));
  }
}

TEST_CASE("work that cannot be is refused by name", "[hybrid]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const auto refusal = [&](const HybridWork& work, std::int64_t batch) {
    try {
      staticMapping(platform, work, publishedSizes(), batch, Prefetch::none, true);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using Catch::Contains;
  CHECK_THAT(refusal(kProducts, 3),
             Contains("hybrid.batch: 3 cannot be used; at least 4, a seed for each card"));
  CHECK(refusal(kProducts, 4).empty());
  CHECK_THAT(refusal({{100, 47}}, 1024), Contains("hybrid.widths: 2 widths for mini-batches of 2 layers"));
  CHECK_THAT(refusal({{100, 0, 47}}, 1024), Contains("hybrid.widths: 0 cannot be used"));
  CHECK_THAT(refusal({{100, 256, 47}, false, 0, 4, 4}, 1024),
             Contains("hybrid.host_traffic_factor: 4 cannot be used; 1, 2 or 3"));
}
