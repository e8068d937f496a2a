#include "engine/run/launch/silence.h"

#include <catch2/catch.hpp>

using halo::Silence;

namespace {
constexpr std::int64_t kSecond = 1'000'000'000;
}

TEST_CASE("workers not heard of for a minute are told of, then each time that has doubled", "[run]") {
  Silence silence(5 * kSecond);
  CHECK_FALSE(silence.worthTelling(64 * kSecond));
  CHECK(silence.worthTelling(65 * kSecond) == 60 * kSecond);
  CHECK_FALSE(silence.worthTelling(66 * kSecond));
  CHECK_FALSE(silence.worthTelling(124 * kSecond));
  CHECK(silence.worthTelling(125 * kSecond) == 120 * kSecond);
  silence.heard(126 * kSecond);
  CHECK(silence.longestNs() == 121 * kSecond);
}

TEST_CASE("a silence is unusual only beside those that a run had before", "[run]") {
  Silence silence(0);
  silence.heard(100 * kSecond);  // its epochs are long
  CHECK_FALSE(silence.worthTelling(499 * kSecond));
  CHECK(silence.worthTelling(500 * kSecond) == 400 * kSecond);
}
