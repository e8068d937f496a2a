#include "datasets/edges/text_columns.h"

#include <algorithm>
#include <utility>

#include "datasets/edges/file_head.h"
#include "datasets/text/columns.h"
#include "datasets/text/edge_ends.h"
#include "engine/base/index.h"

namespace halo {
namespace {

bool namesNumber(const std::string& name) {
  constexpr std::string_view kNumbers[] = {"weight", "weights", "w", "value", "values"};
  return std::ranges::find(kNumbers, plainName(name)) != std::end(kNumbers);
}

/// Without blanks around it and double quotes.
std::string valueOf(std::string_view cell) {
  const std::size_t begin = std::min(cell.find_first_not_of(' '), cell.size());
  return unquoted(cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
}

bool isNumber(std::string_view cell) {
  const std::string value = valueOf(cell);
  return isNumberText(std::string_view(value).substr(value.starts_with('+') ? 1 : 0));
}

bool isMissing(std::string_view cell) {
  const std::string word = plainName(cell);
  return word == "na" || word == "nan";
}

}  // namespace

void TextColumns::above(const TextFile& text, std::string_view names) {
  auto columns = columnNames(names);
  if (!columns || columns->separator == ' ' || !namesEndsFirst(names)) return;
  const std::size_t ends = namesIndexFirst(names) ? 3 : 2, width = columns->names.size();
  std::vector<std::size_t> others(width);  // cells of a column that are no numbers
  std::size_t rows = 0;
  const FileHead head = headWithLines(text.path());
  const auto lines = linesOf(head.lines);
  for (auto i = at(text.line()); i < lines.size(); ++i) {
    const auto cells = rawCells(lines[i], columns->separator);
    if (isBlankOrComment(lines[i]) || cells.size() != width) continue;
    ++rows;
    for (std::size_t c = ends; c < width; ++c) others[c] += isNumber(cells[c]) ? 0U : 1U;
  }
  for (std::size_t c = ends; c < width; ++c)
    numbers_.push_back(namesNumber(columns->names[c]) || 2 * others[c] < rows);
  if (std::ranges::all_of(others, [](std::size_t count) { return count == 0; })) return;
  names_ = std::move(columns->names);
  separator_ = columns->separator;
  namesAt_ = text.line();
  ends_ = ends;
  for (std::size_t c = ends; c < width; ++c)
    if (plainName(names_[c]) == "type") typeAt_ = c;
}

std::string_view TextColumns::ends(const TextFile& text, std::string_view line) {
  if (std::ranges::count(line, '"') % 2 != 0)
    text.damaged("a double quote is not closed on its line; a cell ends on the line that it begins on",
                 line.substr(line.rfind('"'), 1));
  const auto cells = rawCells(line, separator_);
  if (cells.size() != names_.size())
    text.damaged("has " + std::to_string(cells.size()) + " columns; line " + std::to_string(namesAt_) +
                     " names " + std::to_string(names_.size()) + ", as many on every line",
                 cells.back());
  for (std::size_t i = ends_; i < cells.size(); ++i)
    if (numbers_[i - ends_] && !isNumber(cells[i]) && !isMissing(cells[i])) refuse(text, cells[i], i);
  if (typeAt_ > 0) direction_.takeType(cells[typeAt_]);
  const std::string_view first = cells[ends_ - 2], last = cells[ends_ - 1];
  return {first.data(), at(last.data() + last.size() - first.data())};
}

void TextColumns::refuse(const TextFile& text, std::string_view cell, std::size_t column) const {
  const std::string right = "; a number under `" + names_[column] + "`";
  if (cell.empty()) text.damaged("an empty cell" + right, {cell.data() - 1, 1});  // the separator
  text.damaged(shown(cell) + " is not a number" + right, cell);
}

void TextColumns::remark(std::vector<std::string>& remarks) const {
  if (!any()) return;
  if (ends_ > 2) remarks.emplace_back("the first column is an index without a name: it is left out");
  remarks.emplace_back(
      "columns behind the ends are not used, texts and empty cells among them: every edge counts the same");
  direction_.remark(remarks);
}

}  // namespace halo
