#include "datasets/edges/line_shapes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "datasets/edges/edges.h"
#include "datasets/edges/file_head.h"
#include "datasets/edges/listed_pairs.h"
#include "datasets/text/text.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {

LineShapes::LineShapes(const std::filesystem::path& file) : file_(file) {
  const FileHead head = headWithLines(file);
  cut_ = head.cut;
  for (const std::string_view line : linesOf(head.lines)) {
    if (!isBlankLine(line) && isBlankOrComment(line)) {
      hashed_ |= !isBlankOrComment(line, "%");
      continue;
    }
    Line& shape = lines_.emplace_back();
    constexpr std::string_view kSeparators = " \t,;\r\f\v";
    for (std::size_t i = line.find_first_not_of(kSeparators); i != std::string_view::npos;
         i = line.find_first_not_of(kSeparators, i)) {
      const bool braces = line[i] == '{';  // what networkx knows of an edge is one field
      const std::size_t end =
          braces ? line.size() : std::min(line.find_first_of(kSeparators, i), line.size());
      Index value = 0;
      const std::size_t digits = i + (line[i] == '+' && i + 1 < end && line[i + 1] != '-' ? 1 : 0);
      const auto [stop, error] = std::from_chars(line.data() + digits, line.data() + end, value);
      if (error == std::errc() && stop == line.data() + end && shape.numbers.size() == shape.fields)
        shape.numbers.push_back(value);
      ++shape.fields;
      i = end;
    }
  }
  std::copy_if(lines_.begin(), lines_.end(), std::back_inserter(filled_),
               [](const Line& line) { return line.fields > 0; });
}

bool LineShapes::allWhole() const {
  return std::all_of(filled_.begin(), filled_.end(), [](const Line& line) {
    return line.numbers.size() == line.fields &&
           std::all_of(line.numbers.begin(), line.numbers.end(), [](Index number) { return number >= 0; });
  });
}

bool LineShapes::resemblesEdges() const {
  return !filled_.empty() && std::all_of(filled_.begin(), filled_.end(), [](const Line& line) {
    return line.fields >= 2 && line.fields <= 4 && line.numbers.size() >= 2 && line.numbers[0] >= 0 &&
           line.numbers[1] >= 0;
  });
}

bool LineShapes::fitsEdges() const {
  return resemblesEdges() && std::all_of(filled_.begin(), filled_.end(),
                                         [&](const Line& line) { return line.fields == filled_[0].fields; });
}

bool LineShapes::fitsCountedEdges() const {
  if (!resemblesEdges()) return false;
  const Line& first = filled_[0];
  if (first.fields > 3 || first.numbers.size() != first.fields) return false;
  const Index rows = first.numbers[0], columns = first.fields == 3 ? first.numbers[1] : rows,
              edges = first.numbers.back(), listed = static_cast<Index>(filled_.size()) - 1;
  if (rows > std::numeric_limits<Vertex>::max()) return false;  // so many are rather the number of one
  if (listed == 0 || (cut_ ? listed > edges : listed != edges)) return false;
  bool fromZero = false, atEnd = false, narrow = true;
  for (std::size_t i = 1; i < filled_.size(); ++i) {
    const Index row = filled_[i].numbers[0], column = filled_[i].numbers[1];
    if (row > rows || column > columns) return false;
    fromZero |= row == 0 || column == 0;
    atEnd |= row == rows || column == columns;
    narrow &= filled_[i].fields == 2;
  }
  if ((fromZero && atEnd) || !(rows == columns || narrow)) return false;
  // an edge list that descends or begins with its largest vertex looks so until all of it is seen
  const auto descends = [](const Line& a, const Line& b) { return b.numbers[0] > a.numbers[0]; };
  const bool likeAnEdge = filled_[1].numbers[0] == rows ||
                          std::adjacent_find(filled_.begin(), filled_.end(), descends) == filled_.end();
  return !cut_ || !likeAnEdge || wholeFileHolds(edges);
}

bool LineShapes::wholeFileHolds(Index edges) const {
  Index lines = -1;  // the counts are none
  try {
    TextFile text(file_);
    for (std::string_view line; lines <= edges && text.next(line);) lines += !isBlankOrComment(line);
  } catch (const DamagedInput&) {
    return true;  // its reader tells what is damaged
  }
  return lines == edges;
}

