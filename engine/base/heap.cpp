#include "engine/base/heap.h"

#include <malloc.h>

#include <limits>

namespace halo {

void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kMost = std::numeric_limits<int>::max();
  mallopt(M_MMAP_THRESHOLD, kMost);  // from the heap, not a mapping of its own
  mallopt(M_TRIM_THRESHOLD, kMost);  // whose end is kept
#endif
}

}  // namespace halo
