#include "datasets/edges/numbering.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "datasets/edges/edges.h"
#include "datasets/edges/line_shapes.h"
#include "datasets/edges/numbered_columns.h"
#include "datasets/edges/row_names.h"
#include "datasets/input/limits.h"
#include "datasets/text/columns.h"
#include "datasets/text/edge_ends.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// How many different numbers there are in 0 … largest.
Index distinct(std::span<const Index> numbers, Index largest) {
  std::vector<bool> seen(at(largest) + 1);
  Index count = 0;
  for (const Index number : numbers) {
    auto mark = seen[at(number)];
    count += !mark;
    mark = true;
  }
  return count;
}

}  // namespace

void remarkNumbers(Index first, Index vertices, Index occurring, std::vector<std::string>& remarks) {
  if (first == 1) remarks.emplace_back("vertices are numbered from 1 in the file, from 0 here");
  if (occurring < vertices)
    remarks.push_back(std::to_string(vertices - occurring) + " of " + std::to_string(vertices) +
                      " vertex numbers do not occur in the file; they are vertices without edges");
}

/// Of numbers that are no names: whether they stay as they are, moved down by one perhaps.
bool FileNumbering::keepsNumbers(std::span<const Index> numbers, AbsentNumbers absent, Index largest,
                                 std::vector<std::string>& remarks) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const Index smallest = *least;
  largest = std::max(largest, *most);
  const bool promised = absent == AbsentNumbers::promised;
  // fewer numbers than half the range cannot fill half of it: no need to count
  if (smallest < 0 || (!promised && largest / 2 > static_cast<Index>(numbers.size()))) return false;
  // files that say how many there are count from 1, of which the first may have no edge
  const Index first = smallest == 1 || (promised && smallest > 1) ? 1 : 0;
  const Index occurring = distinct(numbers, largest);
  const bool full = occurring == largest + 1 - first;
  if (!full && !promised && (absent == AbsentNumbers::none || largest + 1 > 2 * occurring)) return false;
  first_ = first;
  occurring_ = occurring;
  vertices_ = largest + 1 - first;
  remarkNumbers(first, vertices_, occurring, remarks);
  return true;
}

FileNumbering::FileNumbering(std::span<const Index> numbers, std::span<const std::string> names,
                             AbsentNumbers absent, const std::filesystem::path& file,
                             std::vector<std::string>& remarks, Index largest) {
  if (numbers.empty()) return;
  if (largest >= 0) requireVertexCount(largest, file);  // before so many are counted
  if (keepsNumbers(numbers, absent, largest, remarks)) {
    requireVertexCount(vertices_, file);
    return;
  }
  requireRoom(static_cast<double>(numbers.size_bytes()), static_cast<double>(numbers.size_bytes()),
              "its vertex numbers in order", {.file = file.string()});
  sparse_.reserve(numbers.size());
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(sparse_), [](Index n) { return n >= 0; });
  std::sort(sparse_.begin(), sparse_.end());
  sparse_.erase(std::unique(sparse_.begin(), sparse_.end()), sparse_.end());
  names_.assign(names.begin(), names.end());
  std::sort(names_.begin(), names_.end(), smallerDigits);
  vertices_ = occurring_ = static_cast<Index>(sparse_.size() + names_.size());
  requireVertexCount(vertices_, file);
  for (const std::string& name : names) ranks_.push_back(vertex(name));
  const std::string last = names_.empty() ? std::to_string(sparse_.back()) : names_.back();
  remarks.push_back("vertex numbers have gaps (" + std::to_string(vertices_) + " up to " + last +
                    "); renumbered from 0 in ascending order");
}

Vertex FileNumbering::vertex(Index number) const {
  if (number < 0) {
    const auto place = at(-1 - number);
    return place < ranks_.size() ? ranks_[place] : -1;
  }
  if (sparse_.empty()) {
    const bool known = names_.empty() && number >= first_ && number - first_ < vertices_;
    return known ? static_cast<Vertex>(number - first_) : -1;
  }
  const auto position = std::lower_bound(sparse_.begin(), sparse_.end(), number);
  return position != sparse_.end() && *position == number ? static_cast<Vertex>(position - sparse_.begin())
                                                          : -1;
}

Vertex FileNumbering::vertex(std::string_view word) const {
  const std::string_view digits = digitsOf(word);
  if (digits.empty()) return -1;
  Index number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc())
    return vertex(number);
  const auto position = std::lower_bound(names_.begin(), names_.end(), digits, smallerDigits);
  return position != names_.end() && *position == digits
             ? static_cast<Vertex>(static_cast<std::ptrdiff_t>(sparse_.size()) + (position - names_.begin()))
             : -1;
}

