#include "engine/methods/contract/staleness.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace halo;

TEST_CASE("staleness is the Frobenius norm of the error, and its share of that of the fresh values",
          "[staleness]") {
  const std::vector<Scalar> fresh = {3, 4, 0, 0}, used = {3, 1, 0, 0}, none, zeros(4, 0);
  const Staleness error = distance(2, Pass::backward, used, fresh);
  CHECK(error.layer == 2);
  CHECK(error.pass == Pass::backward);
  CHECK(error.absolute == Approx(3));
  CHECK(error.relative == Approx(0.6));
  CHECK(distance(0, Pass::forward, fresh, fresh).absolute == 0);
  CHECK(distance(0, Pass::forward, none, fresh).absolute == Approx(5));  // zeros
  CHECK(distance(0, Pass::forward, none, fresh).relative == Approx(1));
  CHECK(distance(0, Pass::forward, fresh, zeros).absolute == Approx(5));
  CHECK(distance(0, Pass::forward, fresh, zeros).relative == 0);  // of nothing
}
