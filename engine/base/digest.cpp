#include "engine/base/digest.h"

#include <cstdint>
#include <cstdio>

namespace halo {

std::string digest(std::string_view text) {
  constexpr unsigned __int128 kPrime = (static_cast<unsigned __int128>(1) << 88) + 0x13B;
  unsigned __int128 hash =
      (static_cast<unsigned __int128>(0x6C62272E07BB0142ULL) << 64) + 0x62B821756295C58DULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= kPrime;
  }
  char hex[33];
  std::snprintf(hex, sizeof hex, "%016llx%016llx", static_cast<unsigned long long>(hash >> 64),
                static_cast<unsigned long long>(hash));
  return hex;
}

}  // namespace halo
