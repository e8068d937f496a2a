#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/buffer.h"

namespace halo {

/// Draws numbers 0 … n − 1 in proportion to weights. Each has a stretch of the integers below 2^63, and a
/// draw finds the stretch that a random integer lies in. So `probability` is, to the last bit and on any
/// machine, what is drawn by.
///
/// Memory: 8.5 bytes a number. A draw looks at about eight numbers, at log n where weights differ widely.
class WeightedDraw {
 public:
  /// weights  finite, none negative, fewer than 2^32; all 0: nothing can be drawn. Room is kept.
  void assign(std::span<const double> weights);

  std::int64_t size() const { return begin_.empty() ? 0 : static_cast<std::int64_t>(begin_.size()) - 1; }
  bool possible() const { return size() > 0 && begin_.back() > 0; }
  double probability(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return static_cast<double>(begin_[at + 1] - begin_[at]) * 0x1p-63;
  }
  /// `word`: 64 random bits, of which the last is not used.
  std::int64_t draw(std::uint64_t word) const;
  std::size_t heldBytes() const { return halo::heldBytes(begin_) + halo::heldBytes(first_); }

 private:
  void findFirst();

  Buffer<std::uint64_t> begin_;       // n + 1: of each stretch
  std::vector<std::uint32_t> first_;  // the number whose stretch holds the first integer of each piece
  int shift_ = 63;                    // of an integer, to the number of its piece
};

}  // namespace halo
