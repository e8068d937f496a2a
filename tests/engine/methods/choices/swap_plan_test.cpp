// ROC's choice of what stays on a device, against all choices there are.
#include "engine/methods/choices/swap_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "engine/base/philox.h"

using namespace halo;

namespace {

std::pair<std::int64_t, std::int64_t> sumOf(const std::vector<SwapItem>& items,
                                            const std::vector<bool>& kept) {
  std::int64_t bytes = 0, saved = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    bytes += kept[i] ? items[i].bytes : 0;
    saved += kept[i] ? items[i].saved : 0;
  }
  return {bytes, saved};
}

}  // namespace

TEST_CASE("what is kept fits, and no other choice that fits saves more", "[roc]") {
  PhiloxStream random(5, Purpose::shuffle, 0);
  for (int round = 0; round < 200; ++round) {
    std::vector<SwapItem> items(random.below(9));
    for (SwapItem& item : items)
      item = {static_cast<std::int64_t>(random.below(20)), static_cast<std::int64_t>(random.below(30))};
    const auto capacity = static_cast<std::int64_t>(random.below(70));
    const std::vector<bool> kept = planSwaps(items, capacity);
    REQUIRE(kept.size() == items.size());
    const auto [bytes, saved] = sumOf(items, kept);
    CHECK(bytes <= capacity);
    std::int64_t most = 0;
    for (unsigned choice = 0; choice < 1U << items.size(); ++choice) {
      std::vector<bool> other;
      for (std::size_t i = 0; i < items.size(); ++i) other.push_back((choice >> i & 1U) != 0);
      if (const auto [size, value] = sumOf(items, other); size <= capacity) most = std::max(most, value);
    }
    CHECK(saved == most);
  }
}

TEST_CASE("nothing is kept on a device that is full, and all on a large one", "[roc]") {
  const std::vector<SwapItem> items = {{10, 10}, {4, 8}, {4, 8}};
  CHECK(planSwaps(items, 0) == std::vector<bool>{false, false, false});
  CHECK(planSwaps(items, 9) == std::vector<bool>{false, true, true});
  CHECK(planSwaps(items, 13) == std::vector<bool>{false, true, true});
  CHECK(planSwaps(items, 18) == std::vector<bool>{true, true, true});
}
