#include "engine/run/protocol/lost_numbers.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace halo;
using Catch::StartsWith;

TEST_CASE("what of a run is no number is told with its place", "[lost]") {
  const double nan = std::nan("");
  LostNumbers lost;
  const EpochRow sound{0, 0, 1, 1.5, 0.5, {}, 0.25};
  lost.add({&sound, 1});
  CHECK(lost.remark().empty());
  const EpochRow diverged{1, 0, 1, nan, nan, {}, nan};  // ends the run, which says why
  lost.add({&diverged, 1});
  CHECK(lost.remark().empty());
  const EpochRow lostTest{2, 0, 1, 1.5, 0.5, {}, nan};
  lost.add({&lostTest, 1});
  CHECK_THAT(lost.remark(), StartsWith("scores are no number: test in epoch 2. Training diverged; "));
  const EpochRow more{3, 0, 1, 1.5, nan, {}, nan};
  lost.add({&more, 1});
  lost.setWeights({"a", "b"});
  CHECK_THAT(lost.remark(), StartsWith("scores are no number: test, train in 2 epochs, first in 2; "
                                       "weights hold what is no number: a, b. "));
}
