#include "engine/hybrid/sharing.h"
#include "engine/base/index.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

#include "engine/base/philox.h"
#include "engine/hybrid/stage_race.h"

using namespace halo;

namespace {

/// The words of the definition: everybody is given a little, again and again, until nobody wants more.
std::vector<double> sharesReference(const std::vector<double>& demands, double capacity,
                                    int steps = 200'000) {
  std::vector<double> shares(demands.size(), 0);
  const double step = capacity / steps;
  double left = capacity;
  while (left > step / 2) {
    double increase = 0;
    for (std::size_t i = 0; i < demands.size() && left > step / 2; ++i) {
      const double more = std::min({step, demands[i] - shares[i], left});
      shares[i] += more, increase += more, left -= more;
    }
    if (increase <= 0) break;
  }
  return shares;
}

/// Something that needs so much of host memory, and at most so much a second.
struct Use {
  double amount, most;
  bool after;  // begins when the one before it ends; else with the first
};

/// Slice after slice: who has begun and wants more moves what its share is in so short a time.
std::vector<double> endsReference(const std::vector<Use>& uses, double capacity, double slice) {
  std::vector<double> left, ends(uses.size(), -1);
  for (const Use& use : uses) left.push_back(use.amount);
  for (int step = 0; std::ranges::min(ends) < 0; ++step) {
    std::vector<double> demands;
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const bool begun = !uses[i].after || ends[i - 1] >= 0;
      if (begun && left[i] <= 0 && ends[i] < 0) ends[i] = step * slice;
      demands.push_back(begun && ends[i] < 0 ? uses[i].most : 0);
    }
    const std::vector<double> shares = sharesReference(demands, capacity, 2000);
    for (std::size_t i = 0; i < uses.size(); ++i) left[i] -= shares[i] * slice;
  }
  return ends;
}

HybridPlatform platformOf(double hostGbps, double pcieGbps, bool shared) {
  HybridPlatform platform;
  platform.memorySockets = 1;
  platform.socketMemoryGbps = hostGbps;
  platform.pcieGbps = pcieGbps;
  platform.sharedRootPort = shared;
  return platform;
}

double secondsOf(const RaceTimes& times, HybridStage stage) { return times.stageSeconds[at(stage)]; }

}  // namespace

TEST_CASE("nobody gets more than it asks for, nor less than another who asks for more", "[hybrid]") {
  CHECK(maxMinShares(std::vector{1.0, 2.0, 9.0}, 9) == std::vector{1.0, 2.0, 6.0});
  CHECK(maxMinShares(std::vector{5.0, 5.0}, 6) == std::vector{3.0, 3.0});
  CHECK(maxMinShares(std::vector{5.0, 1.0}, 100) == std::vector{5.0, 1.0});
  CHECK(maxMinShares(std::vector{std::numeric_limits<double>::infinity(), 1.0}, 4) == std::vector{3.0, 1.0});
  CHECK(maxMinShares({}, 4).empty());
  CHECK(maxMinShares(std::vector{0.0, 1.0}, 0) == std::vector{0.0, 0.0});
}

TEST_CASE("max-min shares are those of giving everybody a little at a time", "[hybrid]") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    PhiloxStream random(seed, Purpose::generate, 3);
    std::vector<double> demands;
    for (std::uint64_t i = 0; i < 1 + seed; ++i) demands.push_back(random.uniform() * 10);
    const double capacity = random.uniform() * 30;
    const std::vector<double> shares = maxMinShares(demands, capacity);
    const std::vector<double> slow = sharesReference(demands, capacity);
    const double total = std::accumulate(demands.begin(), demands.end(), 0.0);
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(std::min(total, capacity)));
    for (std::size_t i = 0; i < shares.size(); ++i)
      CHECK(shares[i] == Approx(slow[i]).margin(capacity * 1e-4));
  }
}

