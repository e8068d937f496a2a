#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/dataset.h"
#include "datasets/input/growing.h"
#include "datasets/input/unpack.h"

namespace halo {

/// A text file, packed or not, line by line: one pass, constant memory (but for lines longer than it).
class TextFile {
 public:
  /// Room for the neighbours of a vertex with a hundred million of them.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 30;

  /// `longestLine`: bytes at which `next` throws DamagedInput, for a device may have no line's end.
  explicit TextFile(const std::filesystem::path& file, Progress progress = {},
                    std::size_t longestLine = kLongestLine);

  /// The next line without its end ("\n" or "\r\n"); valid until the next call. False at the end. Throws
  /// DamagedInput where the first one holds others, which end with CR alone.
  bool next(std::string_view& line);
  /// As PackedFile has it.
  void requireBeside(std::size_t bytes) const { file_.requireBeside(bytes); }
  /// Of the line that `next` gave last, from 1.
  Index line() const { return line_; }
  const std::filesystem::path& path() const { return file_.path(); }

  /// Throws DamagedInput with file and line; `at` (a piece of that line) adds the column.
  [[noreturn]] void damaged(const std::string& message, std::string_view at = {}) const;
  /// The same of a line above, by its number.
  [[noreturn]] void damagedAt(Index line, const std::string& message) const;
  /// The same without a line: about the file as a whole.
  [[noreturn]] void damagedWhole(const std::string& message) const;

 private:
  bool refill();

  PackedFile file_;
  Progress progress_;
  std::size_t longestLine_;
  Growing<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of what is not yet given out
  Index line_ = 0;
  std::string_view current_;
};

/// What divides a line into fields, besides one `,` or `;` with or without blanks around it.
enum class Layout {
  list,   // blanks and tabs, however many: the formats that say so
  edges,  // the same, but two tabs hold an empty cell between them, as does one at the start
  table,  // the same, and blanks or tabs, not both
};

/// A separator of which one stands between two fields, with or without blanks.
inline bool isMark(char separator) { return separator == ',' || separator == ';'; }

/// The fields of one line. Throws DamagedInput for an empty cell, and for two kinds of separators on one
/// line. One of these is then another locale's decimal or thousands mark, and which one cannot be told. A
/// number may stand in double quotes.
class Fields {
 public:
  Fields(const TextFile& file, std::string_view line, Layout layout = Layout::edges)
      : file_(file), unread_(line), layout_(layout) {
    separate(unread_.data(), true);
  }
  bool more() const { return !unread_.empty(); }
  /// Without separators; empty at the end of the line.
  std::string_view word();
  /// From the next field on.
  std::string_view rest() const { return unread_; }
  /// Leaves out what is left.
  void skipRest() { unread_.remove_prefix(unread_.size()); }
  /// Throws DamagedInput with file, line and column; `expected` as in "a vertex number".
  Index integer(const char* expected);
  double real(const char* expected);
  /// As `real`, for what is kept as a Scalar: a finite number beyond its range is refused.
  double scalar(const char* expected);
  /// Throws DamagedInput if anything is left; `expected` as in "one number a line".
  void end(const char* expected) const;
  /// Of the fields so far; 0: there was none to separate.
  char separator() const;

 private:
  template <class Number>
  Number number(const char* expected, const char* kind, const char* beyond);
  void pass(const char* end);
  void separate(const char* from, bool leading);
  void join(std::uint8_t kind, const char* at);
  [[noreturn]] void emptyCell(const char* at) const;
  const TextFile& file_;
  std::string_view unread_;
  Layout layout_;
  std::uint8_t kinds_ = 0;  // of the separators so far
};

/// What stands before the first separator.
inline std::string_view firstWord(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t,;"));
}

/// Whole numbers at the start of `line`, until it ends; nothing if anything else stands there. For telling
/// formats apart.
std::optional<std::vector<Index>> wholeNumbers(std::string_view line);
/// Whether several lines stand in `line`, their ends CR alone.
bool endsWithCr(std::string_view line);
inline constexpr const char* kCrAlone =
    "lines end with CR alone, as on old Macs; end them with LF: tr '\\r' '\\n'";
/// Complete lines of a head, without line ends.
std::vector<std::string_view> linesOf(std::string_view head);

/// Cells of a line as they stand in it, quotes included; a cell in double quotes may hold separators.
std::vector<std::string_view> rawCells(std::string_view line, char separator = ',');
/// What a cell says: without its double quotes, "" in them for one quote.
std::string unquoted(std::string_view cell);
/// Both together.
std::vector<std::string> csvCells(std::string_view line, char separator = ',');

/// With '?' for control characters, so that it stays on one line wherever it is shown.
std::string inOneLine(std::string text);
/// Shortened for messages: the first 40 bytes, with escapes for signs that steer or look like others.
std::string shown(std::string_view text);

}  // namespace halo
