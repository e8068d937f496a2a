#include "engine/base/index.h"
#include "engine/kernels/threads/triad.h"

#include <vector>

#include "tests/engine/kernels/kernel_support.h"

using namespace halo;

TEST_CASE("the triad adds a multiple, element by element, for any number of threads", "[kernels]") {
  const auto count = GENERATE(0, 1, 7, 1000, 100'003);
  const auto threads = GENERATE(1, 2, 3);
  const int before = kernelThreads();
  setKernelThreads(threads);
  std::vector<Scalar> a(at(count), -1), b, c;
  for (int i = 0; i < count; ++i) {
    b.push_back(static_cast<Scalar>(i % 11));
    c.push_back(static_cast<Scalar>(i % 5));
  }
  triad(b, c, 3, a);
  setKernelThreads(before);
  for (int i = 0; i < count; ++i)  // small whole numbers: exact
    REQUIRE(a[at(i)] == static_cast<Scalar>(i % 11 + 3 * (i % 5)));
}
