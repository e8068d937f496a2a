#include "engine/base/heap.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

namespace halo {
namespace {

constexpr std::size_t kBlock = std::size_t{48} << 20;  // above what any threshold of glibc's grows to

long faultsOfOneBlock() {
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto block = std::make_unique_for_overwrite<char[]>(kBlock);
  std::memset(block.get(), 1, kBlock);
  ::getrusage(RUSAGE_SELF, &after);
  return after.ru_minflt - before.ru_minflt;
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
TEST_CASE("memory that was freed needs not be mapped again", "[base]") {
  keepFreedMemory();
  faultsOfOneBlock();
  CHECK(faultsOfOneBlock() < 20);  // of 12,288 pages
}
#endif

}  // namespace
}  // namespace halo
