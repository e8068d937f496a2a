#pragma once

#include <cstdint>

#include "engine/base/philox.h"

namespace halo {

/// What draws are made with. Whoever draws for a vertex with the same key gets the same positions: no rank,
/// owner, thread or queue takes part in it.
struct DrawKey {
  std::uint64_t seed = 1;
  std::uint64_t step = 0;  // g, the update's number; the epoch where Purpose is evaluate
  Purpose purpose = Purpose::neighbourSample;
};

/// 64 random bits: number `draw` of a stream, which anyone can ask for alone.
inline std::uint64_t drawnWord(const DrawKey& key, std::uint64_t stream, std::uint64_t draw) {
  const auto words = philox(key.seed, key.purpose, stream, static_cast<std::uint32_t>(draw),
                            static_cast<std::uint32_t>(draw >> 32));
  return std::uint64_t{words[0]} << 32 | words[1];
}
/// In [0, bound): as PhiloxStream::below.
inline std::uint64_t scaledWord(std::uint64_t word, std::uint64_t bound) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * bound) >> 64);
}

}  // namespace halo
