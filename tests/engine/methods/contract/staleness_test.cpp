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

TEST_CASE("the cosine of staleness is 1 of equal values, and there is none with zeros", "[staleness]") {
  const std::vector<Scalar> fresh = {3, 4}, across = {-4, 3}, against = {-6, -8}, tilted = {4, 3}, none,
                            zeros(2, 0);
  CHECK(distance(0, Pass::forward, fresh, fresh).cosine == 1);
  CHECK(distance(0, Pass::forward, across, fresh).cosine == 0);
  CHECK(distance(0, Pass::forward, against, fresh).cosine == -1);
  CHECK(distance(0, Pass::forward, tilted, fresh).cosine.value() == Approx(0.96));
  CHECK_FALSE(distance(0, Pass::forward, none, fresh).cosine);
  CHECK_FALSE(distance(0, Pass::forward, fresh, zeros).cosine);
}
