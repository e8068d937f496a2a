#include "engine/comm/link/long_enough.h"

#include <catch2/catch.hpp>

using halo::longEnoughBytes;

TEST_CASE("messages are made longer until they take long enough, or are the longest", "[link_speed]") {
  const auto slow = [](int bytes) { return std::int64_t{bytes} * 10; };
  CHECK(longEnoughBytes(slow, 1000, 4, 1 << 20) == 128);
  CHECK(longEnoughBytes(slow, 1000, 4, 64) == 64);
  CHECK(longEnoughBytes(slow, 1000, 256, 1 << 20) == 256);
}

TEST_CASE("a short message that takes long once, or twice, is not long enough", "[link_speed]") {
  for (const int hiccups : {1, 2}) {
    int calls = 0;
    const auto busy = [&](int bytes) {
      return calls++ < hiccups ? std::int64_t{1'000'000} : std::int64_t{bytes} * 10;
    };
    CHECK(longEnoughBytes(busy, 1000, 4, 1 << 20) == 128);
  }
}
