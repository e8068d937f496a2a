#include "datasets/parts/json_place.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "datasets/input/unpack.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Goes through a text that a parser has found to be JSON; stands at the beginning of a value.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;  // byte order mark
    skipBlanks();
  }
  std::size_t at() const { return at_; }

  /// To the value of the key, or the element; false, and it stays, where there is none.
  bool enter(const JsonStep& step) {
    const std::size_t before = at_;
    const bool entered = std::holds_alternative<std::string>(step)
                             ? enterKey(std::get<std::string>(step))
                             : enterElement(std::get<std::size_t>(step));
    if (!entered) at_ = before;
    return entered;
  }
  /// To a key of the object that stands in it for the second time.
  void enterSecond(const std::string& key) {
    if (!open('{')) return;
    Index occurrences = 0;
    do {
      const std::size_t begin = at_;
      if (nextKey() == key && ++occurrences == 2) {
        at_ = begin;
        return;
      }
    } while (next());
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipBlanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void skipText() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\';
    at_ = std::min(at_ + 1, text_.size());
  }
  void skipValue() {
    std::size_t depth = 0;
    do {
      const char c = now();
      if (c == '"') {
        skipText();
        continue;
      }
      depth += c == '[' || c == '{';
      depth -= depth > 0 && (c == ']' || c == '}');
      ++at_;
    } while (at_ < text_.size() &&
             (depth > 0 || std::string_view(",]}").find(now()) == std::string_view::npos));
  }
  /// To the next member or element; false at the end of the list or object.
  bool next() {
    skipValue();
    skipBlanks();
    if (now() != ',') return false;
    ++at_;
    skipBlanks();
    return true;
  }
  /// Behind the bracket; false for something else, or an empty one.
  bool open(char bracket) {
    if (now() != bracket) return false;
    ++at_;
    skipBlanks();
    return now() != (bracket == '{' ? '}' : ']');
  }
  bool enterElement(std::size_t place) {
    if (!open('[')) return false;
    for (; place > 0; --place)
      if (!next()) return false;
    return true;
  }
  bool enterKey(const std::string& key) {
    if (!open('{')) return false;
    do {
      if (nextKey() == key) return true;
    } while (next());
    return false;
  }
  /// The key that stands here; goes to its value.
  nlohmann::json nextKey() {
    const std::size_t begin = at_;
    skipText();
    auto name = nlohmann::json::parse(text_.substr(begin, at_ - begin), nullptr, false);
    at_ = std::min(text_.find(':', at_), text_.size() - 1) + 1;
    skipBlanks();
    return name;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Cursor cursorAt(std::string_view text, const std::vector<JsonStep>& steps) {
  Cursor cursor(text);
  for (const JsonStep& step : steps)
    if (!cursor.enter(step)) break;
  return cursor;
}

}  // namespace

std::size_t jsonPlace(std::string_view text, const std::vector<JsonStep>& steps) {
  return cursorAt(text, steps).at();
}

std::size_t secondKey(std::string_view text, const std::vector<JsonStep>& steps, const std::string& key) {
  Cursor cursor = cursorAt(text, steps);
  cursor.enterSecond(key);
  return cursor.at();
}

std::pair<Index, Index> lineAndColumn(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return {std::count(before.begin(), before.end(), '\n') + 1,
          static_cast<Index>(at - (before.rfind('\n') + 1)) + 1};
}

void damagedJson(const std::filesystem::path& file, const std::vector<JsonStep>& steps,
                 const std::string& key, const std::string& message) {
  Problem problem{.file = file.string(), .key = key, .message = message};
  if (std::filesystem::is_regular_file(file)) {  // a pipe gives its text once
    const Growing<char> contents = contentsOf(file);
    const std::string_view text = viewOf(contents);
    std::tie(problem.line, problem.column) = lineAndColumn(text, jsonPlace(text, steps));
  }
  throw DamagedInput(problem);
}

}  // namespace halo
