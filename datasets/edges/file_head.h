#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "datasets/text/separator_line.h"

namespace halo {

constexpr bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Lines of texts that no standard rules begin with these where they are comments.
inline constexpr std::string_view kTextMarks = "#%";

/// Whether a line is empty or a comment: its first character but blanks is one of `marks`.
inline bool isBlankOrComment(std::string_view line, std::string_view marks = kTextMarks) {
  std::size_t start = 0;
  while (start < line.size() && isBlank(line[start])) ++start;
  if (start == line.size()) return true;
  for (const char mark : marks)
    if (line[start] == mark) return true;
  return line[start] == 's' && marks == kTextMarks && namesSeparator(line);
}

/// Whether nothing but blanks stands on the line: it is an empty one, in every format.
inline bool isBlankLine(std::string_view line) { return isBlankOrComment(line, ""); }

/// The first lines of a file, more of them where the usual head holds comments alone.
struct FileHead {
  std::string lines;  // a last one that is cut in the middle is left out, unless it is the only one
  bool cut = false;   // the file goes on
};
FileHead headWithLines(const std::filesystem::path& file, std::string_view marks = "#%");
/// The same where something else may stand before what tells the format.
FileHead headWithLines(const std::filesystem::path& file,
                       const std::function<bool(std::string_view line)>& isPreamble);

}  // namespace halo
