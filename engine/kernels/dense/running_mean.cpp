#include "engine/kernels/dense/running_mean.h"

#include "engine/base/index.h"
#include "engine/kernels/threads/blocks.h"

namespace halo {

void smooth(const MeanStep& step, std::span<const Scalar> x, std::span<Scalar> mean) {
  HALO_CHECK(x.size() == mean.size());
  const Scalar keep = step.keep, take = step.take;
  const Scalar* from = x.data();
  Scalar* m = mean.data();
  forBlocks(static_cast<Index>(x.size()), rowBlock(1), [=](Index begin, Index end) {
#pragma omp simd
    for (Index k = begin; k < end; ++k) m[k] = keep * m[k] + take * from[k];
  });
}

void smoothAndAdd(const MeanStep& step, std::span<const Scalar> x, std::span<Scalar> mean,
                  std::span<const Vertex> rows, Matrix& X) {
  const Index f = X.cols();
  HALO_CHECK(x.size() == mean.size() && x.size() == rows.size() * at(f));
  for (const Vertex r : rows) HALO_CHECK(r >= 0 && r < X.rows());
  const Scalar keep = step.keep, take = step.take;
  forBlocks(static_cast<Index>(rows.size()), rowBlock(f), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Scalar* from = x.data() + i * f;
      Scalar* m = mean.data() + i * f;
      Scalar* to = X.data() + rows[at(i)] * f;
#pragma omp simd
      for (Index j = 0; j < f; ++j) {
        m[j] = keep * m[j] + take * from[j];
        to[j] += m[j];
      }
    }
  });
}

}  // namespace halo
