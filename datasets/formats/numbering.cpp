#include "datasets/formats/numbering.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include "datasets/class_number.h"
#include "datasets/columns.h"
#include "datasets/formats/edges.h"
#include "datasets/formats/line_shapes.h"
#include "datasets/formats/vertex_numbers.h"
#include "datasets/limits.h"
#include "datasets/no_label.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// How many different numbers there are in 0 … largest.
Index distinct(std::span<const Index> numbers, Index largest) {
  std::vector<bool> seen(static_cast<std::size_t>(largest) + 1);
  Index count = 0;
  for (const Index number : numbers) {
    auto mark = seen[static_cast<std::size_t>(number)];
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
bool Numbering::keepsNumbers(std::span<const Index> numbers, AbsentNumbers absent, Index largest,
                             std::vector<std::string>& remarks) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const Index smallest = *least;
  largest = std::max(largest, *most);
  const bool promised = absent == AbsentNumbers::promised;
  // fewer numbers than half the range cannot fill half of it: no need to count
  if (smallest < 0 || (!promised && largest / 2 > static_cast<Index>(numbers.size()))) return false;
  const Index occurring = distinct(numbers, largest), first = smallest == 1 ? 1 : 0;
  const bool full = occurring == largest + 1 - first;
  if (!full && !promised && (absent == AbsentNumbers::none || largest + 1 > 2 * occurring)) return false;
  first_ = first;
  occurring_ = occurring;
  vertices_ = largest + 1 - first;
  remarkNumbers(first, vertices_, occurring, remarks);
  return true;
}

Numbering::Numbering(std::span<const Index> numbers, std::span<const std::string> names, AbsentNumbers absent,
                     const std::filesystem::path& file, std::vector<std::string>& remarks, Index largest) {
  if (numbers.empty()) return;
  if (largest >= 0) requireVertexCount(largest, file);  // before so many are counted
  if (keepsNumbers(numbers, absent, largest, remarks)) {
    requireVertexCount(vertices_, file);
    return;
  }
  requireRoom(static_cast<double>(numbers.size_bytes()), static_cast<double>(numbers.size_bytes()),
              "its vertex numbers in order", {file.string(), 0, 0, "", ""});
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

Vertex Numbering::vertex(Index number) const {
  if (number < 0) {
    const auto place = static_cast<std::size_t>(-1 - number);
    return place < ranks_.size() ? ranks_[place] : -1;
  }
  if (sparse_.empty()) {
    const bool known = names_.empty() && number >= first_ && number - first_ < vertices_;
    return known ? static_cast<Vertex>(number - first_) : -1;
  }
  const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), number);
  return found != sparse_.end() && *found == number ? static_cast<Vertex>(found - sparse_.begin()) : -1;
}

Vertex Numbering::vertex(std::string_view word) const {
  const std::string_view digits = digitsOf(word);
  if (digits.empty()) return -1;
  Index number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec == std::errc())
    return vertex(number);
  const auto found = std::lower_bound(names_.begin(), names_.end(), digits, smallerDigits);
  return found != names_.end() && *found == digits
             ? static_cast<Vertex>(static_cast<std::ptrdiff_t>(sparse_.size()) + (found - names_.begin()))
             : -1;
}

VertexOf vertexOf(Numbering numbering) {
  if (numbering.keeps()) return {};
  // a copy of what is returned must not copy the numbers
  return [kept = std::make_shared<const Numbering>(std::move(numbering))](std::string_view word) -> Index {
    return kept->vertex(word);
  };
}

namespace {

struct LabelPair {
  Vertex vertex;
  std::int32_t label;
};

/// What lines `vertex label …` say.
class LabelLines {
 public:
  explicit LabelLines(Index vertices)
      : labels(static_cast<std::size_t>(vertices), -1), lines_(static_cast<std::size_t>(vertices)) {}

  /// A line has the vertex, with a label or without.
  void meet(Index vertex, Index line) {
    auto& first = lines_[static_cast<std::size_t>(vertex)];
    met_ += first == 0;
    if (first == 0) first = static_cast<std::uint32_t>(line);
  }
  void add(Index vertex, std::int32_t label, std::string_view word, Index line) {
    auto& known = labels[static_cast<std::size_t>(vertex)];
    if (known >= 0 && known != label && !several) {
      several = true;
      if (const Index first = lines_[static_cast<std::size_t>(vertex)]; first != line)
        twice_ = "vertex " + std::string(word) + " has labels on line " + std::to_string(first) +
                 " and on line " + std::to_string(line);
    }
    known = label;
    pairs.push_back({static_cast<Vertex>(vertex), label});
  }
  void remark(const std::string& file, std::vector<std::string>& remarks) const {
    const auto vertices = static_cast<Index>(labels.size());
    remarks.push_back("labels from " + file);
    if (!twice_.empty())
      remarks.push_back(file + ": " + twice_ + "; the set is read as one of several labels a vertex");
    remarkWithoutLine(file, vertices - met_, vertices, remarks);
  }

