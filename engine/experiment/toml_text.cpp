#include "engine/experiment/toml_text.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/new_file.h"
#include "engine/base/open_file.h"

namespace halo {
namespace {

/// Walks a text once and counts levels as toml++ would make them. Of a text that is no TOML it may count what
/// is never made. But toml++ stops at the first mistake, and up to there both see the same.
class Levels {
 public:
  explicit Levels(std::string_view text) : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

  /// Byte where the text gets too deep; npos: nowhere.
  std::size_t tooDeepAt() {
    for (; at_ < text_.size(); ++at_) {
      step();
      if (depth_ > kDeepestToml) return at_;
    }
    return std::string_view::npos;
  }

 private:
  struct Open {
    std::size_t depth;  // outside
    bool table;
  };

  void step() {
    const char c = text_[at_];
    switch (c) {
      case '\n':
        return lineEnd();
      case '#':
        return skipComment();
      case '"':
      case '\'':
        skipString(c);
        break;
      case '[':
        open(false);
        break;
      case '{':
        open(true);
        break;
      case ']':
      case '}':
        close();
        break;
      case ',':
        next();
        break;
      case '=':
        inKey_ = false;
        break;
      case '.':
        if (inKey_) ++depth_;
        break;
      default:
        break;
    }
    if (c != ' ' && c != '\t' && c != '\r') atStart_ = false;
  }

  void lineEnd() {
    if (inHeader_) header_ = depth_;
    inHeader_ = false;
    if (!open_.empty()) return;
    depth_ = header_;
    inKey_ = atStart_ = true;
  }

  void open(bool table) {
    if (!table && open_.empty() && (atStart_ || inHeader_)) {  // [header] or [[header]]
      if (!inHeader_) depth_ = 0;
      inHeader_ = inKey_ = true;
      ++depth_;
      return;
    }
    open_.push_back({depth_, table});
    ++depth_;
    inKey_ = table;
  }

  void close() {
    if (open_.empty()) return;
    depth_ = open_.back().depth;
    open_.pop_back();
    inKey_ = false;
  }

  void next() {
    if (open_.empty()) return;
    depth_ = open_.back().depth + 1;
    inKey_ = open_.back().table;
  }

  void skipComment() {
    while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
  }

  /// To the last quotation mark.
  void skipString(char quote) {
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    at_ += lines ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\' && quote == '"') {
        ++at_;
      } else if (!lines && (text_[at_] == quote || text_[at_] == '\n')) {
        break;
      } else if (lines && text_.substr(at_, 3) == three) {
        at_ += 2;
        for (int more = 0; more < 2 && text_.substr(at_ + 1, 1) == three.substr(0, 1); ++more) ++at_;
        return;
      }
    }
    if (at_ < text_.size() && text_[at_] == '\n') --at_;  // never closed: the line ends nevertheless
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0, header_ = 0;  // of the keys below the last header
  bool inKey_ = true, inHeader_ = false, atStart_ = true;
  std::vector<Open> open_;
};

/// Lines, and columns in characters as toml++ counts them.
Problem placeOf(const std::string& text, std::size_t at, const std::string& name) {
  const std::string_view before = std::string_view(text).substr(0, at);
  const auto lineBegin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  const auto isFirst = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return {name, std::ranges::count(before, '\n') + 1,
          std::ranges::count_if(before.substr(lineBegin), isFirst) + 1, "", ""};
}

std::string largest() { return std::to_string(kLargestToml >> 20) + " MiB"; }

/// Bytes read into `block`, waiting for a writer's next ones; 0 at the end, -1 with errno set.
ssize_t readInto(std::span<char> block, const OpenFile& file) {
  for (;;) {
    const ssize_t count = ::read(file.descriptor(), block.data(), block.size());
    if (count >= 0 || (errno != EAGAIN && errno != EINTR)) return count;
    if (errno == EAGAIN)
      ::fcntl(file.descriptor(), F_SETFL, 0);  // somebody writes: from now on reading waits
  }
}

}  // namespace

std::optional<Problem> beyondToml(const std::string& text, const std::string& name) {
  if (text.size() > kLargestToml)
    return Problem{.file = name, .message = "is larger than " + largest() + "; TOML of at most that is read"};
  const std::size_t at = Levels(text).tooDeepAt();
  if (at == std::string_view::npos) return std::nullopt;
  Problem problem = placeOf(text, at, name);
  problem.message = "keys, tables or lists are nested too deeply; at most " + std::to_string(kDeepestToml) +
                    " levels, one in another";
  return problem;
}

toml::table parseToml(const std::string& text, const std::string& name) {
  if (auto problem = beyondToml(text, name)) throw InputError(std::move(*problem));
  try {
    return toml::parse(std::string_view(text), std::string_view(name));
  } catch (const toml::parse_error& error) {
    const toml::source_position& at = error.source().begin;
    throw InputError({.file = name,
                      .line = at.line,
                      .column = at.column,
                      .message = "not TOML: " + std::string(error.description())});
  }
}

std::string readTomlStream(std::istream& in, const std::string& name) {
  std::string text;
  std::array<char, 65536> block;
  while (in && text.size() <= kLargestToml) {
    in.read(block.data(), block.size());
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (text.size() > kLargestToml) throw InputError(*beyondToml(text, name));
  return text;
}

std::string readTomlFile(const std::filesystem::path& file, const std::string& needed) {
  const std::string name = file.string();
  absoluteOrThrow(file);  // in a working directory that is gone nothing is there
  const auto refuse = [&](const std::string& why) { throw InputError({.file = name, .message = why}); };
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) refuse("is a folder; " + needed + " is needed");
  const OpenFile input(file);
  if (!input) refuse(std::string("cannot be read: ") + std::strerror(errno));
  std::string text;
  std::array<char, 65536> block;
  ssize_t count = 0;
  while (text.size() <= kLargestToml && (count = readInto(block, input)) > 0)  // a device may have no end
    text.append(block.data(), static_cast<std::size_t>(count));
  if (count < 0) refuse(std::string("cannot be read: ") + std::strerror(errno));
  if (text.empty() && std::filesystem::is_fifo(file, ignored))
    refuse("is a pipe into which nobody writes; " + needed + " is needed");
  if (text.size() > kLargestToml) throw InputError(*beyondToml(text, name));
  return text;
}

}  // namespace halo
