#include <catch2/catch.hpp>
#include <cmath>

#include "engine/base/index.h"
#include "tests/simulator/device.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

/// A with the diagonal.
Csr withLoops(const Csr& A) {
  std::vector<Arc> arcs;
  for (Index r = 0; r < A.rows(); ++r) {
    arcs.push_back({static_cast<Vertex>(r), static_cast<Vertex>(r)});
    for (const Vertex v : A.row(r)) arcs.push_back({v, static_cast<Vertex>(r)});
  }
  return buildCsr(A.rows(), arcs, true);
}

}  // namespace

TEST_CASE("every accelerator sums what it says, each nonzero once", "[simulator]") {
  for (const auto& [name, entry] : registry<AcceleratorEntry>()) {
    for (const Dataset& set : halo::test::hardGraphs())
      for (const Index columns : {1, 4, 9}) {
        CAPTURE(name, set.name, columns);
        const Csr A = withLoops(set.arcs);
        const Index n = A.rows();
        // D^-1/2 before and after, as the dense side does; small whole numbers tell every nonzero apart
        Matrix H(n, columns), numbers(n, columns);
        PhiloxStream random(3, Purpose::shuffle, 5);
        std::vector<std::uint8_t> mask;
        for (Index r = 0; r < n; ++r)
          for (Index c = 0; c < columns; ++c) {
            numbers(r, c) = static_cast<Scalar>(random.below(1000));
            H(r, c) =
                static_cast<Scalar>(random.uniform() - 0.5) / std::sqrt(static_cast<Scalar>(A.degree(r)));
            mask.push_back(static_cast<std::uint8_t>(random.below(2)));
          }
        const Values figures = tinyFigures(name);
        const Matrix counted = entry.execute(figures, library(), A, numbers, {});
        const Matrix masked = entry.execute(figures, library(), A, H, mask);
        for (Index r = 0; r < n; ++r)
          for (Index c = 0; c < columns; ++c) {
            std::int64_t integerSum = 0;
            double sum = 0;
            for (const Vertex v : A.row(r)) {
              integerSum += static_cast<std::int64_t>(numbers(v, c));
              sum += static_cast<double>(H(v, c));
            }
            CHECK(static_cast<std::int64_t>(counted(r, c)) == integerSum);
            const auto scale = 1 / std::sqrt(static_cast<double>(A.degree(r)));
            const bool kept = mask[at(r * columns + c)] != 0;
            // floats of at most 1/2 each: the error grows with their number
            const double tolerance = 1e-7 * static_cast<double>(A.degree(r) + 1);
            CHECK(std::abs(static_cast<double>(masked(r, c)) * scale - (kept ? sum * scale : 0)) <=
                  tolerance);
            if (!kept) CHECK(masked(r, c) == 0);
          }
      }
  }
}
