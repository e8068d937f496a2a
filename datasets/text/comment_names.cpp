#include "datasets/text/comment_names.h"

#include <algorithm>
#include <string_view>

#include "datasets/text/columns.h"

namespace halo {
namespace {

constexpr std::string_view kAround = "#% \t\r.,;:)(-*<>[]`\"'";

std::string_view bare(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kAround), text.size()));
  return text.substr(0, text.find_last_not_of(kAround) + 1);
}

/// Whether it only tells which column it is: `1`, `column 2`, `col3`.
bool saysWhich(std::string_view text) {
  if (std::ranges::any_of(text, [](char c) { return c < 0; })) return false;
  std::string word = plainName(text);
  word.erase(word.find_last_not_of("0123456789") + 1);
  return word.empty() || word == "column" || word == "col" || word == "field";
}

std::string asName(std::string_view text) {
  const bool name = isColumnName(text) && text.find_first_of(" \t,;|") == std::string_view::npos;
  return name ? std::string(text) : "";
}

/// The one name in a comment, behind a number and before what is told of it; "": it has others. Behind a
/// colon rather the origin of the file is told: `Source: SNAP`.
std::string onlyName(std::string_view comment) {
  comment = bare(comment);
  while (!comment.empty() && saysWhich(comment.substr(0, comment.find_first_of(" \t.:=)-")))) {
    const std::size_t end = comment.find_first_of(" \t.:=)-");
    if (end == std::string_view::npos) break;
    comment = bare(comment.substr(end + 1));
  }
  constexpr std::string_view kDivides[] = {" - ", " – ", " — ", " = ", " (", "\t"};
  for (const std::string_view mark : kDivides) comment = comment.substr(0, comment.find(mark));
  return asName(bare(comment));
}

}  // namespace

std::vector<std::string> namesLineByLine(std::span<const std::string> comments, std::size_t columns) {
  std::vector<std::string> each, lines;
  for (const std::string& comment : comments) each.push_back(onlyName(comment));
  for (std::size_t last = each.size(); columns > 1 && last >= columns; --last) {
    const auto names = std::span(each).subspan(last - columns, columns);
    if (std::ranges::any_of(names, &std::string::empty)) continue;
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "" : ",") + name;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace halo
