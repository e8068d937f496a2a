#include "engine/hybrid/stage_model.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "engine/hybrid/mean_batches.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::hybridtest;

namespace {

HybridPlatform fpga(const std::map<std::string, Value>& changed = {}) {
  return platformNamed("hyscale-u250", changed);
}

/// 1024 seeds for each of four cards and the processors.
constexpr HybridMapping kEven{5120, 1024, 40, 40, 48, 0};

}  // namespace

TEST_CASE("the worked example of products on FPGAs is met", "[hybrid][golden]") {
  const BatchSizes sizes = publishedSizes();
  // loading: 5 · 41 MB at one processor's 205 GB/s
  const HybridTimes slow = predictStages(fpga({{"memory_sockets", std::int64_t{1}}, {"pcie_gbps", 12.0}}),
                                         kProducts, sizes, kEven);
  const HybridTimes fast = predictStages(fpga(), kProducts, sizes, kEven);
  CHECK(1e3 * slow.load == Approx(1.0).margin(0.05));
  CHECK(1e3 * slow.transfer == Approx(3.4).margin(0.05));
  CHECK(1e3 * fast.transfer == Approx(2.6).margin(0.05));
  CHECK(slow.longest() == "transfer");  // as the paper says of GCN on products

  // the first layer of one mini-batch, forward: all but one of the two made free
  const BatchSize first{{102'483, 9'000}, {137'420}};
  const HybridWork layer{{100, 256}};
  const auto forward = [&](const std::map<std::string, Value>& changed) {
    std::map<std::string, Value> all = changed;
    all.emplace("launch_us", 0.0);
    return 1e3 * loadOf(first, layer, fpga(all)).cardSeconds / 2;
  };
  CHECK(forward({{"card_gmacs", 1e9}}) == Approx(0.53).margin(0.005));
  CHECK(forward({{"card_memory_gbps", 1e6}}) == Approx(0.38).margin(0.006));
  // together: the longer of both, or one after the other; without the duplicator |E| rows are read
  CHECK(forward({}) == Approx(0.532).margin(0.001));
  CHECK(forward({{"card_overlaps", false}}) == Approx(0.532 + 0.375).margin(0.001));
  CHECK(forward({{"card_duplicates", false}}) == Approx(137'420 * 400 / 77e6).margin(0.001));
}

TEST_CASE("stages take what equations 7 to 13 say", "[hybrid]") {
  const BatchSizes sizes = publishedSizes();
  const HybridPlatform platform = fpga();
  HybridWork work = kProducts;
  const HybridTimes times = predictStages(platform, work, sizes, kEven);
  const double features = 102'483.0 * 100 * 4;
  CHECK(times.load == Approx(5 * features / 410e9));  // whatever the threads
  CHECK(times.transfer == Approx(features / 16e9));
  CHECK(times.sync == Approx(2 * (100 * 256 + 256 * 47) * 4 / 16e9));
  CHECK(times.sampleCpu == Approx(5 * (137'420 + 8'505) / 400e6));
  const double gathered = 2 * (137'420.0 * 100 + 8'505.0 * 256) * 4;
  const double macs = 2 * (9'000.0 * 100 * 256 + 1'024.0 * 256 * 47);
  CHECK(times.trainCpu == Approx(gathered / 410e9 + macs / (3600e9 * 48 / 128)));

  work.concatenates = true;  // GraphSAGE: twice the weights
  CHECK(modelBytes(work) == 2 * modelBytes(kProducts));
  CHECK(loadOf(sizes.mean(1024), work, platform).macs == Approx(2 * macs));
  work = kProducts;
  work.twoProducts = true;  // GIN: the second product too
  CHECK(modelBytes(work) == modelBytes(kProducts) + (256 * 256 + 47 * 47) * 4);
  CHECK(loadOf(sizes.mean(1024), work, platform).macs ==
        Approx(macs + 2 * (9'000.0 * 256 * 256 + 1'024.0 * 47 * 47)));
  work = kProducts;
  work.sendsTopology = true;
  CHECK(loadOf(sizes.mean(1024), work, platform).transferBytes == Approx(features + 8.0 * 145'925));
  CHECK(predictStages(fpga({{"root_port", std::string("shared")}}), kProducts, sizes, kEven).transfer ==
        Approx(4 * features / 16e9));
  CHECK(mteps(5 * 145'925.0, 0.001) == Approx(729.625));
}

TEST_CASE("each copy in host memory is counted as the factor says", "[hybrid]") {
  const BatchSizes sizes = publishedSizes();
  const HybridPlatform platform = fpga();
  const double features = 102'483.0 * 100 * 4;
  HybridWork work = kProducts;
  std::vector<double> loads, memory;
  for (const int factor : {1, 2, 3}) {
    work.hostTrafficFactor = factor;
    const HybridTimes times = predictStages(platform, work, sizes, kEven);
    loads.push_back(times.load);
    memory.push_back(times.hostMemory);
  }
  CHECK(loads[0] == Approx(5 * features / 410e9));
  CHECK(loads[1] == Approx(2 * loads[0]));
  CHECK(loads[2] == Approx(loads[1]));  // the third is the transfer's
  CHECK(memory[1] - memory[0] == Approx(5 * features / 410e9));
  CHECK(memory[2] - memory[1] == Approx(4 * features / 410e9));  // of the cards alone
}

TEST_CASE("host memory saturates at as many trainers as HyScale's and three other readings give",
          "[hybrid][golden]") {
  CHECK(saturatingTrainers(205, 16, 1) == Approx(12.8).margin(0.05));  // "more than 12"
  CHECK(saturatingTrainers(410, 16, 3) == Approx(8.5).margin(0.05));
  CHECK(saturatingTrainers(410, 16, 2) == Approx(12.8).margin(0.05));
  // the same by the stages of cards alone, whose memory nothing else asks for
  const BatchSizes sizes = publishedSizes();
  const auto cardsUntilBound = [&](std::int64_t sockets, int factor) {
    HybridWork work = kProducts;
    work.hostTrafficFactor = factor;
    std::int64_t free = 0;
    for (std::int64_t cards = 1; cards <= 32; ++cards) {
      const HybridPlatform platform = fpga({{"cards", cards},
                                            {"memory_sockets", sockets},
                                            {"thread_gbps", 1000.0},
                                            {"thread_sample_medges", 1e5},
                                            {"sample_bytes_per_edge", 0.0}});
      const RaceTimes race = meanIteration({platform, work, sizes, 1024 * cards, false}, Prefetch::two,
                                           {1024 * cards, 0, 64, 64, 0, 0});
      const HybridTimes times = timesOf(race, platform);
      const double features = 102'483.0 * 100 * 4, host = static_cast<double>(sockets) * 205e9;
      CAPTURE(sockets, factor, cards);
      // at the pace of one transfer, or of the memory
      const double model = factor == 3 ? 2 * modelBytes(work) : 0;  // gradients are read by DMA too
      const double transfer = features / 16e9;
      const double memory = static_cast<double>(cards) * (factor * features + model) / host;
      CHECK(race.seconds == Approx(std::max(transfer, memory)));
      if (times.hostMemory <= transfer) free = cards;
    }
    return free;
  };
  CHECK(cardsUntilBound(1, 1) == 12);
  CHECK(cardsUntilBound(2, 2) == 12);
  CHECK(cardsUntilBound(2, 3) == 8);
  CHECK(cardsUntilBound(2, 1) == 25);
}

TEST_CASE("cards get what the processors leave, evenly", "[hybrid]") {
  const HybridMapping mapping{103, 40, 1, 1, 1, 0};
  std::int64_t sum = mapping.cpuSeeds;
  for (int card = 0; card < 4; ++card) {
    CHECK(mapping.cardSeeds(card, 4) >= 15);
    CHECK(mapping.cardSeeds(card, 4) <= 16);
    sum += mapping.cardSeeds(card, 4);
  }
  CHECK(sum == 103);
}

TEST_CASE("weighted gradients count every seed alike, plain ones every trainer", "[hybrid]") {
  const HybridMapping mapping{100, 40, 1, 1, 1, 0};
  const std::vector<double> weighted = gradientWeights(mapping, 3, false);
  CHECK(weighted == std::vector<double>{0.4, 0.2, 0.2, 0.2});
  const std::vector<double> plain = gradientWeights(mapping, 3, true);
  CHECK(plain == std::vector<double>(4, 0.25));
  CHECK(gradientWeights({100, 0, 1, 1, 0, 0}, 2, false) == std::vector<double>{0.5, 0.5});
}

TEST_CASE("errors of prediction are of an iteration and of the stages that take time", "[hybrid]") {
  HybridTimes predicted{2, 0, 3, 0, 1, 4, 1}, measured{4, 0, 2, 0, 5, 2, 0};
  const auto errors = predictionErrors(predicted, 5, measured, 4);
  CHECK(errors == std::map<std::string, double>{{"prediction_error", 0.25},
                                                {"prediction_error_sample", -0.5},
                                                {"prediction_error_load", 0.5},
                                                {"prediction_error_propagate", 0.0}});
}
