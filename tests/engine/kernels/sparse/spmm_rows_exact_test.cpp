#include "engine/kernels/sparse/spmm_rows.h"

#include "engine/kernels/sparse/spmm.h"
#include "tests/engine/kernels/kernel_support.h"

namespace halo {

using namespace kernel_test;

// spmm takes these ways only for outputs larger than the last cache; here they are asked for directly.
TEST_CASE("row kernels give the same bits however they fetch and store", "[spmm]") {
  const Index features = GENERATE(16, 48, 64, 128, 256);  // whole cache lines, as streaming demands
  const bool weighted = GENERATE(false, true);
  CAPTURE(features, weighted);
  const Csr A = randomGraph(500, 400, 12, weighted, 1);
  const Matrix X = randomMatrix(400, features, 2);
  Matrix expected;
  spmmReference(A, X, expected);
  RowsTask task;
  task.offsets = A.offsets.data();
  task.columns = A.columns.data();
  task.values = weighted ? A.values.data() : nullptr;
  task.X = X.data();
  task.strideX = task.strideY = task.width = features;
  Matrix plain(500, features);
  task.Y = plain.data();
  spmmRows(task, 0, 500);
  // at most 101 neighbours a row, products at most 1
  REQUIRE(largestDifference(plain, expected) <= 4.0 * 103 * kEpsilon);
  for (const bool stream : {false, true})
    for (const Index prefetch : {0, 16})
      for (const Index frontier : {0, 4}) {
        CAPTURE(stream, prefetch, frontier);
        Matrix Y(500, features);
        task.Y = Y.data();
        task.stream = stream;
        task.prefetch = prefetch;
        task.frontier = frontier;
        spmmRows(task, 0, 500);
        REQUIRE(sameBits(Y, plain));
      }
}

TEST_CASE("rows of every width agree with the definition on every instruction set here", "[spmm][targets]") {
  const bool weighted = GENERATE(false, true);
  const Csr A = randomGraph(60, 50, 6, weighted, 1);
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget only(target);
    for (Index features = 1; features <= 70; ++features) {
      CAPTURE(hwy::TargetName(target), features, weighted);
      const Matrix X = randomMatrix(50, features, 2);
      for (const Write write : {Write::overwrite, Write::add}) {
        Matrix Y = randomMatrix(60, features, 3), expected = Y;
        spmm(A, X, Y, write);
        spmmReference(A, X, expected, write);
        REQUIRE(largestDifference(Y, expected) <= 4.0 * 20 * kEpsilon);
      }
    }
  }
}

}  // namespace halo