bool LineShapes::metisNumbers(MetisHeader& header) const {
  if (hashed_ || filled_.empty() || !allWhole()) return false;
  const auto& numbers = filled_[0].numbers;
  if (numbers.size() < 2 || numbers.size() > 4) return false;
  header.vertices = numbers[0];
  header.edges = numbers[1];
  const Index format = numbers.size() > 2 ? numbers[2] : 0, weights = numbers.size() > 3 ? numbers[3] : 1;
  const Index digits[] = {format / 100, format / 10 % 10, format % 10};
  if (format > 111 || *std::max_element(std::begin(digits), std::end(digits)) > 1 || weights > 1000)
    return false;
  header.before = at(digits[0] + digits[1] * weights);
  header.stride = 1 + at(digits[2]);
  return true;
}

bool LineShapes::metisHeader(MetisHeader& header) const {
  return metisNumbers(header) && header.vertices > 0;
}

bool LineShapes::countsNothing() const {
  MetisHeader header;
  return metisNumbers(header) && header.vertices == 0 && header.edges == 0;
}

std::string LineShapes::unlikeMetis() const {
  if (hashed_) return "its comments begin with #, those of METIS with %";
  if (!allWhole()) return "not all that stands in its lines are whole numbers";
  const bool none = !filled_.empty() && !filled_[0].numbers.empty() && filled_[0].numbers[0] == 0;
  return none ? "its first line counts no vertices" : "its first line is no header of METIS";
}

bool LineShapes::hasMetisHeader() const {
  MetisHeader header;
  return metisHeader(header);
}

bool LineShapes::startsAsMetis() const {
  MetisHeader header;
  return metisHeader(header) && header.vertices >= static_cast<Index>(filled_.size()) - 1;
}

bool LineShapes::fitsMetis() const {
  MetisHeader header;
  if (!metisHeader(header)) return false;
  std::size_t first = 0;
  while (lines_[first].fields == 0) ++first;
  Listed pairs;
  std::vector<Index> heads;
  Index loops = 0;
  for (std::size_t i = first + 1; i < lines_.size(); ++i) {
    const auto& numbers = lines_[i].numbers;
    if (std::cmp_equal(heads.size(), header.vertices)) {
      if (!numbers.empty()) return false;
      continue;
    }
    heads.push_back(static_cast<Index>(heads.size()) + 1);
    if (numbers.size() < header.before || (numbers.size() - header.before) % header.stride != 0) return false;
    for (std::size_t j = header.before; j < numbers.size(); j += header.stride) {
      if (numbers[j] < 1 || numbers[j] > header.vertices) return false;
      pairs.emplace_back(heads.back(), numbers[j]);
      loops += numbers[j] == heads.back();
    }
  }
  const auto entries = static_cast<Index>(pairs.size());
  const auto twice = [&](Index count) { return count % 2 == 0 && count / 2 == header.edges; };
  const bool complete =
      std::cmp_equal(heads.size(), header.vertices) && (twice(entries) || twice(entries + loops));
  return (cut_ || complete) && mutual(pairs, std::move(heads));
}

bool LineShapes::headsDiffer(std::size_t from) const {
  std::vector<Index> heads;
  for (std::size_t i = from; i < filled_.size(); ++i) heads.push_back(filled_[i].numbers[0]);
  std::sort(heads.begin(), heads.end());
  return std::adjacent_find(heads.begin(), heads.end()) == heads.end();
}

bool LineShapes::fitsEndedLists() const {
  std::vector<Index> heads;
  std::size_t longest = 0;
  for (const Line& line : filled_) {
    const auto& numbers = line.numbers;
    if (numbers.size() < 2 || numbers.size() != line.fields || numbers.back() != -1) return false;
    if (std::any_of(numbers.begin(), numbers.end() - 1, [](Index n) { return n < 0; })) return false;
    heads.push_back(numbers[0]);
    longest = std::max(longest, numbers.size());
  }
  if (longest < 4 || !headsDiffer(0)) return false;
  std::sort(heads.begin(), heads.end());
  return cut_ || std::all_of(filled_.begin(), filled_.end(), [&](const Line& line) {
           return std::all_of(line.numbers.begin(), line.numbers.end() - 1, [&](Index number) {
             return std::binary_search(heads.begin(), heads.end(), number);
           });
         });
}

bool LineShapes::readAsLists() const {
  return allWhole() && (headsDiffer(0) || (countsLists() && headsDiffer(1)));
}

bool LineShapes::fitsAdjacencyLists() const { return fitsLists(0) || (countsLists() && fitsLists(1)); }

