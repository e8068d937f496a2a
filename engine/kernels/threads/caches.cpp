#include "engine/kernels/threads/caches.h"

#include <fstream>
#include <string>

namespace halo {
namespace {

// "512K" or "32M"; 0 when the file is not there. sysconf would add up the caches of cores that are not ours.
std::int64_t cacheBytes(int index) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
  std::int64_t size = 0;
  char unit = 0;
  if (!(file >> size)) return 0;
  file >> unit;
  return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

Caches read() {
  Caches sizes;
  if (const auto bytes = cacheBytes(0); bytes > 0) sizes.first = bytes;
  if (const auto bytes = cacheBytes(2); bytes > 0) sizes.second = bytes;
  if (const auto bytes = cacheBytes(3); bytes > 0) sizes.last = bytes;
  return sizes;
}

}  // namespace

const Caches& caches() {
  static const Caches sizes = read();
  return sizes;
}

}  // namespace halo
