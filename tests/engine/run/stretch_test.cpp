#include "engine/run/stretch.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a stretch is long after some epochs, or fewer that take long", "[stretch]") {
  Stretch quick(1000);
  for (int i = 0; i < Stretch::kEpochs; ++i) {
    CHECK_FALSE(quick.isLong(1000 + Stretch::kLongNs - 1));
    quick.epochEnded();
  }
  CHECK(quick.isLong(1001));
  Stretch slow(1000);
  for (int i = 0; i < Stretch::kLeastEpochs; ++i) {
    CHECK_FALSE(slow.isLong(1000 + 100 * Stretch::kLongNs));
    slow.epochEnded();
  }
  CHECK_FALSE(slow.isLong(1000 + Stretch::kLongNs - 1));
  CHECK(slow.isLong(1000 + Stretch::kLongNs));
}
