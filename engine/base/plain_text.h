#pragma once

#include <string>
#include <string_view>

namespace halo {

// Text that a file or a recording brings along may hold any bytes. `visible` (problem.h) is for what is
// printed: what could steer a terminal stands as \u001B there.

/// What a terminal obeys instead of showing it, or shows in another order than it stands. These are C0, DEL,
/// C1, the separators of lines and paragraphs, and the embeddings, overrides and isolates of bidirectional
/// text.
bool steers(char32_t c);

/// As `visible`, with line ends and tabs too: what is one cell or one name stays on one line.
std::string onOneLine(std::string_view text);

/// As a shell takes it for one word: in single quotes, but for words of plain letters.
std::string shellWord(std::string_view text);

/// Its beginning, some `most` bytes and an ellipsis, where it is longer; as it is too long for a message.
std::string shortened(std::string_view text, std::size_t most = 100);

/// The code point that begins at `text[at]` and its length in bytes; {0xFFFD, 1} for a byte that begins none.
struct CodePoint {
  char32_t value = 0xFFFD;
  std::size_t bytes = 1;
  bool valid = false;
};
CodePoint codePointAt(std::string_view text, std::size_t at);

/// `text` with U+FFFD for every zero byte and every byte that is no UTF-8, for formats that admit neither.
std::string validUtf8(std::string_view text);

}  // namespace halo
