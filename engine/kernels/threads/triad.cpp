#include "engine/kernels/threads/triad.h"

#include "engine/base/check.h"
#include "engine/kernels/threads/work.h"

namespace halo {

void triad(std::span<const Scalar> b, std::span<const Scalar> c, Scalar s, std::span<Scalar> a) {
  HALO_CHECK(a.size() == b.size() && a.size() == c.size());
  const auto count = static_cast<Index>(a.size());
  Scalar* to = a.data();
  const Scalar *first = b.data(), *second = c.data();
  // static: every thread keeps to pages of its own
#pragma omp parallel for simd schedule(static) num_threads(kernelThreads())
  for (Index i = 0; i < count; ++i) to[i] = first[i] + s * second[i];
}

}  // namespace halo
