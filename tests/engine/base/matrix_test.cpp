#include "engine/base/matrix.h"

#include <catch2/catch.hpp>

using namespace halo;

TEST_CASE("a matrix holds what its widest use needs, no more, until it is given back", "[matrix]") {
  constexpr std::size_t kElement = sizeof(Scalar);
  Matrix rows(10, 16);
  CHECK(rows.heldBytes() == 160 * kElement);
  rows.resize(10, 24);  // not twice what there was
  CHECK(rows.heldBytes() == 240 * kElement);
  rows.resize(10, 3);
  CHECK(rows.bytes() == 30 * kElement);
  CHECK(rows.heldBytes() == 240 * kElement);
  const Scalar* const before = rows.data();
  rows.resize(10, 24);
  CHECK(rows.data() == before);  // a layer that comes again allocates nothing
  rows = Matrix();
  CHECK(rows.heldBytes() == 0);
}

TEST_CASE("rows that are added to a matrix leave those that are there", "[matrix]") {
  Matrix rows(2, 3);
  for (Index i = 0; i < 6; ++i) rows.data()[i] = static_cast<Scalar>(i);
  rows.extend(3);
  CHECK(rows.heldBytes() == 9 * sizeof(Scalar));
  for (Index i = 0; i < 9; ++i) CHECK(rows.data()[i] == static_cast<Scalar>(i < 6 ? i : 0));
}
