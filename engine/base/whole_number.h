#pragma once

#include <charconv>
#include <concepts>
#include <string_view>

#include "engine/base/index.h"

namespace halo {

/// Reads the whole number that `text` begins with, and takes it away from there. In its one spelling: without
/// a plus and, as in TOML, without leading zeros. So values that mean the same are the same text, and runs
/// that differ in nothing have one fingerprint.
template <std::integral Number>
bool takeWhole(std::string_view& text, Number& number) {
  const bool minus = text.starts_with('-');
  const std::string_view digits = text.substr(minus ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return false;
  if (minus && digits.starts_with('0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(at(end - text.data()));
  return true;
}

/// The same where `text` is nothing but the number.
template <std::integral Number>
bool readWhole(std::string_view text, Number& number) {
  return takeWhole(text, number) && text.empty();
}

}  // namespace halo