/// `n` or `n m` before n lists with m neighbours, or twice as many.
bool LineShapes::countsLists() const {
  if (filled_.size() < 3 || filled_[0].fields > 2 || !allWhole()) return false;
  const auto lists = static_cast<Index>(filled_.size()) - 1;
  Index listed = 0;
  for (const Line& line : filled_) listed += static_cast<Index>(line.fields) - 1;
  listed -= static_cast<Index>(filled_[0].fields) - 1;
  if (const Index counted = filled_[0].numbers[0]; cut_ ? counted < lists : counted != lists) return false;
  if (filled_[0].fields == 1) return true;
  const Index edges = filled_[0].numbers[1];
  return cut_ ? listed - edges <= edges : listed == edges || (listed % 2 == 0 && listed / 2 == edges);
}

/// Of the lines from the one at `from` on.
bool LineShapes::fitsLists(std::size_t from) const {
  if (filled_.size() <= from || !allWhole()) return false;
  Listed pairs;
  std::vector<Index> heads;
  std::size_t shortest = filled_[from].fields, longest = shortest;
  for (std::size_t i = from; i < filled_.size(); ++i) {
    const Line& line = filled_[i];
    heads.push_back(line.numbers[0]);
    shortest = std::min(shortest, line.fields);
    longest = std::max(longest, line.fields);
    for (std::size_t j = 1; j < line.fields; ++j) pairs.emplace_back(heads.back(), line.numbers[j]);
  }
  // of two columns both readings say the same; a single number at the end is half an edge
  if (longest < 3) return false;
  std::sort(heads.begin(), heads.end());
  if (std::adjacent_find(heads.begin(), heads.end()) != heads.end()) return false;
  const bool closed = std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
    return std::binary_search(heads.begin(), heads.end(), pair.second);
  });
  if (!closed && !cut_) return false;
  const bool both = mutual(pairs, heads);  // sorts the pairs
  if (shortest < longest && both) return true;
  // of edges with a weight the third column may well be the number of a vertex, but not in every line
  const bool plain =
      std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end() &&
      std::none_of(pairs.begin(), pairs.end(), [](const auto& p) { return p.first == p.second; });
  return plain && (both || shortest < longest);
}

/// Where −1 pads lists to one length they are read neither so nor as lists before it is taken out.
std::span<const Index> LineShapes::unpadded(const Line& line) {
  std::span<const Index> listed = std::span(line.numbers).subspan(1);
  while (!listed.empty() && listed.back() == -1) listed = listed.first(listed.size() - 1);
  return listed;
}

bool LineShapes::fitsConstantLists() const { return allWhole() && fitsNearestNeighbours(); }

bool LineShapes::fitsPaddedLists() const {
  const auto padded = [](const Line& line) { return line.numbers.size() > 1 && line.numbers.back() == -1; };
  const auto filled = [](const Line& line) { return line.numbers.size() > 1 && line.numbers.back() >= 0; };
  return std::any_of(filled_.begin(), filled_.end(), padded) &&
         std::any_of(filled_.begin(), filled_.end(), filled) && fitsNearestNeighbours();
}

/// As many on every line, −1 behind the last, none of them twice, every vertex with a line. Of a file that
/// goes on the lines have to be in order.
bool LineShapes::fitsNearestNeighbours() const {
  if (filled_.size() < 2 || filled_[0].fields < 3) return false;
  std::vector<Index> heads;
  for (const Line& line : filled_) {
    if (line.fields != filled_[0].fields || line.numbers.size() != line.fields) return false;
    heads.push_back(line.numbers[0]);
    const auto list = unpadded(line);
    std::vector<Index> listed(list.begin(), list.end());
    std::sort(listed.begin(), listed.end());
    if (std::adjacent_find(listed.begin(), listed.end()) != listed.end()) return false;
    if (heads.back() < 0 || (!listed.empty() && listed[0] < 0)) return false;
  }
  if (cut_) {
    for (std::size_t i = 1; i < heads.size(); ++i)
      if (heads[i] != heads[i - 1] + 1) return false;
    return heads[0] <= 1;
  }
  std::sort(heads.begin(), heads.end());
  if (std::adjacent_find(heads.begin(), heads.end()) != heads.end()) return false;
  return std::all_of(filled_.begin(), filled_.end(), [&](const Line& line) {
    return std::ranges::all_of(
        unpadded(line), [&](Index number) { return std::binary_search(heads.begin(), heads.end(), number); });
  });
}

bool LineShapes::fitsListsByLine() const {
  std::vector<Index> heads, numbers;
  std::vector<std::size_t> ends;
  for (const Line& line : filled_) {
    if (cut_ || line.fields < 2 || line.numbers.size() != line.fields) return false;
    heads.push_back(line.numbers[0]);
    for (std::size_t i = 1; i < line.fields; ++i)
      numbers.insert(numbers.end(), {heads.back(), line.numbers[i]});
    ends.push_back(numbers.size() / 2);
  }
  return areByLine({heads, numbers, ends});
}

