#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace halo::fuzz {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kWords[] = {"0",
                                       "-1",
                                       "1",
                                       "2",
                                       "127",
                                       "255",
                                       "65536",
                                       "1000000",
                                       "2147483647",
                                       "2147483648",
                                       "4294967295",
                                       "100000000",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "18446744073709551616",
                                       "1e308",
                                       "1e999",
                                       "nan",
                                       "inf",
                                       "-0.0",
                                       "0,5",
                                       "1.",
                                       ".",
                                       "1e",
                                       "[",
                                       "]",
                                       "{",
                                       "}",
                                       "(",
                                       ")",
                                       "\"",
                                       "'",
                                       "\"\"\"",
                                       "#",
                                       "%",
                                       ";",
                                       ",",
                                       ",,",
                                       "\t",
                                       " ",
                                       "\n",
                                       "\r\n",
                                       "\n\n",
                                       "\0"sv,
                                       "\x1b[31m",
                                       "\xff",
                                       "\xef\xbb\xbf",
                                       "\\",
                                       "\\u0000",
                                       "=",
                                       ".a.a.a",
                                       "[[",
                                       "]]",
                                       "true",
                                       "null",
                                       "[1]",
                                       "{}",
                                       "-",
                                       "+",
                                       "*",
                                       "/",
                                       "..",
                                       "<x>",
                                       "&"};

std::size_t place(const std::string& bytes, PhiloxStream& random) { return random.below(bytes.size() + 1); }

std::size_t pieceLength(const std::string& bytes, PhiloxStream& random) {
  return 1 + random.below(random.below(4) == 0 ? std::max<std::size_t>(bytes.size(), 1) : 12);
}

void repeat(std::string& bytes, PhiloxStream& random) {
  const std::string piece = bytes.substr(place(bytes, random), 1 + random.below(6));
  std::size_t times = std::size_t{1} << random.below(random.below(20) == 0 ? 18 : 6);
  times = std::min(times, (kLargestInput - std::min(kLargestInput, bytes.size())) /
                              std::max<std::size_t>(piece.size(), 1));
  std::string many;
  for (std::size_t i = 0; i < times; ++i) many += piece;
  bytes.insert(place(bytes, random), many);
}

/// The whole number at or behind a place becomes another.
void renumber(std::string& bytes, PhiloxStream& random) {
  const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(bytes[i])) != 0; };
  std::size_t begin = place(bytes, random);
  while (begin < bytes.size() && !digit(begin)) ++begin;
  std::size_t end = begin;
  while (end < bytes.size() && digit(end)) ++end;
  bytes.replace(begin, end - begin, kWords[random.below(14)]);
}

void change(std::string& bytes, const std::vector<std::string>& others, PhiloxStream& random) {
  const std::size_t at = place(bytes, random);
  switch (random.below(10)) {
    case 0:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.below(8));
      return;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(random.below(256));
      return;
    case 2:
      bytes.erase(at, pieceLength(bytes, random));
      return;
    case 3:
      bytes.insert(at, bytes.substr(place(bytes, random), pieceLength(bytes, random)));
      return;
    case 4:
      bytes.insert(at, kWords[random.below(std::size(kWords))]);
      return;
    case 5: {
      const std::string_view word = kWords[random.below(std::size(kWords))];
      bytes.replace(at, word.size(), word);
      return;
    }
    case 6:
      renumber(bytes, random);
      return;
    case 7:
      repeat(bytes, random);
      return;
    case 8:
      if (random.below(8) == 0) bytes.resize(at);
      return;
    default: {
      const std::string& other = others[random.below(others.size())];
      bytes.replace(at, pieceLength(bytes, random),
                    other.substr(place(other, random), pieceLength(other, random)));
      return;
    }
  }
}

}  // namespace

std::string mutated(std::string bytes, const std::vector<std::string>& others, PhiloxStream& random) {
  const std::uint64_t changes = std::uint64_t{1} << random.below(4);
  for (std::uint64_t i = 0; i < changes; ++i) change(bytes, others, random);
  if (bytes.size() > kLargestInput) bytes.resize(kLargestInput);
  return bytes;
}

}  // namespace halo::fuzz
