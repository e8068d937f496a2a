#include "engine/base/index.h"
#include "engine/kernels/dense/running_mean.h"

#include "tests/engine/kernels/kernel_support.h"

namespace halo {
namespace {

using namespace kernel_test;

// every second row, last first
std::vector<Vertex> someRows(Index rows) {
  std::vector<Vertex> chosen;
  for (Index r = rows - 1; r >= 0; r -= 2) chosen.push_back(static_cast<Vertex>(r));
  return chosen;
}

}  // namespace

TEST_CASE("a running mean takes its step, and adds itself to the rows named and no other", "[smooth]") {
  const Index rows = GENERATE(0, 1, 11, 3000);
  const Index features = GENERATE(1, 3, 16, 130);
  const int threads = GENERATE(1, 2, 4);
  CAPTURE(rows, features, threads);
  const Threads guard(threads);
  const std::vector<Vertex> chosen = someRows(rows);
  const auto count = static_cast<Index>(chosen.size());
  const Matrix x = randomMatrix(count, features, 1), before = randomMatrix(count, features, 2),
               X = randomMatrix(rows, features, 3);
  const MeanStep step{Scalar(0.75), Scalar(0.25)};

  Matrix mean = before, same = before, sum = X;
  smooth(step, x.values(), mean.values());
  smoothAndAdd(step, x.values(), same.values(), chosen, sum);

  Matrix expected = X;
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < features; ++j) {
      const auto m = 0.75 * static_cast<double>(before(i, j)) + 0.25 * static_cast<double>(x(i, j));
      REQUIRE(static_cast<double>(mean(i, j)) == Approx(m).margin(1e-6));
      REQUIRE(static_cast<double>(same(i, j)) == Approx(m).margin(1e-6));
      expected(chosen[at(i)], j) += same(i, j);
    }
  for (Index r = 0; r < rows; ++r)
    for (Index j = 0; j < features; ++j)
      REQUIRE(static_cast<double>(sum(r, j)) == Approx(static_cast<double>(expected(r, j))).margin(1e-6));
}

}  // namespace halo
