#include "datasets/comment_names.h"

#include <algorithm>
#include <string_view>

#include "datasets/columns.h"
#include "datasets/edge_ends.h"

namespace halo {
namespace {

/// The only word of a comment, behind a number or a dash perhaps; "": it has others.
std::string onlyName(std::string_view comment) {
  std::string name = namesInComment(comment);
  name.erase(0, std::min(name.find_first_not_of(" \t.)-*0123456789"), name.size()));
  name.erase(name.find_last_not_of(" \t,;.") + 1);
  return isColumnName(name) && name.find_first_of(" \t,;") == std::string::npos ? name : "";
}

}  // namespace

std::string namesLineByLine(std::span<const std::string> comments, std::size_t columns) {
  constexpr std::string_view kNothing = "#% \t\r";
  while (!comments.empty() && comments.back().find_first_not_of(kNothing) == std::string::npos)
    comments = comments.first(comments.size() - 1);
  if (columns < 2 || comments.size() < columns) return "";
  std::string names;
  for (const std::string& comment : comments.last(columns)) {
    const std::string name = onlyName(comment);
    if (name.empty()) return "";
    names += (names.empty() ? "" : ",") + name;
  }
  return names;
}

}  // namespace halo