TEST_CASE("stages that use host memory slow each other down, and no longer than both last", "[hybrid]") {
  // 30 GB at up to 10 GB/s, 20 GB at up to 20 GB/s, of 15 GB/s: 7.5 each until the second has its 20 GB, at
  // 8/3 s; then the first at its 10 GB/s
  const HybridPlatform platform = platformOf(15, 16, false);
  const RaceTask slow{HybridStage::load, {{30e9, 10e9, 1}}}, fast{HybridStage::trainCpu, {{20e9, 20e9, 1}}};
  const RaceTimes times = race({{{slow}}, {{fast}}}, platform);
  CHECK(secondsOf(times, HybridStage::trainCpu) == Approx(20 / 7.5));
  CHECK(secondsOf(times, HybridStage::load) == Approx(20 / 7.5 + 1));
  CHECK(times.seconds == Approx(20 / 7.5 + 1));
  CHECK(times.hostBytes == Approx(50e9));
  // one after the other in one lane, each has all of it
  const RaceTimes serial = race({{{slow}, {fast}}}, platform);
  CHECK(serial.seconds == Approx(3 + 20.0 / 15));
}

TEST_CASE("a race is that of many short slices", "[hybrid]") {
  constexpr double kGiga = 1e9;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    PhiloxStream random(seed, Purpose::generate, 4);
    std::vector<Use> uses;
    std::vector<RaceLane> lanes;
    for (int i = 0; i < 6; ++i) {
      uses.push_back({1 + random.uniform() * 9, 1 + random.uniform() * 9, i % 3 == 2});
      const auto stage = static_cast<HybridStage>(i);
      const RaceStep step = {{stage, {{uses.back().amount * kGiga, uses.back().most * kGiga, 1}}}};
      if (!uses.back().after) lanes.emplace_back();
      lanes.back().push_back(step);
    }
    const double capacity = 3 + random.uniform() * 20;
    CAPTURE(seed, capacity);
    const RaceTimes times = race(lanes, platformOf(capacity, 1, false));
    const std::vector<double> slow = endsReference(uses, capacity, 1e-3);
    CHECK(times.seconds == Approx(std::ranges::max(slow)).epsilon(0.005));
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const double begun = uses[i].after ? slow[i - 1] : 0;
      CHECK(times.stageSeconds[i] == Approx(slow[i] - begun).epsilon(0.005).margin(0.01));
    }
    // no idle capacity while all that is left could use it
    CHECK(times.seconds >= times.hostBytes / (capacity * kGiga) * (1 - 1e-12));
  }
}

TEST_CASE("cards have a link each, or share one", "[hybrid]") {
  RaceStep transfers;
  for (const double gigabytes : {16.0, 32.0, 48.0})
    transfers.push_back(
        {HybridStage::transfer, {{gigabytes * 1e9, 16e9, 0, static_cast<int>(transfers.size())}}});
  CHECK(race({{transfers}}, platformOf(100, 16, false)).seconds == Approx(3));
  const RaceTimes shared = race({{transfers}}, platformOf(100, 16, true));
  CHECK(shared.seconds == Approx(6));
  CHECK(shared.pcieBytes == Approx(96e9));
  CHECK(shared.hostBytes == 0);
  // one card's transfers share its link whoever else has one
  for (RaceTask& task : transfers) task.parts[0].card = 0;
  CHECK(race({{transfers}}, platformOf(100, 16, false)).seconds == Approx(6));
  for (std::size_t i = 0; i < transfers.size(); ++i) transfers[i].parts[0].card = static_cast<int>(i);
  // read by DMA, they need host memory too: 3 · 16 of 24 GB/s
  for (RaceTask& task : transfers) task.parts[0].hostPerUnit = 1;
  const RaceTimes dma = race({{transfers}}, platformOf(24, 16, false));
  CHECK(dma.seconds == Approx(2 + 16.0 / 12 + 1));  // 8, then 12, then 16 GB/s each
  CHECK(dma.hostBytes == Approx(96e9));
}

TEST_CASE("nothing to do takes no time", "[hybrid]") {
  const HybridPlatform platform = platformOf(1, 1, false);
  CHECK(race({}, platform).seconds == 0);
  CHECK(race({{}, {{}, {}}}, platform).seconds == 0);
  CHECK(race({{{{HybridStage::load, {{0, 1, 1}}}}, {{HybridStage::sync, {{2}}}}}}, platform).seconds == 2);
}
