#include "datasets/edges/numbered_columns.h"

#include <algorithm>
#include <limits>

#include "datasets/edges/file_head.h"
#include "datasets/edges/row_names.h"
#include "datasets/text/columns.h"

namespace halo {
namespace {

/// Fewer lines show nothing.
constexpr Index kFew = 3;
/// Vertices up to these may well be absent from edges that begin with 0 and 1.
constexpr Index kNearMarks = 2, kNearBlanks = 9;
/// So many weights in a row are hardly all but the first written with a fraction.
constexpr Index kManyFractions = 8;

/// What the lines below the first one show, as far as the head of the file goes.
struct Below {
  Index lines = 0;
  bool even = true;       // all have as many columns
  bool bare = true;       // no number is in quotes
  bool fractions = true;  // none has a whole number in the last column
  bool again = false;     // one is the same edge
};

Below below(const std::filesystem::path& file, Index at, std::size_t columns) {
  Below evidence;
  const FileHead head = headWithLines(file);
  const auto lines = linesOf(head.lines);
  for (std::size_t i = static_cast<std::size_t>(at); i < lines.size(); ++i) {
    if (isBlankOrComment(lines[i])) continue;
    const auto cells = edgeFields(lines[i]);
    ++evidence.lines;
    evidence.even &= cells.size() == columns;
    evidence.bare &= lines[i].find('"') == std::string_view::npos;
    if (cells.size() < 2) continue;
    evidence.fractions &= cells.back().find('.') != std::string_view::npos;
    evidence.again |= unquoted(cells[0]) == "0" && unquoted(cells[1]) == "1";
  }
  return evidence;
}

}  // namespace

void NumberedColumns::first(const TextFile& text, std::string_view line, bool alone) {
  if (countedColumns(line) < 2) return;
  at_ = text.line();
  line_ = line;
  alone_ = alone;
  separator_ = line[std::min(line.find_first_of(",;\t "), line.size() - 1)];
}

void NumberedColumns::decide(const TextFile& text, Index least, Index edges) {
  const std::size_t columns = edgeColumns(line_);
  const Below evidence = below(text.path(), at_, columns);
  if (!evidence.even) return isEdge();
  const bool quoted = line_.starts_with('"') && evidence.bare, many = edges >= kFew;
  // blanks are not what pandas writes of itself: there the vertices have to lie further from the columns
  const Index near = separator_ == ' ' ? kNearBlanks : kNearMarks;
  if (many && least > near)
    because_ = "no other line has a vertex below " + std::to_string(least);
  else if (many && quoted)
    because_ = "no other line is in quotes";
  else if (columns > 2 && separator_ != ' ' && evidence.fractions && evidence.lines >= kManyFractions)
    because_ = "every other line has a fraction in the last column";
  doubt_ = (alone_ && separator_ != ' ') || evidence.again || quoted || columns > 2 || (many && least > 0);
}

void NumberedColumns::settle(const TextFile& text, RawDataset& raw) {
  if (!held()) return;
  Index least = std::numeric_limits<Index>::max();
  for (std::size_t i = 1; i < raw.arcs.size(); ++i)
    least = std::min<Index>({least, raw.arcs[i].source, raw.arcs[i].target});
  decide(text, least, static_cast<Index>(raw.arcs.size()) - 1);
  if (areNames()) raw.arcs.erase(raw.arcs.begin());
  remark(raw.remarks);
}

void NumberedColumns::remark(std::vector<std::string>& remarks) const {
  if (at_ == 0) return;
  const std::string line = "line " + std::to_string(at_) + " (" + shown(line_) + ") is ";
  if (areNames())
    remarks.push_back(line + "taken for the numbers of columns that pandas writes above them: " + because_ +
                      "; if it is an edge, put it behind another one");
  else if (doubt_)
    remarks.push_back(line +
                      "read as an edge, though pandas writes such a line above columns without names; if it "
                      "is that, take it out or write `source,target` there");
}

}  // namespace halo
