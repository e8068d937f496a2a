#include "engine/comm/communicator/counted_type.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>

using namespace halo;

namespace {

std::int64_t bytesOf(const CountedType& type) {
  MPI_Count size = 0;
  MPI_Type_size_x(type.get(), &size);
  return std::int64_t{size} * type.count();
}

std::int64_t extentOf(const CountedType& type) {
  MPI_Count least = 0, extent = 0;
  MPI_Type_get_extent_x(type.get(), &least, &extent);
  CHECK(least == 0);
  return std::int64_t{extent} * type.count();
}

}  // namespace

TEST_CASE("messages of more elements than an int can count are as long as they are", "[comm]") {
  constexpr std::int64_t kInt = std::numeric_limits<int>::max();
  for (const std::int64_t elements : {std::int64_t{0}, std::int64_t{1}, kInt, kInt + 1, std::int64_t{1} << 31,
                                      (std::int64_t{1} << 32) + 5, (std::int64_t{3} << 40) + 1}) {
    CAPTURE(elements);
    const CountedType bytes(elements, MPI_BYTE), positions(elements, MPI_INT64_T);
    CHECK(bytesOf(bytes) == elements);
    CHECK(extentOf(bytes) == elements);
    CHECK(bytesOf(positions) == 8 * elements);
    CHECK(extentOf(positions) == 8 * elements);
    // the others go as ever
    CHECK((bytes.get() == MPI_BYTE) == (elements <= kInt));
  }
}

TEST_CASE("elements in pieces arrive as they stand, whole or one by one at the other end", "[comm]") {
  const std::array<std::int64_t, 8> sent = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const std::int64_t most : {1, 3, 4, 7, 8}) {
    CAPTURE(most);
    const CountedType pieces(8, MPI_INT64_T, most), contiguous(8, MPI_INT64_T);
    CHECK(pieces.count() == (most < 8 ? 1 : 8));
    for (const bool back : {false, true}) {
      const CountedType &from = back ? contiguous : pieces, &to = back ? pieces : contiguous;
      std::array<std::int64_t, 8> arrived{};
      MPI_Sendrecv(sent.data(), from.count(), from.get(), 0, 0, arrived.data(), to.count(), to.get(), 0, 0,
                   MPI_COMM_SELF, MPI_STATUS_IGNORE);
      CHECK(arrived == sent);
    }
  }
}
