#include "engine/base/plain_text.h"

#include <algorithm>
#include <cctype>

#include "engine/base/problem.h"

namespace halo {
namespace {

void appendEscape(std::string& out, const char* prefix, char32_t value, int digits) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  out += prefix;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kDigits[(value >> shift) & 15];
}

std::string escaped(std::string_view text, bool keepsLines) {
  std::string output;
  output.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = codePointAt(text, at);
    if (!c.valid)
      appendEscape(output, "\\x", static_cast<unsigned char>(text[at]), 2);
    else if (steers(c.value) && !(keepsLines && (c.value == '\n' || c.value == '\t')))
      appendEscape(output, "\\u", c.value, 4);
    else
      output.append(text.substr(at, c.bytes));
    at += c.bytes;
  }
  return output;
}

}  // namespace

std::string shellWord(std::string_view text) {
  constexpr std::string_view kMarks = "+-_./:=@%,";
  const bool isPlain = !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) || kMarks.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (isPlain) return std::string(text);
  std::string word = "'";
  for (const char c : text)
    if (c == '\'')
      word += "'\\''";
    else
      word += c;
  return word + "'";
}

bool steers(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

CodePoint codePointAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  const char32_t first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  constexpr char32_t kLeast[] = {0x80, 0x800, 0x10000};  // by length: less is written with fewer bytes
  if (first < 0xC0 || first > 0xF4 || at + bytes > text.size()) return {};
  char32_t value = first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  if (value < kLeast[bytes - 2] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {};
  return {value, bytes, true};
}

std::string visible(const std::string& text) { return escaped(text, /*keepsLines=*/true); }

std::string onOneLine(std::string_view text) { return escaped(text, /*keepsLines=*/false); }

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // no half characters
  return std::string(text.substr(0, end)) + "…";
}

std::string validUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = codePointAt(text, at);
    if (c.valid && c.value != 0)
      valid.append(text.substr(at, c.bytes));
    else
      valid += "\xEF\xBF\xBD";
    at += c.bytes;
  }
  return valid;
}

}  // namespace halo