VertexOf vertexOf(FileNumbering numbering) {
  if (numbering.keeps()) return {};
  // a copy of what is returned must not copy the numbers
  return [kept = std::make_shared<const FileNumbering>(std::move(numbering))](
             std::string_view word) -> Index { return kept->vertex(word); };
}

void FurtherColumns::start(const TextFile& text, const Fields& fields, Index source) {
  first_ = source;
  firstAt_ = text.line();
  counted_ &= source >= 0 && !digitsOf(firstWord(fields.rest())).empty();
}

void FurtherColumns::remark(const TextFile& text, std::vector<std::string>& remarks) const {
  if (hasColumns_)
    remarks.emplace_back(
        "columns after the second (weights, times) are not used: every edge counts the same");
  if (hasColumns_ && counted_ && edges_ > 2)  // of fewer lines it may well be chance
    remarks.push_back("the first column of " + text.path().filename().string() +
                      " counts the lines; it is read as the source: leave it out if it is an index");
}

bool FurtherColumns::skipBraces(Fields& fields) {
  const std::string_view rest = fields.rest();
  const std::size_t last = rest.find_last_not_of(" \t\r");
  if (rest[last] != '}') return false;
  hasColumns_ |= rest.find_first_not_of(" \t", 1) != last;
  fields.skipRest();
  return true;
}

/// Those of the first edge, or too few.
void FurtherColumns::settleColumns(const TextFile& text, const Fields& fields, Index columns) {
  if (columns_ >= 0) refuseOther(text, columns + 2, {fields.rest().data() - 1, 1});
  columns_ = columns;
  hasColumns_ = hasColumns_ || columns > 0;
}

/// `rest`: the line from the first column on that is too much.
void FurtherColumns::refuseMore(const TextFile& text, std::string_view rest) const {
  refuseOther(text, columns_ + 2 + static_cast<Index>(edgeColumns(rest)), rest);
}

void FurtherColumns::refuseOther(const TextFile& text, Index columns, std::string_view at) const {
  const std::string first = std::to_string(firstAt_);
  std::string choice;
  if (perhapsLists_ && LineShapes(text.path()).readAsLists())
    choice = std::string("; if a vertex and its neighbours stand on every line, dataset.format = \"") +
             kAdjacencyListFormat + "\"";
  else if (edges_ == 2)
    choice = "; if line " + first + " is no edge, take it out";
  text.damaged("has " + std::to_string(columns) + " columns; the first edge, in line " + first + ", has " +
                   std::to_string(columns_ + 2) + "; as many on every line" + choice,
               at);
}

std::string unusedWeights(const std::string& key) {
  return "weights of the edges (`" + key + "`) are not used: every edge counts the same";
}

void requireEnd(const TextFile& text, Fields& fields, const std::string& allowed) {
  if (!fields.more()) return;
  const std::string_view word = fields.word();
  text.damaged(shown(word) + " is one too many; " + allowed, word);
}

void reserveArcs(RawDataset& raw, Index declared, std::size_t each, const std::filesystem::path& file) {
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
  if (!unknown) raw.arcs.reserve(each * std::min(at(declared), bytes));
}

Arc readArc(TextFile& text, Fields& fields, Index first, Index vertices, FurtherColumns& further) {
  const auto vertex = [&] {
    const Index number = wholeNumber(text, fields, "a vertex number");
    if (number < first || number - first >= vertices)
      text.damaged("vertex " + std::to_string(number) + " does not exist; " + std::to_string(first) + " to " +
                   std::to_string(first + vertices - 1));
    return number;
  };
  const Index source = vertex(), target = vertex();
  further.skip(text, fields, source);
  return {static_cast<Vertex>(source - first), static_cast<Vertex>(target - first)};
}

void readArcs(TextFile& text, RawDataset& raw) {
  FurtherColumns further;
  RowNames rows;
  NumberedColumns numbered;
  bool named = false;
  std::string_view line;
  while (text.next(line)) {
    if (text.line() == 1 && columnNames(line)) {
      requireNamesAlone(text, line, "a vertex number");
      requireEndsFirst(text, line);
      rows.above(text, line);
      further.below(columnNames(line)->separator);
      named = true;
      if (const std::string remark = endsTaken(line); !remark.empty())
        raw.remarks.push_back(text.path().filename().string() + ": line 1 names the columns: " + shown(line) +
                              "; " + remark);
      continue;
    }
    Fields fields(text, line, Layout::edges);
    if (!fields.more()) continue;
    if (raw.arcs.empty() && rows.names(line)) further.named();
    if (raw.arcs.empty() && !named) numbered.first(text, line, true);
    rows.skip(text, line, fields, raw.vertices);
    raw.arcs.push_back(readArc(text, fields, 0, raw.vertices, further));
  }
  rows.remark(raw.remarks);
  numbered.settle(text, raw);
  if (numbered.areNames()) further.named();
  further.remark(text, raw.remarks);
}

}  // namespace halo
