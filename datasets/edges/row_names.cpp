#include "datasets/edges/row_names.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "datasets/edges/file_head.h"
#include "datasets/text/columns.h"
#include "datasets/text/edge_ends.h"
#include "datasets/text/vertex_names.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::string_view kSeparators = " \t,;";

/// What the first columns of a file's first lines say, those below its line of names.
struct FirstLines {
  bool ends = true;      // the second and third column hold vertices
  bool heads = true;     // the second column holds vertices, each once, and lines are equally long
  bool unique = true;    // the first column repeats nothing
  bool quoted = true;    // the first column alone is in quotes
  bool counts = true;    // the first column counts the lines
  bool sources = false;  // and may well be the sources of edges to the second
};

/// Whether the first column, which counts the lines from `first` on, may hold the sources of edges to the
/// second. Such edges lead to counted vertices or to the one behind the last, and none to itself. Also the
/// second column must hardly begin edges to the third: it shares no vertex with that, or repeats none.
bool mayBeSources(Index first, const std::vector<Index>& seconds, const std::vector<Index>& thirds) {
  const Index lines = std::ssize(seconds);
  for (Index i = 0; i < lines; ++i) {
    const Index vertex = seconds[at(i)];
    if (vertex < first || vertex > first + lines || vertex == first + i) return false;
  }
  std::vector<Index> sorted = seconds;
  std::ranges::sort(sorted);
  const auto shared = [&](Index vertex) { return std::ranges::binary_search(sorted, vertex); };
  return std::ranges::adjacent_find(sorted) == sorted.end() || std::ranges::none_of(thirds, shared);
}

FirstLines firstLines(const std::filesystem::path& file, Index namesAt, Index vertices) {
  FirstLines evidence;
  std::unordered_set<std::string> names, seconds;
  std::vector<Index> sources, targets;  // of the second and third column
  std::size_t columns = 0;
  const FileHead head = headWithLines(file);
  const auto lines = linesOf(head.lines);
  const auto isVertex = [&](std::string_view word) {
    return !digitsOf(word).empty() && wholeNumberOf(word) < vertices;
  };
  Index first = -1;
  for (std::size_t i = at(namesAt); i < lines.size(); ++i) {
    if (isBlankOrComment(lines[i])) continue;
    auto fields = edgeFields(lines[i]);
    const std::size_t width = fields.size();
    if (width < 3) fields.resize(3);
    const std::string_view name = fields[0], second = fields[1], third = fields[2];
    const Index number = wholeNumberOf(name);
    if (columns == 0) columns = width;
    if (first < 0) first = number;
    evidence.counts &= number >= 0 && first <= 1 && number - first == static_cast<Index>(names.size());
    evidence.ends &= isVertex(second) && isVertex(third);
    if (evidence.ends) sources.push_back(wholeNumberOf(second));
    if (evidence.ends) targets.push_back(wholeNumberOf(third));
    evidence.heads &= isVertex(second) && seconds.insert(unquoted(second)).second && width == columns;
    evidence.quoted &= name.starts_with('"') && !second.starts_with('"');
    evidence.unique &= names.insert(unquoted(name)).second;
  }
  evidence.sources = evidence.counts && evidence.ends && first >= 0 && mayBeSources(first, sources, targets);
  return evidence;
}

/// Whether the last two columns may be one number with a decimal comma, as in `1,5`.
bool endsLikeDecimalComma(std::string_view line) {
  const auto fields = edgeFields(line);
  if (fields.size() < 2) return false;
  const std::string_view before = fields[fields.size() - 2], after = fields.back();
  return before.data() + before.size() + 1 == after.data() && after.data()[-1] == ',' &&
         wholeNumberOf(before) >= 0 && wholeNumberOf(after) >= 0;
}

}  // namespace

std::vector<std::string_view> edgeFields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t i = line.find_first_not_of(kSeparators); i != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSeparators, i), line.size());
    fields.push_back(line.substr(i, end - i));
    i = line.find_first_not_of(kSeparators, end);
  }
  return fields;
}

std::size_t edgeColumns(std::string_view line) {
  std::size_t columns = 0;
  for (std::size_t i = line.find_first_not_of(kSeparators); i != std::string_view::npos; ++columns)
    i = line.find_first_not_of(kSeparators, std::min(line.find_first_of(kSeparators, i), line.size()));
  return columns;
}

