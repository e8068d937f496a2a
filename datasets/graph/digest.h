#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace halo {

/// 64-bit digest of a sequence of byte strings, for telling contents apart and finding damage (not against
/// forgery). Four lanes of multiply and rotate, so that it keeps up with the memory. Borders between the
/// strings count.
class Digest {
 public:
  Digest& add(const void* bytes, std::size_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    std::size_t left = count;
    for (; left >= 32; left -= 32, at += 32)
      for (std::size_t lane = 0; lane < 4; ++lane) mix(lanes_[lane], word(at + 8 * lane, 8));
    for (; left > 0; at += std::min<std::size_t>(left, 8), left -= std::min<std::size_t>(left, 8))
      mix(lanes_[left & 3], word(at, std::min<std::size_t>(left, 8)));
    mix(lanes_[0], count);
    return *this;
  }
  Digest& add(std::string_view text) { return add(text.data(), text.size()); }
  template <class T>
  requires std::is_arithmetic_v<T> Digest& add(T value) { return add(&value, sizeof value); }

  std::uint64_t value() const {
    std::uint64_t all = 0;
    for (const std::uint64_t lane : lanes_) mix(all, lane);
    all ^= all >> 32;
    return all * kOdd;
  }
  std::string hex() const {
    std::string text(16, '0');
    std::uint64_t rest = value();
    for (std::size_t i = 16; i-- > 0; rest >>= 4) text[i] = "0123456789abcdef"[rest & 15];
    return text;
  }

 private:
  static constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
  static void mix(std::uint64_t& lane, std::uint64_t value) {
    lane = std::rotl((lane ^ value) * kOdd, 29) + 0xD1B54A32D192ED03U;
  }
  static std::uint64_t word(const unsigned char* at, std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, at, count);
    return value;
  }
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
};

}  // namespace halo
