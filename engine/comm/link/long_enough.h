#pragma once

#include <cstdint>

namespace halo {

/// The least of `least`, 2 `least`, … that takes `ns` or more by `timeNs(bytes)`, at most the first that is
/// no less than `most`. By the fastest of three tries: on a busy machine a short message may take long once.
template <class TimeNs>
int longEnoughBytes(TimeNs&& timeNs, std::int64_t ns, int least, int most) {
  constexpr int kTries = 3;
  const auto isShort = [&](int bytes) {
    for (int i = 0; i < kTries; ++i)
      if (timeNs(bytes) < ns) return true;
    return false;
  };
  int bytes = least;
  while (bytes < most && isShort(bytes)) bytes *= 2;
  return bytes;
}

}  // namespace halo
