#include "engine/comm/communicator/idle_wait.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace halo {
namespace {

constexpr std::int64_t kUs = 1000;

TEST_CASE("a nap is an eighth of what was waited so far, 10 to 100 us", "[communicator]") {
  Naps naps;
  std::int64_t now = 1'000'000 * kUs;
  const std::int64_t began = now;
  for (int look = 0; look < 200; ++look) {
    const std::int64_t nap = naps.after(now);
    CHECK(nap == std::clamp((now - began) / 8, 10 * kUs, 100 * kUs));
    now += nap;
    naps.woke(now);
    now += 2 * kUs;  // a look
  }
  CHECK(now - began > 800 * kUs);
}

TEST_CASE("work between two looks begins another wait, whose naps are short again", "[communicator]") {
  Naps naps;
  std::int64_t now = 5'000 * kUs;
  const auto look = [&](std::int64_t tookNs) {
    naps.woke(now);
    return naps.after(now += tookNs);
  };
  CHECK(look(1000 * kUs) == 10 * kUs);
  now += 400 * kUs;  // a nap that lasted longer than it should: another rank had the core
  CHECK(look(kUs) == 401 * kUs / 8);
  CHECK(look(21 * kUs) == 10 * kUs);
}

}  // namespace
}  // namespace halo
