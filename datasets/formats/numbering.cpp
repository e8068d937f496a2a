#include "datasets/formats/numbering.h"

#include <algorithm>
#include <limits>

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

Numbering::Numbering(std::span<const Index> numbers, const std::filesystem::path& file,
                     std::vector<std::string>& remarks) {
  if (numbers.empty()) return;
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const Index smallest = *least, largest = *most;
  // fewer numbers than half the range cannot fill half of it: no need to count
  if (largest / 2 <= static_cast<Index>(numbers.size())) {
    const Index occurring = distinct(numbers, largest);
    if (largest + 1 <= 2 * occurring) {
      first_ = smallest == 1 ? 1 : 0;
      vertices_ = largest + 1 - first_;
      requireVertexCount(vertices_, file);
      if (first_ == 1) remarks.push_back("vertices are numbered from 1 in the file, from 0 here");
      if (occurring < vertices_)
        remarks.push_back(std::to_string(vertices_ - occurring) + " of " + std::to_string(vertices_) +
                          " vertex numbers do not occur in the file; they are vertices without edges");
      return;
    }
  }
  sparse_.assign(numbers.begin(), numbers.end());
  std::sort(sparse_.begin(), sparse_.end());
  sparse_.erase(std::unique(sparse_.begin(), sparse_.end()), sparse_.end());
  vertices_ = static_cast<Index>(sparse_.size());
  requireVertexCount(vertices_, file);
  remarks.push_back("vertex numbers have gaps (" + std::to_string(vertices_) + " up to " +
                    std::to_string(largest) + "); renumbered from 0 in ascending order");
}

Vertex Numbering::vertex(Index number) const {
  if (sparse_.empty()) {
    const bool known = number >= first_ && number - first_ < vertices_;
    return known ? static_cast<Vertex>(number - first_) : -1;
  }
  const auto found = std::lower_bound(sparse_.begin(), sparse_.end(), number);
  return found != sparse_.end() && *found == number ? static_cast<Vertex>(found - sparse_.begin()) : -1;
}

namespace {

struct LabelPair {
  Vertex vertex;
  std::int32_t label;
};

std::vector<LabelPair> labelPairs(TextFile& text, const Numbering& numbering) {
  std::vector<LabelPair> pairs;
  std::string_view line;
  while (text.next(line)) {
    if (line.empty() || line[0] == '#' || line[0] == '%') continue;
    if (text.line() == 1 && !wholeNumbers(line)) continue;  // names of the columns
    Fields fields(text, line);
    const Index number = fields.integer("a vertex number");
    const Vertex vertex = numbering.vertex(number);
    if (vertex < 0)
      text.damaged("vertex " + std::to_string(number) + " has a label but does not occur in the graph");
    if (!fields.more())
      text.damaged("vertex " + std::to_string(number) + " has no label; `vertex label` on a line");
    while (fields.more()) {
      const Index label = fields.integer("a label from 0");
      if (label < 0 || label >= std::numeric_limits<std::int32_t>::max())
        text.damaged("label " + std::to_string(label) + " is out of range; a label from 0");
      pairs.push_back({vertex, static_cast<std::int32_t>(label)});
    }
  }
  return pairs;
}

}  // namespace

void readLabelLists(const std::filesystem::path& file, const Numbering& numbering, RawDataset& raw) {
  TextFile text(file);
  const auto pairs = labelPairs(text, numbering);
  if (pairs.empty()) text.damagedWhole("holds no labels; `vertex label` on a line");
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max(), largest = 0;
  raw.labels.assign(static_cast<std::size_t>(raw.vertices), -1);
  bool several = false;
  for (const LabelPair pair : pairs) {
    smallest = std::min(smallest, pair.label);
    largest = std::max(largest, pair.label);
    auto& label = raw.labels[static_cast<std::size_t>(pair.vertex)];
    several |= label >= 0 && label != pair.label;
    label = pair.label;
  }
  if (several) {
    const std::int32_t first = smallest == 1 ? 1 : 0;
    raw.labels.clear();
    raw.classes = largest + 1 - first;
    if (raw.classes > 100'000)
      text.damagedWhole("label " + std::to_string(largest) + " is too large for a multi-label set");
    raw.multiLabels.setZero(raw.vertices, raw.classes);
    for (const LabelPair pair : pairs) raw.multiLabels(pair.vertex, pair.label - first) = 1;
  }
  raw.remarks.push_back("labels from " + file.filename().string());
}

Arc readArc(TextFile& text, Fields& fields, Index first, Index vertices, FurtherColumns& further) {
  const auto vertex = [&] {
    const Index number = fields.integer("a vertex number");
    if (number < first || number - first >= vertices)
      text.damaged("vertex " + std::to_string(number) + " does not exist; " + std::to_string(first) + " to " +
                   std::to_string(first + vertices - 1));
    return static_cast<Vertex>(number - first);
  };
  const Vertex source = vertex(), target = vertex();
  further.skip(fields);
  return {source, target};
}

}  // namespace halo
