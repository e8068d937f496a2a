#include "engine/hybrid/mapping.h"

#include <catch2/catch.hpp>

#include "engine/base/problem.h"
#include "engine/hybrid/mean_batches.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::hybridtest;

TEST_CASE("the best mapping is the shortest of those that are looked at", "[hybrid]") {
  const BatchSizes sizes = publishedSizes();
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const MappingRequest request{platform, kProducts, sizes, 5120},
      cardsAlone{platform, kProducts, sizes, 5120, false};
  const auto secondsOf = [&](const HybridMapping& mapping, Prefetch prefetch) {
    return meanIteration(request, prefetch, mapping).seconds;
  };
  for (const Prefetch prefetch : {Prefetch::none, Prefetch::one, Prefetch::two}) {
    const HybridMapping best = bestMapping(request, prefetch);
    const double shortest = secondsOf(best, prefetch);
    CHECK(best.sampleThreads + best.loadThreads + best.trainThreads == 128);
    for (const std::int64_t cpuSeeds : {256, 1024, 2560})
      for (const int sample : {16, 48})
        for (const int load : {16, 48}) {
          const HybridMapping other{5120, cpuSeeds, sample, load, 128 - sample - load, 0};
          CHECK(shortest <= secondsOf(other, prefetch));
        }
    const HybridMapping cardsOnly = bestMapping(cardsAlone, prefetch);
    CHECK(cardsOnly.cpuSeeds == 0);
    CHECK(shortest <= secondsOf(cardsOnly, prefetch));
  }
}

TEST_CASE("work that cannot be is refused by name", "[hybrid]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const auto refusal = [&](const HybridWork& work, std::int64_t batch) {
    try {
      modelMapping({platform, work, publishedSizes(), batch});
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

TEST_CASE("a mapping is read as it is written, or refused with what would be right", "[hybrid]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  std::vector<Problem> problems;
  CHECK(readMapping("1024/40/40/48", 5120, platform, "run.mapping", problems) ==
        HybridMapping{5120, 1024, 40, 40, 48, 0});
  CHECK(readMapping("0/64/64/0", 5120, platform, "run.mapping", problems) ==
        HybridMapping{5120, 0, 64, 64, 0, 0});
  CHECK(problems.empty());
  for (const char* text :
       {"5200/40/40/48", "1024/40/40/47", "1024/64/64/0", "1024/0/80/48", "-1/40/40/48", "1024/40/40",
        "1024/40/40/48/1", "1024 / 40 / 40 / 48", "", "model ", "1024/9223372036854775807/40/48"}) {
    CAPTURE(text);
    problems.clear();
    readMapping(text, 5120, platform, "run.mapping", problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "run.mapping");
    CHECK_THAT(problems[0].message,
               Catch::Contains(
                   "cannot be used; seeds up to 5116 (one for each of 4 cards) and threads that make 128"));
  }
}