std::string LineShapes::denseDoubt() const {
  if (cut_ || filled_.empty()) return "";
  auto cell = denseRows(filled_[0].numbers.empty() ? 1 : 0);
  const std::vector<Index>& first = filled_[0].numbers;
  if (!cell && !first.empty() && countUp(first.size(), [&](std::size_t i) { return first[i]; }))
    cell = denseRows(1);  // below numbers of the columns
  if (!cell) return "";
  const DenseSigns signs = denseSigns(cell->size(), *cell);
  const bool dense = signs.flags || signs.zeroDiagonal;
  return dense ? denseMatrix(static_cast<Index>(cell->size()), signs.words()) : "";
}

/// An edge that stands twice, or a loop, tells a row from an edge with a weight.
std::string LineShapes::denseBelowCounts() const {
  if (cut_) return "";
  const auto cell = denseRows(1);
  if (!cell) return "";
  const DenseSigns signs = denseSigns(cell->size(), *cell);
  std::set<std::pair<Index, Index>> edges;
  bool simple = true;
  for (std::size_t i = 0; i < cell->size(); ++i) {
    const Index u = (*cell)(i, 0), v = (*cell)(i, 1);
    simple = edges.emplace(std::min(u, v), std::max(u, v)).second && u != v && simple;
  }
  const bool dense = signs.flags || (signs.zeroDiagonal && (signs.mirrored || (signs.twice() && !simple)));
  return dense ? denseMatrix(static_cast<Index>(cell->size()), signs.words()) : "";
}

/// From the line at `from` on at least three lines of as many numbers; nothing where there are others.
std::optional<LineShapes::Rows> LineShapes::denseRows(std::size_t from) const {
  if (filled_.size() < from + 3) return std::nullopt;
  const std::span<const Line> rows = std::span(filled_).subspan(from);
  const bool square = std::ranges::all_of(rows, [&](const Line& line) {
    return line.fields == rows.size() && line.numbers.size() == rows.size();
  });
  return square ? std::optional(Rows{rows}) : std::nullopt;
}

std::string LineShapes::degreeDoubt(std::string_view chosen) const {
  const auto counts = [](const Line& line) {
    return line.fields >= 2 && line.numbers.size() == line.fields &&
           std::cmp_equal(line.numbers[1], line.fields - 2);
  };
  const std::size_t from = chosen == kCountedEdgeListFormat ? 1 : 0;
  if (filled_.size() <= from || !std::ranges::all_of(std::span(filled_).subspan(from), counts)) return "";
  std::vector<Index> heads;
  Listed pairs;
  for (std::size_t i = from; i < filled_.size(); ++i) {
    heads.push_back(filled_[i].numbers[0]);
    for (std::size_t j = 1; j < filled_[i].fields; ++j)
      pairs.emplace_back(heads.back(), filled_[i].numbers[j]);
  }
  if (countedLists(std::move(heads), std::move(pairs)) == CountedLists::none) return "";
  return kDegreeLists + ("; taken as " + std::string(chosen)) +
         ", which makes an edge of the first two numbers; if it is the degree, take it out of every line and "
         "choose dataset.format = \"" +
         kAdjacencyListFormat + "\"";
}

/// Other formats that the lines fit.
std::vector<std::string_view> LineShapes::others(std::string_view chosen) const {
  using Fits = bool (LineShapes::*)() const;
  constexpr std::pair<std::string_view, Fits> kFits[] = {
      {kMetisFormat, &LineShapes::fitsMetis},
      {kAdjacencyListFormat, &LineShapes::fitsSomeLists},
      {kCountedEdgeListFormat, &LineShapes::fitsCountedEdges},
      {kEdgeListFormat, &LineShapes::fitsEdges}};
  std::vector<std::string_view> formats;
  for (const auto& [name, fits] : kFits)  // the chosen one has been asked; it may read all lines
    if (name != chosen && (this->*fits)()) formats.push_back(name);
  return formats;
}

std::string LineShapes::keysOfOthers(std::string_view chosen) const {
  std::string keys;
  for (const std::string_view name : others(chosen))
    keys += (keys.empty() ? "" : " or ") + ("dataset.format = \"" + std::string(name) + "\"");
  return keys;
}

std::string LineShapes::doubt(std::string_view chosen, const std::string& because) const {
  std::string names;
  for (const std::string_view name : others(chosen))
    names += (names.empty() ? "" : " and ") + std::string(name);
  if (names.empty()) return "";
  return "its lines fit " + names + " as well; taken as " + std::string(chosen) + ", because " + because +
         "; choose otherwise by " + keysOfOthers(chosen);
}

}  // namespace halo
