// What a run says that it holds, beside what the process has taken. Not under the address sanitizer, which
// has its own malloc.
#pragma once

#include <malloc.h>

#include "tests/engine/methods/trained.h"

namespace halo::test {

struct Held {
  double told = 0, taken = 0;  // bytes
  bool owns = false;           // any vertex
};

/// After three epochs; `taken` is what the process has more of than before.
inline Held heldBy(const Dataset& set, const RunSettings& run) {
  const auto allocatedBytes = [] {
    const struct mallinfo2 info = ::mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  const double before = allocatedBytes();
  const Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  for (int epoch = 0; epoch < 3; ++epoch) many.method->runEpoch(epoch);
  return {static_cast<double>(many.method->memoryBytes()), allocatedBytes() - before,
          !many.share.graph.owned.empty()};
}

}  // namespace halo::test
