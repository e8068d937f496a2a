#pragma once

#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/contract/format.h"
#include "datasets/text/one_separator.h"
#include "datasets/text/text.h"

namespace halo {

/// What numbers below the largest are that do not stand in the file.
enum class AbsentNumbers {
  isolated,  // vertices without edges, if at least half of the numbers occur: those of edges
  none,      // no vertices: the file lists its vertices
  promised   // isolated, however many: the file says how many vertices there are
};

/// From the vertex numbers that stand in a file to 0 … n−1.
///
/// Numbers stay as they are if they fill 0 … largest, or at least half of it where absent ones are vertices.
/// If such numbers start at 1 they move down by one. Sparser ones are renumbered in ascending order. Either
/// way it is remarked.
class FileNumbering {
 public:
  /// `names`: of numbers below 0. Throws DamagedInput naming `file` if there are too many vertices.
  /// `largest`: of the numbers promised, which need not occur.
  FileNumbering(std::span<const Index> numbers, std::span<const std::string> names, AbsentNumbers absent,
                const std::filesystem::path& file, std::vector<std::string>& remarks, Index largest = -1);
  Index vertices() const { return vertices_; }
  /// How many of them stand in the file.
  Index occurring() const { return occurring_; }
  /// −1: the number does not occur.
  Vertex vertex(Index number) const;
  /// Of a word in another file; −1 as well for what is no number from 0.
  Vertex vertex(std::string_view word) const;
  /// Whether the numbers of the file are the vertices.
  bool keeps() const { return first_ == 0 && sparse_.empty() && names_.empty(); }

 private:
  bool keepsNumbers(std::span<const Index> numbers, AbsentNumbers absent, Index largest,
                    std::vector<std::string>& remarks);

  Index vertices_ = 0, occurring_ = 0, first_ = 0;
  std::vector<Index> sparse_;       // ascending; empty: number − first_
  std::vector<std::string> names_;  // ascending; they come after the numbers
  std::vector<Vertex> ranks_;       // of names in the order of the file
};

/// For files beside the graph.
VertexOf vertexOf(FileNumbering numbering);

/// Adds what a person is told of numbers that stay as they are, or move down by one: `first` is 0 or 1.
void remarkNumbers(Index first, Index vertices, Index occurring, std::vector<std::string>& remarks);

/// Columns after the two vertices of an edge. They have to be numbers, in double quotes or not, as many on
/// every line and separated alike. What networkx writes of an edge, `{…}`, may stand there too. The columns
/// are not used, which is remarked once. So is a first column that counts the lines before another whole
/// number, for it may be no end of an edge.
class FurtherColumns {
 public:
  /// `perhapsLists`: a file of such lines may hold lists of neighbours as well.
  explicit FurtherColumns(bool perhapsLists = false) : perhapsLists_(perhapsLists) {}
  /// Behind the ends of an edge; `source`: the first of them, as it stands in the file. Throws DamagedInput
  /// where there are more or fewer columns than behind the first edge.
  void skip(const TextFile& text, Fields& fields, Index source) {
    if (edges_ == 0) start(text, fields, source);
    counted_ = counted_ && source >= first_ && source - first_ == edges_;  // the sum may be no number
    ++edges_;
    Index columns = 0;
    while (fields.more()) {
      const std::string_view rest = fields.rest();
      if (rest.front() == '{' && skipBraces(fields)) continue;
      fields.real(kAllowed);
      if (columns++ == columns_) refuseMore(text, rest);
    }
    if (columns != columns_) settleColumns(text, fields, columns);
    separator_.require(text, fields);
  }
  bool any() const { return hasColumns_; }
  /// A line above names every column.
  void named() { counted_ = false; }
  /// A line of names stands above, with this separator.
  void below(char separatorOfNames) { separator_.below(separatorOfNames); }
  void remark(const TextFile& text, std::vector<std::string>& remarks) const;

 private:
  static constexpr const char* kAllowed = "a weight or a time, or nothing after the two vertices";
  void start(const TextFile& text, const Fields& fields, Index source);
  bool skipBraces(Fields& fields);
  void settleColumns(const TextFile& text, const Fields& fields, Index columns);
  [[noreturn]] void refuseMore(const TextFile& text, std::string_view rest) const;
  [[noreturn]] void refuseOther(const TextFile& text, Index columns, std::string_view at) const;
  bool hasColumns_ = false, counted_ = true, perhapsLists_;
  Index first_ = 0, edges_ = 0;
  Index columns_ = -1, firstAt_ = 0;  // behind the first edge, −1: not yet known; its line
  OneSeparator separator_;
};

/// What FurtherColumns remarks, where weights stand under `key` of an edge.
std::string unusedWeights(const std::string& key);

/// Throws DamagedInput if the line goes on; `allowed` is what may stand on it.
void requireEnd(const TextFile& text, Fields& fields, const std::string& allowed);

/// The next field as a whole number, quicker than Fields where digits alone stand there.
inline Index wholeNumber(const TextFile& text, Fields& fields, const char* expected) {
  const std::string_view word = fields.word();
  Index value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size()) return value;
  return Fields(text, word).integer(expected);
}

/// Makes room for the edges that a file declares, of `each` arcs, but never for more than it has bytes: it
/// may declare anything.
void reserveArcs(RawDataset& raw, Index declared, std::size_t each, const std::filesystem::path& file);

/// The arc of a line `u v` of a format that numbers `vertices` vertices from `first` on.
Arc readArc(TextFile& text, Fields& fields, Index first, Index vertices, FurtherColumns& further);

/// The arcs of a file of lines `u v`, from 0, perhaps below a line of names.
void readArcs(TextFile& text, RawDataset& raw);

}  // namespace halo
