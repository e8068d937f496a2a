#pragma once

// Philox uses none of Random123's vector instructions, whose headers take a second of every file's
// compilation.
#define R123_USE_X86INTRIN_H 0
#define R123_USE_IA32INTRIN_H 0
#define R123_USE_XMMINTRIN_H 0
#define R123_USE_EMMINTRIN_H 0
#define R123_USE_SMMINTRIN_H 0
#define R123_USE_WMMINTRIN_H 0
#define R123_USE_AES_NI 0
#define R123_USE_SSE 0
#define R123_USE_SSE4_1 0
#define R123_USE_SSE4_2 0
#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace halo {

/// What a random number is for; part of the key, so that no two uses ever share a stream.
/// Written into reproducibility promises: append, never renumber.
enum class Purpose : std::uint32_t {
  initialise = 1,
  dropout = 2,
  quantise = 3,
  boundarySample = 4,
  neighbourSample = 5,
  labelSplit = 6,
  shuffle = 7,
  generate = 8,
  partition = 9,
  dataSplit = 10,
  generatedFeatures = 11,
  stragglers = 12,
  seedOrder = 13,
  subgraph = 14,
  walk = 15,
  preSample = 16,
  hypergraph = 17,
  evaluate = 18,
};

/// Four 32-bit random words (Philox-4x32-10, Salmon 2011), determined by (seed, purpose) and the counter
/// alone. Whoever asks for the number of a vertex gets the same one, on any rank or thread.
inline std::array<std::uint32_t, 4> philox(std::uint64_t seed, Purpose purpose, std::uint64_t a,
                                           std::uint32_t b = 0, std::uint32_t c = 0) {
  const r123::Philox4x32::ctr_type counter = {
      {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(a >> 32), b, c}};
  const r123::Philox4x32::key_type key = {
      {static_cast<std::uint32_t>(seed),
       static_cast<std::uint32_t>(seed >> 32) ^ (static_cast<std::uint32_t>(purpose) * 0x9E3779B9U)}};
  const auto words = r123::Philox4x32()(counter, key);
  return {words[0], words[1], words[2], words[3]};
}

/// [0, 1), 32 bits of resolution.
inline double unit(std::uint32_t word) { return word * 0x1.0p-32; }

/// Standard normal, of the first two words (Box and Muller 1958).
inline double normal(const std::array<std::uint32_t, 4>& words) {
  const double radius = std::sqrt(-2 * std::log(1 - unit(words[0])));  // 1 − u: never the logarithm of 0
  return radius * std::cos(2 * std::numbers::pi * unit(words[1]));
}

/// Numbers one after the other from one stream, where a sequence is natural (a generator's local choices).
class PhiloxStream {
 public:
  PhiloxStream(std::uint64_t seed, Purpose purpose, std::uint64_t stream)
      : seed_(seed), purpose_(purpose), stream_(stream) {}

  std::uint32_t next() {
    if (used_ == 4) {
      words_ = philox(seed_, purpose_, stream_, static_cast<std::uint32_t>(block_),
                      static_cast<std::uint32_t>(block_ >> 32));
      ++block_;
      used_ = 0;
    }
    return words_[used_++];
  }
  std::uint64_t next64() {
    const std::uint64_t high = next();
    return high << 32 | next();
  }
  double uniform() { return static_cast<double>(next64() >> 11) * 0x1.0p-53; }
  /// In [0, bound), bound ≥ 1; unbiased to 2^-64 · bound.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next64()) * bound) >> 64);
  }

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint64_t stream_, block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  unsigned used_ = 4;
};

}  // namespace halo
