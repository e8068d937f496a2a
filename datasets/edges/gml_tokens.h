// Words of the Graph Modelling Language.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "datasets/edges/file_head.h"
#include "datasets/text/class_form.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/problem.h"

namespace halo {

/// Whether a number may begin so, and no key and no text: digits and most marks stand before letters.
inline bool mayBeNumber(std::string_view word) {
  return static_cast<unsigned char>(word[0]) < 'A' && word[0] != '"';
}

/// A token for messages, in both quotes where it is a text.
inline std::string shownToken(std::string_view token) {
  return shown(token.starts_with('"') ? std::string(token) + '"' : std::string(token));
}

/// Words, brackets and quoted texts of a text that outlives them, with the place each stands at.
class GmlTokens {
 public:
  GmlTokens(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  /// Empty at the end. A quoted text keeps its opening quote, so that it is never taken for a key.
  std::string_view next() {
    skipBlanks();
    start_ = at_;
    startLine_ = line_;
    if (start_ == text_.size()) return {};
    if (text_[at_] == '[' || text_[at_] == ']') return take(++at_);
    if (text_[at_] == '"') {
      at_ = text_.find('"', start_ + 1);
      if (at_ == std::string::npos) damaged("a text without closing quote");
      const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(start_),
                 end = text_.begin() + static_cast<std::ptrdiff_t>(at_);
      line_ += std::count(begin, end, '\n');
      return take(at_++);
    }
    while (at_ < text_.size() && !isBlank(text_[at_]) && text_[at_] != '[' && text_[at_] != ']') ++at_;
    return take(at_);
  }
  /// At the token that `next` gave last.
  [[noreturn]] void damaged(const std::string& message) const {
    const std::size_t before = start_ == 0 ? std::string::npos : text_.rfind('\n', start_ - 1);
    throw DamagedInput(
        {.file = file_,
         .line = startLine_,
         .column = static_cast<Index>(start_ - (before == std::string::npos ? 0 : before + 1)) + 1,
         .message = message});
  }
  [[noreturn]] void damagedAt(Index line, const std::string& message) const {
    throw DamagedInput({.file = file_, .line = line, .message = message});
  }
  Index line() const { return startLine_; }

  /// The value of a key: a word or a text.
  std::string_view word(std::string_view key) {
    const std::string_view value = next();
    if (value.empty()) damaged("ends inside a bracket");
    if (value == "[" || value == "]") damaged(std::string(key) + " has no value; a number or a text");
    return value;
  }
  Index vertex(std::string_view key, VertexNumbers& written) {
    const std::string_view value = word(key);
    const auto number = written.number(value);
    if (!number) damaged(std::string(key) + " " + shownToken(value) + " is not a whole number from 0");
    return *number;
  }
  /// The value of a key that does not matter: a word, or everything in brackets.
  void skipValue() {
    int depth = 0;
    do {
      const std::string_view word = next();
      if (word.empty()) damaged("ends inside a bracket");
      requirePoint(word);
      depth += word == "[" ? 1 : word == "]" ? -1 : 0;
      if (depth < 0) damaged("a key without value before ']'");
    } while (depth > 0);
  }
  void open() {
    if (const std::string_view word = next(); word != "[") damaged(shownToken(word) + " where '[' should be");
  }

 private:
  /// Numbers of keys that do not matter, too: a file that has them so may have others so.
  void requirePoint(std::string_view word) const {
    if (mayBeNumber(word) && word.find(',') != std::string_view::npos && isForeignNumber(word))
      damaged(shown(word) + " is not a number; decimals with a point");
  }
  void skipBlanks() {
    while (at_ < text_.size() && (isBlank(text_[at_]) || text_[at_] == '#')) {
      if (text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ < text_.size() && text_[at_++] == '\n') ++line_;
    }
  }
  std::string_view take(std::size_t end) const { return text_.substr(start_, end - start_); }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0, start_ = 0;
  Index line_ = 1, startLine_ = 1;
};

}  // namespace halo
