#include "datasets/edges/label_lists.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "datasets/edges/decimal_marks.h"
#include "datasets/edges/edges.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/row_names.h"
#include "datasets/input/limits.h"
#include "datasets/text/class_codes.h"
#include "datasets/text/class_number.h"
#include "datasets/text/columns.h"
#include "datasets/text/comment_names.h"
#include "datasets/text/edge_ends.h"
#include "datasets/text/no_label.h"
#include "datasets/text/one_separator.h"
#include "datasets/text/vertex_numbers.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// Columns of the names above the lines, the vertex first.
class LabelColumns {
 public:
  void above(const TextFile& text, std::string_view line) {
    if (const auto columns = columnNames(line)) names_ = columns->names;
    namesAt_ = text.line();
  }
  /// At the first line, of so many columns.
  void start(std::size_t columns) {
    named_ = names_.size() > 2 && names_.size() == columns;
    if (!named_) return;
    for (std::size_t i = 1; i < names_.size(); ++i) {
      if (!namesLabel(names_[i])) continue;
      ++labels_;
      only_ = i;
    }
    if (labels_ != 1) only_ = 0;
  }
  /// Whether all columns have names, which are more than those of the vertex and its label.
  bool named() const { return named_; }
  /// The only column that is named as the label; 0: there is none.
  std::size_t only() const { return only_; }
  void requireAll(const TextFile& text, std::size_t columns) const {
    if (only_ > 0 && columns != names_.size())
      text.damaged("has " + std::to_string(columns) + " columns; line " + std::to_string(namesAt_) +
                   " names " + std::to_string(names_.size()));
  }
  /// Where all columns would be lists of labels.
  void requireLabels(const TextFile& text) const {
    if (named_ && labels_ == 0)
      throw DamagedInput({.file = text.path().string(),
                          .line = namesAt_,
                          .message = "columns " + shown(names_[1]) + " to " + shown(names_.back()) +
                                     " may all be labels or hold them in one; name that one `label`"});
  }
  void remark(const std::string& file, std::vector<std::string>& remarks) const {
    for (std::size_t i = 1; only_ > 0 && i < names_.size(); ++i)
      if (i != only_) remarks.push_back(labelAlone(file, names_[only_], names_[i]));
  }

  /// Whether a column is called a label or the number of a vertex.
  static bool namesEither(std::string_view name) { return namesLabel(name) || namesVertexFirst(name); }

 private:
  std::vector<std::string> names_;
  Index namesAt_ = 0;
  bool named_ = false;
  std::size_t only_ = 0, labels_ = 0;
};

struct LabelPair {
  Vertex vertex;
  std::int32_t label;  // −1: none
};

/// What the numbers behind the vertices look like, line by line.
class Width {
 public:
  void number(std::int32_t label) {
    flags_ &= label <= 1;
    repeats_ |= inLine_ > 0 && label == last_;
    descends_ |= inLine_ > 0 && label < last_;
    last_ = label;
    ++inLine_;
  }
  void end() {
    if (lines_++ == 0) width_ = inLine_;
    even_ &= inLine_ == width_;
    inLine_ = 0;
  }
  /// How many numbers every line has; 0: some have more than others.
  std::size_t every() const { return even_ ? width_ : 0; }
  bool flags() const { return flags_ && every() > 1; }
  /// Whether each line may list the labels 0 and 1.
  bool mayList() const { return !repeats_ && !descends_; }

 private:
  std::size_t width_ = 0, inLine_ = 0, lines_ = 0;
  std::int32_t last_ = 0;
  bool even_ = true, flags_ = true, repeats_ = false, descends_ = false;
};

/// What lines `vertex label …` say.
class LabelLines {
 public:
  explicit LabelLines(Index vertices)
      : labels(static_cast<std::size_t>(vertices), -1), lines_(static_cast<std::size_t>(vertices)) {}

