#include "engine/run/worker/stretch.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a stretch fills the pipeline, and is long after some epochs more", "[stretch]") {
  for (const int depth : {1, 5}) {
    Stretch stretch(1000, depth);
    for (int i = 0; i < depth + 1 + Stretch::kEpochs; ++i) {
      CAPTURE(depth, i);
      CHECK(stretch.fills() == (i <= depth));
      CHECK_FALSE(stretch.isLong(1000 + Stretch::kLongNs - 1));
      stretch.epochEnded();
    }
    CHECK(stretch.isLong(1001));
  }
}

TEST_CASE("a stretch is long after fewer epochs where they take long", "[stretch]") {
  Stretch stretch(1000, 1);
  for (int i = 0; i < 2 + Stretch::kLeastEpochs; ++i) {
    CHECK_FALSE(stretch.isLong(1000 + 100 * Stretch::kLongNs));
    stretch.epochEnded();
  }
  CHECK_FALSE(stretch.isLong(1000 + Stretch::kLongNs - 1));
  CHECK(stretch.isLong(1000 + Stretch::kLongNs));
}
