// The performance model beside the simulation: one model against another.
#include <catch2/catch.hpp>

#include "engine/hybrid/mean_batches.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::hybridtest;

TEST_CASE("the model never predicts more than what shared memory, threads and launches allow", "[hybrid]") {
  const BatchSizes sizes = publishedSizes();
  const auto prefetch = GENERATE(Prefetch::none, Prefetch::one, Prefetch::two);
  for (const char* name : {"hyscale-u250", "hyscale-a5000"})
    for (const HyScaleSet& set : hyScaleSets())
      for (const std::int64_t sockets : {1, 2})
        for (const int factor : {1, 2, 3})
          for (const char* port : {"own", "shared"})
            for (const std::int64_t cards : {1, 4, 16}) {
              CAPTURE(name, set.name, sockets, factor, port, cards);
              const HybridPlatform platform = platformNamed(
                  name, {{"cards", cards}, {"memory_sockets", sockets}, {"root_port", std::string(port)}});
              HybridWork work = set.work;
              work.hostTrafficFactor = factor;
              const MappingRequest request{platform, work, sizes, 1024 * (cards + 1)};
              const HybridMapping mapping = modelMapping(request);
              const double predicted = predictStages(platform, work, sizes, mapping).iteration(prefetch);
              const double planned = meanIteration(request, prefetch, mapping).seconds;
              CHECK(predicted <= planned * (1 + 1e-12));
            }
}

TEST_CASE("Figure 8: the model's error at the manager's mapping is -20 to +1 %", "[hybrid][golden]") {
  // The text lays its 5 to 14 % to latencies that are not modelled, so the prediction is below. Ours, for one
  // to four cards, MAG240M (minibatch_example.py): GCN -0.9 0.0 -8.6 -3.2 %, SAGE 0.0 %.
  const BatchSizes sizes = publishedSizes();
  const double printed[2][4] = {{-0.9, 0.0, -8.6, -3.2}, {0, 0, 0, 0}};
  for (const std::size_t sage : {0U, 1U})
    for (int cards = 1; cards <= 4; ++cards) {
      CAPTURE(sage, cards);
      const HybridPlatform platform = platformNamed("hyscale-u250", {{"cards", std::int64_t{cards}}});
      const HybridWork work = hyScaleSets()[sage == 1 ? 5 : 2].work;
      const MappingRequest request{platform, work, sizes, 1024 * (cards + 1)};
      const HybridMapping managed = managedMeans(request, Prefetch::one, modelMapping(request)).mapping();
      const HybridMapping rest = managedMeans(request, Prefetch::two, managed).mapping();
      const double predicted = predictStages(platform, work, sizes, rest).iteration(Prefetch::two);
      const double error = 100 * (predicted / meanIteration(request, Prefetch::two, rest).seconds - 1);
      CHECK(error == Approx(printed[sage][cards - 1]).margin(0.051));
      CHECK(error >= -20);
      CHECK(error <= 1);
    }
}