  std::vector<std::int32_t> labels;  // by vertex, the last one; −1: none
  std::vector<LabelPair> pairs;
  bool several = false;  // labels of a vertex

 private:
  std::vector<std::uint32_t> lines_;  // by vertex, the first; half of what an Index takes
  Index met_ = 0;
  std::string twice_;
};

LabelLines labelLines(TextFile& text, const GraphVertices& graph) {
  LabelLines found(graph.count);
  std::string_view line;
  bool first = true;
  while (text.next(line)) {
    if (isBlankOrComment(line)) continue;
    if (std::exchange(first, false) && isEdgeHeader(line)) {
      requireVertexFirst(text, line);
      continue;
    }
    Fields fields(text, line);
    const std::string_view word = fields.word();
    const Index vertex = graph.find(word);
    if (vertex < 0 && digitsOf(word).empty()) Fields(text, word).integer("a vertex number");
    if (vertex < 0)
      text.damaged("vertex " + std::string(word) + " has a label but does not occur in the graph", word);
    if (!fields.more())
      text.damaged("vertex " + std::string(word) + " has no label; `vertex label` on a line");
    found.meet(vertex, text.line());
    while (fields.more()) {
      const std::string_view cell = fields.word();
      if (saysNoLabel(cell)) continue;
      const Index label = Fields(text, cell).integer(kClassRange);
      if (!isClass(label)) text.damaged(std::to_string(label) + " is no class; " + kClassRange);
      found.add(vertex, static_cast<std::int32_t>(label), word, text.line());
    }
  }
  return found;
}

}  // namespace

void readLabelLists(const std::filesystem::path& file, RawDataset& raw) {
  TextFile text(file);
  raw.labelFile = file;
  LabelLines found = labelLines(text, {raw.vertices, raw.vertexOf});
  if (found.pairs.empty()) text.damagedWhole("holds no labels; `vertex label` on a line");
  found.remark(file.filename().string(), raw.remarks);
  if (found.several) {
    std::int32_t smallest = std::numeric_limits<std::int32_t>::max(), largest = 0;
    for (const LabelPair pair : found.pairs) {
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
    raw.multiLabels.setZero(raw.vertices, raw.classes);
    for (const LabelPair pair : found.pairs) raw.multiLabels(pair.vertex, pair.label - first) = 1;
  } else {
    raw.labels = std::move(found.labels);
  }
}

bool FurtherColumns::skipBraces(Fields& fields) {
  const std::string_view rest = fields.rest();
  const std::size_t last = rest.find_last_not_of(" \t\r");
  if (rest[last] != '}') return false;
  any_ |= rest.find_first_not_of(" \t", 1) != last;
  fields.skipRest();
  return true;
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
  if (!unknown) raw.arcs.reserve(each * std::min(static_cast<std::size_t>(declared), bytes));
}

Arc readArc(TextFile& text, Fields& fields, Index first, Index vertices, FurtherColumns& further) {
  const auto vertex = [&] {
    const Index number = wholeNumber(text, fields, "a vertex number");
    if (number < first || number - first >= vertices)
      text.damaged("vertex " + std::to_string(number) + " does not exist; " + std::to_string(first) + " to " +
                   std::to_string(first + vertices - 1));
    return static_cast<Vertex>(number - first);
  };
  const Vertex source = vertex(), target = vertex();
  further.skip(fields);
  return {source, target};
}

void readArcs(TextFile& text, RawDataset& raw) {
  FurtherColumns further;
  std::string_view line;
  while (text.next(line)) {
    if (text.line() == 1 && columnNames(line)) {
      requireEndsFirst(text, line);
      continue;
    }
    Fields fields(text, line, Layout::edges);
    if (fields.more()) raw.arcs.push_back(readArc(text, fields, 0, raw.vertices, further));
  }
  further.remark(raw);
}

}  // namespace halo
