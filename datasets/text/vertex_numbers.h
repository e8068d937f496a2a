#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datasets/text/text.h"

namespace halo {

/// Vertex numbers as they stand in a file, from 0, in double quotes or not. Those beyond 64 bits are names,
/// told apart by their digits: they become −1, −2, … in the order in which they appear.
class VertexNumbers {
 public:
  /// Of a word of digits; nothing for any other word.
  std::optional<Index> number(std::string_view word) {
    Index value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value >= 0) return value;
    return unusual(word);
  }
  /// Of the next field of a line. Throws DamagedInput if that is no number from 0.
  Index next(const TextFile& text, Fields& fields) {
    const std::string_view word = fields.word();
    if (const auto value = number(word)) return *value;
    refuse(text, word);
  }
  /// Digits of −1, −2, …
  const std::vector<std::string>& names() const { return names_; }
  /// As it stood in the file, without leading zeros.
  std::string text(Index number) const;

 private:
  std::optional<Index> unusual(std::string_view word);
  [[noreturn]] static void refuse(const TextFile& text, std::string_view word);

  std::vector<std::string> names_;
  std::unordered_map<std::string, Index> known_;
};

/// The digits of a whole number from 0, without quotes, sign and leading zeros; empty for any other word.
std::string_view digitsOf(std::string_view word);

/// Of two such numbers, whether `a` is the smaller.
inline bool smallerDigits(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace halo
