#include "datasets/parts/table_row_names.h"

#include <algorithm>

#include "datasets/text/vertex_names.h"

namespace halo {

bool TableRowNames::find(const TextFile& text, std::string_view line, Index names) {
  Fields fields(text, line, Layout::table);
  const std::string_view word = firstWord(fields.rest());
  first_ = wholeNumberOf(unquoted(word)) == 1 ? 1 : 0;
  quoted_ = word.starts_with('"');
  if (quoted_ && word.find('"', 1) == std::string_view::npos) return false;  // a text with blanks in it
  Index columns = 0;
  for (; fields.more(); ++columns) fields.word();
  if (columns == names + 1 && (quoted_ || fields.separator() != ',')) columns_ = columns;
  return any();
}

bool TableRowNames::findByQuotes(const TextFile& text, std::string_view line) {
  if (line.find('"') == std::string_view::npos ||
      line.find('"', line.find('"', line.find('"') + 1) + 1) != line.npos)
    return false;  // no pair of them, or several
  Fields fields(text, line, Layout::table);
  const std::string_view word = firstWord(fields.rest());
  if (!word.starts_with('"') || wholeNumberOf(unquoted(word)) < 0) return false;
  Index columns = 0;
  for (; fields.more(); ++columns) fields.word();
  if (columns < 2) return false;
  columns_ = columns;
  quoted_ = headless_ = true;
  return true;
}

void TableRowNames::require(const TextFile& text, std::string_view line, Index row) const {
  if (!any()) return;
  const std::string_view word = firstWord(line.substr(std::min(line.find_first_not_of(" \t"), line.size())));
  const Index number = wholeNumberOf(unquoted(word));
  if (number >= 0 && (number == first_ + row || (quoted_ && word.starts_with('"')))) return;
  if (headless_)
    text.damaged(description() + ", but " + shown(word) + " is no number of a vertex in quotes", word);
  text.damaged(description() + ", as R does above names of rows, but " + shown(word) +
                   " neither counts the rows nor is the number of a vertex in quotes; name every column, or "
                   "write no names of rows (row.names = FALSE)",
               word);
}

void TableRowNames::requireMany(const TextFile& text, Index rows, Index first) const {
  if (any() && !quoted_ && rows < 3)
    text.damagedAt(first, "has " + std::to_string(columns_) + " columns; the first line names " +
                              std::to_string(columns_ - 1));
}

std::string TableRowNames::remark(const TextFile& text) const {
  if (headless_)
    return text.path().filename().string() + ": " + description() +
           ": it is read as the numbers of the vertices";
  return any()
             ? text.path().filename().string() + ": " + description() +
                   ", as R does above names of rows: the first column is read as the numbers of the vertices"
             : "";
}

std::string TableRowNames::description() const {
  if (headless_) return "the first column alone is in quotes, as R writes names of rows";
  return "line 1 names " + std::to_string(columns_ - 1) + " of " + std::to_string(columns_) + " columns";
}

}  // namespace halo
