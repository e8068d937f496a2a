#include "views/recording/epochs_of_time.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace halo;

namespace {

/// Epoch k lasts from 10k to 10k + 8.
std::vector<EpochRow> tenEpochs() {
  std::vector<EpochRow> epochs(10);
  for (std::int64_t k = 0; k < 10; ++k)
    epochs[static_cast<std::size_t>(k)].epoch = k, epochs[static_cast<std::size_t>(k)].beginNs = 10 * k,
    epochs[static_cast<std::size_t>(k)].wallNs = 8;
  return epochs;
}

}  // namespace

TEST_CASE("epochs of a stretch are those that lie in it whole, else those that it touches", "[views]") {
  const std::vector<EpochRow> epochs = tenEpochs();
  CHECK(epochsOfTime(epochs, {20, 48}) == Scope{2, 4});
  CHECK(epochsOfTime(epochs, {21, 48}) == Scope{3, 4});
  CHECK(epochsOfTime(epochs, {20, 47}) == Scope{2, 3});
  CHECK(epochsOfTime(epochs, {-100, 1000}) == Scope{0, 9});
  CHECK(epochsOfTime(epochs, {33, 35}) == Scope{3, 3});
  CHECK(epochsOfTime(epochs, {35, 42}) == Scope{3, 4});
}

TEST_CASE("a stretch without epochs, or none at all, leaves all", "[views]") {
  const std::vector<EpochRow> epochs = tenEpochs();
  CHECK(epochsOfTime(epochs, {}) == Scope{});
  CHECK(epochsOfTime(epochs, {8, 10}) == Scope{});
  CHECK(epochsOfTime({}, {0, 10}) == Scope{});
}