  /// A line has the vertex, with a label or without.
  void meet(Index vertex, std::string_view word, Index line) {
    auto& first = lines_[static_cast<std::size_t>(vertex)];
    met_ += first == 0;
    if (first > 0) {
      ++repeated_;
      repeatedVertex_ = vertex;
    }
    if (first > 0 && again.empty()) {
      again = "vertex " + std::string(word) + " was in line " + std::to_string(first) + " already";
      againAt = line;
    }
    if (first == 0) first = static_cast<std::uint32_t>(line);
  }
  void add(Index vertex, std::int32_t label, std::string_view word, Index line) {
    pairs.push_back({static_cast<Vertex>(vertex), label});
    width.number(label);
    if (label < 0) return;
    any = true;
    auto& current = labels[static_cast<std::size_t>(vertex)];
    if (current >= 0 && current != label && !several) {
      several = true;
      if (const Index first = lines_[static_cast<std::size_t>(vertex)]; first != line)
        twice_ = "vertex " + std::string(word) + " has labels on line " + std::to_string(first) +
                 " and on line " + std::to_string(line);
    }
    current = label;
  }
  /// The first line is `0,1`, which pandas writes above columns without names.
  void mayBeNames(std::string_view line, Index at) {
    names_ = shown(line);
    namesAt_ = at;
  }
  /// It is names where its vertex has another line, and no other vertex has two.
  void settleNames() {
    if (namesAt_ > 0 && (repeated_ != 1 || repeatedVertex_ != pairs[0].vertex)) namesAt_ = 0;
    if (namesAt_ == 0) return;
    pairs.erase(pairs.begin());
    again.clear();
    twice_.clear();
    several = std::ranges::any_of(pairs, [&](LabelPair pair) {
      return pair.label >= 0 && pair.label != labels[static_cast<std::size_t>(pair.vertex)];
    });
  }
  void remark(const std::string& file, bool flags, std::vector<std::string>& remarks) const {
    if (namesAt_ > 0)
      remarks.push_back(
          file + ": line " + std::to_string(namesAt_) + " (" + names_ +
          ") is taken for the numbers of columns that pandas writes above them: its vertex alone "
          "has a second line; if that has two labels, write both on one line");
    const auto vertices = static_cast<Index>(labels.size());
    remarks.push_back("labels from " + file);
    columns.remark(file, remarks);
    rows.remark(remarks);
    const std::string wide = "every line of " + file + " has " + std::to_string(width.every()) +
                             (flags ? " numbers 0 or 1" : " numbers") + " behind the vertex; ";
    if (flags)
      remarks.push_back(wide + "read as a flag for every label, not as the numbers of labels");
    else if (width.every() > 1)
      remarks.push_back(wide + "all are read as its labels: if one is, name the columns, that one `label`");
    else if (!twice_.empty())
      remarks.push_back(file + ": " + twice_ + "; the set is read as one of several labels a vertex");
    remarkWithoutLine(file, vertices - met_, vertices, remarks);
  }

  LabelColumns columns;
  RowNames rows{RowNames::Above::labels};
  std::vector<std::int32_t> labels;  // by vertex, the last one; −1: none
  std::vector<LabelPair> pairs;
  Width width;
  bool any = false, several = false;  // labels; labels of a vertex
  bool minusOne = false;              // stands for no label
  std::string again;                  // of a vertex that has two lines
  Index againAt = 0;

 private:
  std::vector<std::uint32_t> lines_;  // by vertex, the first; half of what an Index takes
  Index met_ = 0, repeated_ = 0, repeatedVertex_ = -1;
  std::string twice_, names_;
  Index namesAt_ = 0;
};

/// Also one with decimals, as numpy and pandas write it.
Index wholeNumberIn(const TextFile& text, std::string_view cell) {
  const auto all = [&](auto& value) {
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return error == std::errc() && end == cell.data() + cell.size();
  };
  Index number = -1;
  if (all(number)) return number;  // as most are
  double value = -1;
  const Index integer = all(value) ? wholeNumberOf(value) : -1;
  return integer >= 0 ? integer : Fields(text, cell).integer(kClassRange);
}

/// The labels behind the vertex on the current line, in all columns or in the one that is named so.
void readLabels(const TextFile& text, Fields& fields, Index vertex, std::string_view word,
                LabelLines& lines) {
  std::size_t place = 1;
  for (const std::size_t only = lines.columns.only(); fields.more(); ++place) {
    const std::string_view cell = fields.word();
    if (only > 0 && place != only) continue;
    if (saysNoLabel(cell)) {
      lines.minusOne = lines.minusOne || saysMinusOne(cell);
      lines.add(vertex, -1, word, text.line());
      continue;
    }
    const Index label = wholeNumberIn(text, cell);
    if (!isClass(label)) text.damaged(std::to_string(label) + " is no class; " + kClassRange);
    lines.add(vertex, static_cast<std::int32_t>(label), word, text.line());
  }
  lines.columns.requireAll(text, place);
  lines.width.end();
}

/// Comments above as many columns may name them, each of them or a name each.
void requireNoOtherFirst(const TextFile& text, const std::vector<std::string>& comments,
                         std::size_t columns) {
  for (const std::string& comment : comments)
    if (const std::string names = namesInComment(comment); edgeColumns(names) == columns)
      requireVertexFirst(text, names);
  for (const std::string& names : namesLineByLine(comments, columns))
    if (std::ranges::all_of(cellsOf(names).names, LabelColumns::namesEither)) requireVertexFirst(text, names);
}

/// The vertex that a word names, also by a whole number with decimals, as pandas writes one beside nan; −1.
Index vertexIn(const GraphVertices& graph, std::string_view word) {
  const Index vertex = graph.find(word);
  if (vertex >= 0) return vertex;
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool integral = error == std::errc() && end == word.data() + word.size() && wholeNumberOf(value) >= 0;
  return integral && word.find('.') != word.npos ? graph.find(std::to_string(wholeNumberOf(value))) : -1;
}

