#include "engine/sampling/row_draw.h"

namespace halo {
void RowDraw::fill(const DrawKey& key, std::uint64_t stream, std::uint32_t count) {
  for (std::uint32_t block = 0; 2 * block < count; ++block) {
    const auto words = philox(key.seed, key.purpose, stream, block);
    words_[2 * block] = std::uint64_t{words[0]} << 32 | words[1];
    words_[2 * block + 1] = std::uint64_t{words[2]} << 32 | words[3];
  }
}

void RowDraw::draw(const DrawKey& key, std::uint64_t stream, std::uint64_t degree, std::uint32_t count,
                   bool replace) {
  fill(key, stream, count);
  if (replace) {
    for (std::uint32_t i = 0; i < count; ++i)
      positions_[i] = static_cast<std::uint32_t>(scaledWord(words_[i], degree));
    return;
  }
  const std::uint64_t first = degree - count;
  for (std::uint32_t i = 0; i < count; ++i)
    positions_[i] = static_cast<std::uint32_t>(scaledWord(words_[i], first + i + 1));
  leaveRepeats(degree, count);
}

// A position that is there already gives way to the last of its range, which cannot be.
void RowDraw::leaveRepeats(std::uint64_t degree, std::uint32_t count) {
  const auto first = static_cast<std::uint32_t>(degree - count);
  if (count <= kAlong) {
    for (std::uint32_t i = 1; i < count; ++i) {
      const std::uint32_t position = positions_[i];
      std::uint32_t repeats = 0;
      for (std::uint32_t j = 0; j < i; ++j) repeats |= positions_[j] == position;
      positions_[i] = repeats != 0 ? first + i : position;
    }
    return;
  }
  if (++row_ == 0) {
    table_.fill(0);
    row_ = 1;
  }
  for (std::uint32_t i = 0; i < count; ++i)
    if (taken(positions_[i])) {
      positions_[i] = first + i;
      taken(positions_[i]);
    }
}

/// Whether this row has taken it; takes it. Open addressing, a quarter full at most; slots of other rows are
/// free.
bool RowDraw::taken(std::uint32_t position) {
  const std::uint64_t key = std::uint64_t{row_} << 32 | position;
  std::uint32_t slot = (position * 0x9E3779B1U) >> 20;
  for (; table_[slot] >> 32 == row_; slot = (slot + 1) % kSlots)
    if (table_[slot] == key) return true;
  table_[slot] = key;
  return false;
}

}  // namespace halo
