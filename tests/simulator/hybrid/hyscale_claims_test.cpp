// What HyScale's text says of its platform (VI-D, VI-F), on the platform of its Table II as it ships, and
// where that does not hold: why. Mini-batches have HP-GNN's sizes, in proportion.
#include <catch2/catch.hpp>
#include <map>

#include "engine/base/index.h"
#include "engine/hybrid/mean_batches.h"
#include "engine/hybrid/saturation.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::hybridtest;

namespace {

/// Iterations where the manager rests with one stage prefetched, over those where it then rests with two.
double secondStageGain(const HybridPlatform& platform, const HybridWork& work) {
  const BatchSizes sizes = publishedSizes();
  const MappingRequest request{platform, work, sizes, 1024 * (platform.cards + 1)};
  const HybridMapping oneStage = managedMeans(request, Prefetch::one, modelMapping(request)).mapping();
  const HybridMapping twoStages = managedMeans(request, Prefetch::two, oneStage).mapping();
  return meanIteration(request, Prefetch::one, oneStage).seconds /
         meanIteration(request, Prefetch::two, twoStages).seconds;
}

/// Of the literal model, sampling left out: seeds a second for a number of cards, and whether loading binds.
struct Scaled {
  double seedsPerSecond = 0;
  bool loadBinds = false;
};
Scaled scaled(const HybridWork& work, std::int64_t cards, double pcieGbps) {
  const BatchSizes sizes = publishedSizes();
  // so many threads sample that it never binds
  const HybridPlatform platform = platformNamed("hyscale-u250", {{"cards", cards},
                                                                 {"memory_sockets", std::int64_t{1}},
                                                                 {"pcie_gbps", pcieGbps},
                                                                 {"thread_sample_medges", 1e6}});
  const std::int64_t batch = 1024 * (cards + 1);
  const HybridMapping mapping = modelMapping({platform, work, sizes, batch});
  const HybridTimes times = predictStages(platform, work, sizes, mapping);
  const double rest = std::max(times.transfer, times.propagate());
  return {static_cast<double>(batch) / std::max(times.load, rest), times.load >= 0.999 * rest};
}
std::int64_t firstBound(const HybridWork& work, double pcieGbps) {
  for (std::int64_t cards = 1; cards <= 20; ++cards)
    if (scaled(work, cards, pcieGbps).loadBinds) return cards;
  return 0;
}

}  // namespace

TEST_CASE(
    "the second prefetch stage gains nothing where propagation dominates, and half of an iteration on "
    "Table II",
    "[hybrid][golden]") {
  // "The TFP optimization does not provide speedup" for SAGE on papers100M (VI-F). Features of a mini-batch
  // cross PCIe once at 16 GB/s and are read by the kernel twice at 77: transfer is 77 / (2 · 16) = 2.4 times
  // as long as what the kernel's memory takes, whatever the graph. So propagation does not dominate there.
  const HybridWork work = hyScaleSets()[4].work;
  const HybridPlatform bound =
      platformNamed("hyscale-u250", {{"card_gmacs", 60.0}, {"cpu_gmacs", 200.0}, {"pcie_gbps", 32.0}});
  CHECK(secondStageGain(bound, work) == Approx(1).margin(0.03));
  CHECK(secondStageGain(platformNamed("hyscale-u250"), work) == Approx(1.54).margin(0.005));
}

TEST_CASE(
    "Figure 9: loading binds from 13 to 16 cards at 12 GB/s of PCIe, and GCN on products scales least but "
    "one",
    "[hybrid][golden]") {
  // "the CPU memory starts to saturate when more than 12 accelerators are used" (VI-D); at 16 GB/s earlier
  std::map<std::string, double> scaling;
  for (const HyScaleSet& set : hyScaleSets()) {
    CAPTURE(set.name);
    const std::int64_t at12 = firstBound(set.work, 12), at16 = firstBound(set.work, 16);
    CHECK(at12 == (set.sage() ? 15 : 14));
    CHECK((at16 == 11 || at16 == 12));
    scaling[set.name] = scaled(set.work, 16, 12).seedsPerSecond / scaled(set.work, 1, 12).seedsPerSecond;
    const BatchSizes sizes = publishedSizes();
    const HybridPlatform sixteen = platformNamed(
        "hyscale-u250",
        {{"cards", std::int64_t{16}}, {"memory_sockets", std::int64_t{1}}, {"pcie_gbps", 12.0}});
    CHECK(scalingOverOneCard({sixteen, set.work, sizes, std::int64_t{1024} * 17}, 1024) ==
          Approx(scaling[set.name]).epsilon(1e-3));
  }
  const std::map<std::string, double> printed = {{"GCN on products", 3.96},   {"SAGE on products", 5.07},
                                                 {"GCN on papers100M", 4.04}, {"SAGE on papers100M", 5.26},
                                                 {"GCN on MAG240M", 3.69},    {"SAGE on MAG240M", 4.81}};
  for (const auto& [name, factor] : printed) {
    CAPTURE(name);
    CHECK(scaling[name] == Approx(factor).margin(0.0051));
    // "GCN on products scales least" fails against GCN on MAG240M, whose processors have more of the work
    if (name != "GCN on products" && name != "GCN on MAG240M") CHECK(scaling["GCN on products"] < factor);
  }
  CHECK(scaling["GCN on MAG240M"] < scaling["GCN on products"]);
}

TEST_CASE("Table VI: epochs of both models on papers100M are the published ones within a quarter",
          "[hybrid][golden]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const BatchSizes sizes = publishedSizes();
  for (const auto& [set, published, expectedEpoch] :
       {std::tuple(1, 0.57, 0.553), std::tuple(4, 0.59, 0.586), std::tuple(0, 0.27, 0.071)}) {
    const HybridWork work = hyScaleSets()[at(set)].work;
    const MappingRequest request{platform, work, sizes, 5120};
    const HybridMapping oneStage = managedMeans(request, Prefetch::one, modelMapping(request)).mapping();
    const HybridMapping twoStages = managedMeans(request, Prefetch::two, oneStage).mapping();
    const auto iterations = static_cast<double>((work.trainVertices + 5119) / 5120);
    const double epoch = iterations * meanIteration(request, Prefetch::two, twoStages).seconds;
    CAPTURE(set);
    CHECK(epoch == Approx(expectedEpoch).margin(0.00051));
    if (set != 0) CHECK(epoch == Approx(published).epsilon(0.25));  // products: order alone, a quarter of it
  }
}

TEST_CASE("where PCIe binds from the start the manager moves work to the processors", "[hybrid]") {
  const BatchSizes sizes = publishedSizes();
  for (const int cards : {1, 4}) {
    CAPTURE(cards);
    const HybridPlatform platform = platformNamed("hyscale-u250", {{"cards", std::int64_t{cards}}});
    const std::int64_t batch = 1024 * (cards + 1);
    const MappingRequest request{platform, kProducts, sizes, batch};
    const HybridMapping even{batch, 1024, 40, 40, 48, 0};
    CHECK(predictStages(platform, kProducts, sizes, even).longest() == "transfer");
    const HybridMapping rest = managedMeans(request, Prefetch::two, even).mapping();
    CHECK(static_cast<double>(rest.cpuSeeds) > 1.2 * 1024);
    CHECK(meanIteration(request, Prefetch::two, rest).seconds <
          0.9 * meanIteration(request, Prefetch::two, even).seconds);
  }
}
