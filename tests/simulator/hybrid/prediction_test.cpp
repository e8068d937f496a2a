// The performance model (F0) beside the simulation that it predicts.
#include <catch2/catch.hpp>

#include "simulator/hybrid/hybrid_node.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::hybridtest;

namespace {

/// How much of host memory, how it is counted, and whether cards share a root port.
struct Surroundings {
  std::int64_t sockets;
  int factor;
  const char* port;
};
std::vector<Surroundings> allSurroundings() {
  std::vector<Surroundings> all;
  for (const std::int64_t sockets : {1, 2})
    for (const int factor : {1, 2, 3})
      for (const char* port : {"own", "shared"}) all.push_back({sockets, factor, port});
  return all;
}

/// All of HyScale's sets. 8.4 asks for 15 %; what is left here is that mini-batches vary and their mean does
/// not, and that the model has all trainers wait for the slowest before gradients are summed.
void checkAll(const char* name, HybridMode mode, const std::vector<std::int64_t>& cards) {
  constexpr double kBand = 0.05;
  for (const HyScaleSet& set : hyScaleSets())
    for (const auto& [sockets, factor, port] : allSurroundings())
      for (const std::int64_t count : cards) {
        CAPTURE(name, kHybridModes[static_cast<std::size_t>(mode)], set.name, sockets, factor, port, count);
        const HybridPlatform platform = platformNamed(
            name, {{"cards", count}, {"memory_sockets", sockets}, {"root_port", std::string(port)}});
        HybridWork work = set.work;
        work.hostTrafficFactor = factor;
        const HybridResult found =
            simulateHybrid({platform, work, set.sizes(), 1024 * (count + 1), mode, 60});
        CHECK(found.predictedSeconds == Approx(found.steadySeconds).epsilon(kBand));
      }
}

}  // namespace

TEST_CASE("the performance model predicts the simulated iteration for 1 to 16 cards", "[hybrid]") {
  checkAll("hyscale-u250", HybridMode::twoStage, {1, 2, 3, 6, 8, 11, 14, 16});
}

TEST_CASE("the performance model predicts the simulated iteration, whatever is prefetched and mapped",
          "[hybrid]") {
  const auto mode =
      GENERATE(HybridMode::baseline, HybridMode::hybrid, HybridMode::managed, HybridMode::oneStage);
  checkAll("hyscale-u250", mode, {4, 16});
}

TEST_CASE("the performance model predicts the simulated iteration on GPUs", "[hybrid]") {
  const auto mode = GENERATE(HybridMode::baseline, HybridMode::oneStage, HybridMode::twoStage);
  checkAll("hyscale-a5000", mode, {1, 8});
}