void RowNames::above(const TextFile& text, std::string_view names) {
  const auto columns = columnNames(names);
  names_ = columns ? columns->names.size() : 0;
  namesAt_ = text.line();
  index_ = above_ == Above::edges && columns && isIndexName(columns->names[0]);
  unnamed_ = index_ && !columns->names[0].empty();
  certain_ = index_ && namesEndsFirst(names);
  numbers_ = index_ && std::none_of(columns->names.begin(), columns->names.end(), isColumnName);
}

void RowNames::decide(const TextFile& text, std::string_view line, Index vertices) {
  decided_ = true;
  if (index_) return requireIndex(text, line, vertices);
  if (names_ == 0) return decideByQuotes(text, line, vertices);
  if (names_ < 2 || edgeColumns(line) != names_ + 1) return;
  const FirstLines lines = firstLines(text.path(), namesAt_, vertices);
  if (!lines.unique || !(above_ == Above::edges ? lines.ends : lines.heads)) return;
  const bool sources = above_ == Above::edges && lines.sources;
  if (!lines.quoted && lines.counts && names_ > 2 && endsLikeDecimalComma(line))
    text.damaged(unclear() + "; if the last two are one number, write its decimals with a point",
                 edgeFields(line).back());
  if (!lines.quoted && (!lines.counts || sources)) text.damaged(unclear(), line.substr(0, 1));
  leads_ = true;
  counts_ = !lines.quoted;
  next_ = wholeNumberOf(edgeFields(line)[0]);
}

void RowNames::decideByQuotes(const TextFile& text, std::string_view line, Index vertices) {
  const auto fields = edgeFields(line);
  if (fields.size() < 3 || !fields[0].starts_with('"') || fields[1].starts_with('"')) return;
  const FirstLines lines = firstLines(text.path(), 0, vertices);
  leads_ = lines.quoted && lines.unique && (above_ == Above::edges ? lines.ends : lines.heads);
}

/// The names of rows in quotes, or numbers that count them: 0, 1, … of pandas, 1, 2, … of R.
void RowNames::requireIndex(const TextFile& text, std::string_view line, Index vertices) {
  const std::size_t columns = edgeColumns(line);
  if (columns != names_)
    text.damaged("has " + std::to_string(columns) + " columns; line " + std::to_string(namesAt_) + " names " +
                 std::to_string(names_) + ", the first of them with nothing");
  const FirstLines lines = firstLines(text.path(), namesAt_, vertices);
  leads_ = true;
  counts_ = !(lines.quoted && lines.unique) && !certain_;
  next_ = wholeNumberOf(edgeFields(line)[0]);
  if (counts_ && next_ != 0 && next_ != 1) text.damaged(unclear(), line.substr(0, 1));
}

void RowNames::leaveOut(const TextFile& text, Fields& fields) {
  const std::string_view name = fields.word();
  if (counts_ && wholeNumberOf(name) != next_++) text.damaged(unclear(), name);
}

std::string RowNames::unclear() const {
  if (index_)
    return "the first column has no name in line " + std::to_string(namesAt_) +
           " and is no index 0, 1, 2, … in order; write the file without it (pandas: index=False, R: "
           "row.names = FALSE), or name every column, the source and the target first";
  return "the first column may hold names of rows, as R writes them, or the last one has no name: line " +
         std::to_string(namesAt_) + " names " + std::to_string(names_) + " of " + std::to_string(names_ + 1) +
         " columns; name every column, " +
         (above_ == Above::edges ? "the source and the target first" : "the vertex first");
}

void RowNames::remark(std::vector<std::string>& remarks) const {
  if (leads_ && unnamed_)
    remarks.push_back("line " + std::to_string(namesAt_) +
                      " calls the first column `Unnamed: 0`, as pandas does with an index: it is left out");
  else if (leads_ && index_)
    remarks.push_back(
        "line " + std::to_string(namesAt_) +
        " has no name for the first column, as pandas and R leave it above an index: the column "
        "is left out");
  else if (leads_ && names_ == 0)
    remarks.emplace_back(
        "the first column alone is in quotes, as R writes names of rows: it is left out; if it is " +
        std::string(above_ == Above::edges ? "the source" : "the vertex") + ", write it without quotes");
  else if (leads_)
    remarks.push_back("line " + std::to_string(namesAt_) + " names " + std::to_string(names_) + " of " +
                      std::to_string(names_ + 1) +
                      " columns, as R does above names of rows: the first column is left out; if it is " +
                      (above_ == Above::edges ? "the source" : "the vertex") + ", name every column");
}

}  // namespace halo
