#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

#include <numeric>

#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

// every third row, last first
std::vector<Vertex> someRows(Index rows) {
  std::vector<Vertex> chosen;
  for (Index r = rows - 1; r >= 0; r -= 3) chosen.push_back(static_cast<Vertex>(r));
  return chosen;
}

}  // namespace

TEST_CASE("gather, scatter and add move the rows they name and no other", "[gather]") {
  const Index rows = GENERATE(0, 1, 10, 5000);
  const Index features = GENERATE(1, 3, 16, 130);
  const int threads = GENERATE(1, 2, 4);
  CAPTURE(rows, features, threads);
  const Threads guard(threads);
  const Matrix X = randomMatrix(rows, features, 1);
  const auto chosen = someRows(rows);
  Buffer<Scalar> packed(chosen.size() * at(features));
  gatherRows(X, chosen, packed);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (Index j = 0; j < features; ++j) REQUIRE(packed[i * at(features) + at(j)] == X(chosen[i], j));

  Matrix copy(rows, features), doubled = X;
  copy.fill(0);
  scatterRows(packed, chosen, copy);
  addRows(packed, chosen, doubled);
  std::vector<bool> named(at(rows));
  for (const Vertex r : chosen) named[at(r)] = true;
  for (Index r = 0; r < rows; ++r)
    for (Index j = 0; j < features; ++j) {
      const bool moved = named[at(r)];
      REQUIRE(copy(r, j) == (moved ? X(r, j) : Scalar{0}));
      REQUIRE(doubled(r, j) == (moved ? X(r, j) + X(r, j) : X(r, j)));
    }
}

TEST_CASE("gathered rows may have other numbers, and only some of their columns be taken", "[gather]") {
  const Index rows = GENERATE(1, 10, 5000);
  const int threads = GENERATE(1, 3);
  constexpr Index kFeatures = 19;
  const Threads guard(threads);
  const Matrix X = randomMatrix(rows, kFeatures, 1);
  const auto numbers = someRows(rows), chosen = someRows(static_cast<Index>(numbers.size()));
  Buffer<Scalar> packed(chosen.size() * at(kFeatures));
  gatherRows(X, numbers, chosen, packed);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (Index j = 0; j < kFeatures; ++j)
      REQUIRE(packed[i * at(kFeatures) + at(j)] == X(numbers[at(chosen[i])], j));
  for (const auto& [first, width] : {std::pair<Index, Index>{0, 19}, {4, 7}, {18, 1}, {5, 0}}) {
    CAPTURE(first, width);
    packed.resize(numbers.size() * at(width));
    gatherColumns(X, numbers, first, width, packed);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      for (Index j = 0; j < width; ++j) REQUIRE(packed[i * at(width) + at(j)] == X(numbers[i], first + j));
  }
}

}  // namespace halo
