#include "datasets/parts/comments_above.h"

#include <algorithm>

#include "datasets/edges/row_names.h"
#include "datasets/text/comment_names.h"
#include "datasets/text/end_names.h"

namespace halo {
namespace {

bool saysColumn(const std::string& name) {
  return namesVertexFirst(name) || NameParts(name).is(" label labels ");
}

}  // namespace

bool CommentsAbove::take(std::string_view line) {
  if (!line.starts_with('#')) return false;
  constexpr std::size_t kMost = 32;  // of long preambles the last lines: names stand near the rows
  if (lines_.size() == kMost) lines_.erase(lines_.begin());
  lines_.emplace_back(line.substr(std::min(line.find_first_not_of("# \t"), line.size())));
  return true;
}

std::optional<ColumnNames> CommentsAbove::names(std::string_view row) const {
  const auto fits = [&](const ColumnNames& candidate) {  // "a - tens" tells of one column
    return candidate.names.size() == edgeColumns(row) && std::ranges::count(candidate.names, "-") == 0;
  };
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line)
    if (auto columns = columnNames(*line); columns && fits(*columns)) return columns;
  // a word a line may as well be a title, unless it says what a column is
  for (const std::string& each : namesLineByLine(lines_, edgeColumns(row)))
    if (auto columns = columnNames(each); columns && std::ranges::any_of(columns->names, saysColumn))
      return columns;
  return std::nullopt;
}

}  // namespace halo