LabelLines labelLines(TextFile& text, const GraphVertices& graph) {
  LabelLines lines(graph.count);
  OneSeparator separator;
  std::string_view line;
  bool named = false;
  constexpr std::size_t kMostComments = 32;
  std::vector<std::string> comments;  // the last ones above the first row: they may name its columns
  for (bool names = true, first = true; text.next(line);) {
    if (names && line.starts_with('#')) {
      if (comments.size() == kMostComments) comments.erase(comments.begin());
      comments.emplace_back(line);
    }
    if (isBlankOrComment(line)) continue;
    if (names) requireNoOtherFirst(text, comments, edgeColumns(line));
    if (std::exchange(names, false) && (named = isEdgeHeader(line))) {
      if (!namesVertexFirst(line)) requireNamesAlone(text, line, "a vertex number");
      requireVertexFirst(text, line);
      lines.rows.above(text, line);
      if (const auto above = columnNames(line)) separator.below(above->separator);
      lines.columns.above(text, line);
      continue;
    }
    Fields fields(text, line);
    lines.rows.skip(text, line, fields);
    // pandas does not write blanks of itself
    const bool marks = line.find_first_of(",;\t") != std::string_view::npos;
    if (first && !named && marks && countedColumns(line) == 2) lines.mayBeNames(line, text.line());
    if (std::exchange(first, false)) lines.columns.start(edgeColumns(line) - (lines.rows.leads() ? 1 : 0));
    const std::string_view word = fields.word();
    const Index vertex = vertexIn(graph, word);
    if (vertex < 0 && digitsOf(word).empty()) Fields(text, word).integer("a vertex number");
    if (vertex < 0)
      text.damaged("vertex " + std::string(word) + " has a label but does not occur in the graph", word);
    if (!fields.more())
      text.damaged("vertex " + std::string(word) + " has no label; `vertex label` on a line");
    lines.meet(vertex, word, text.line());
    readLabels(text, fields, vertex, word, lines);
    separator.require(text, fields);
  }
  lines.settleNames();
  return lines;
}

/// Of as many classes as `raw` says.
void setNoLabels(const TextFile& text, const LabelLines& lines, RawDataset& raw) {
  requireDenseFits(raw.vertices, raw.classes, static_cast<Index>(lines.pairs.size()), text.path());
  raw.multiLabels.setZero(raw.vertices, raw.classes);
}

/// A column a label, as the lines have them.
void setFlags(const TextFile& text, const LabelLines& lines, RawDataset& raw) {
  if (!lines.again.empty())
    throw DamagedInput({.file = text.path().string(),
                        .line = lines.againAt,
                        .message = lines.again + "; flags of every vertex once"});
  raw.labels.clear();
  const std::size_t width = lines.width.every();
  raw.classes = static_cast<std::int32_t>(width);
  setNoLabels(text, lines, raw);
  for (std::size_t i = 0; i < lines.pairs.size(); ++i)
    if (lines.pairs[i].label > 0) raw.multiLabels(lines.pairs[i].vertex, static_cast<Index>(i % width)) = 1;
}

/// Labels by their numbers, from 0 or from 1.
void setSeveral(const TextFile& text, const LabelLines& lines, RawDataset& raw) {
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max(), largest = 0;
  for (const LabelPair pair : lines.pairs) {
    if (pair.label < 0) continue;
    smallest = std::min(smallest, pair.label);
    largest = std::max(largest, pair.label);
  }
  const std::int32_t first = smallest == 1 ? 1 : 0;
  raw.labels.clear();
  raw.classes = largest + 1 - first;
  if (raw.classes > 100'000)
    text.damagedWhole("class " + std::to_string(largest) +
                      " is beyond those of a set of several labels a vertex, 0 to " +
                      std::to_string(99'999 + first));
  if (first == 1) raw.remarks.emplace_back(kClassesFromOne);
  setNoLabels(text, lines, raw);
  std::vector<bool> used(static_cast<std::size_t>(raw.classes));
  for (const LabelPair pair : lines.pairs) {
    if (pair.label < 0) continue;
    raw.multiLabels(pair.vertex, pair.label - first) = 1;
    used[static_cast<std::size_t>(pair.label - first)] = true;
  }
  remarkCodes(std::ranges::count(used, true), raw.classes, largest, raw.remarks);
}

}  // namespace

void readLabelLists(const std::filesystem::path& file, RawDataset& raw) {
  TextFile text(file);
  raw.labelFile = file;
  LabelLines lines = labelLines(text, {raw.vertices, raw.vertexOf});
  if (!lines.any) text.damagedWhole("holds no labels; `vertex label` on a line");
  const bool flags = lines.width.flags() && (lines.columns.named() || !lines.width.mayList());
  if (!flags && lines.columns.only() == 0) lines.columns.requireLabels(text);
  lines.remark(file.filename().string(), flags, raw.remarks);
  if (lines.width.every() == 1) remarkDecimals(file, PairsOf::labels, raw.remarks);
  remarkPoints(file, PairsOf::labels, raw.remarks);
  if (flags)
    setFlags(text, lines, raw);
  else if (lines.several)
    setSeveral(text, lines, raw);
  else
    raw.labels = std::move(lines.labels);
  raw.minusOne = lines.minusOne;
}

}  // namespace halo
