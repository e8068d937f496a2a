#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/edges/dense_cells.h"
#include "engine/base/matrix.h"

namespace halo {

/// The numbers at the start of a file, line by line. They tell apart the formats that have no sign but the
/// shape of their lines. Lines of several formats look alike; `fits…` say what can be meant.
class LineShapes {
 public:
  explicit LineShapes(const std::filesystem::path& file);

  /// `u v` on every line, with up to two columns more, as many on all.
  bool fitsEdges() const;
  /// The same, but that lines may be wider than others.
  bool resemblesEdges() const;
  /// A line `n m` or `n n m` before m such lines whose vertices are 0 … n−1 or 1 … n. A matrix that is not
  /// square counts where the line is wider than those after it.
  bool fitsCountedEdges() const;
  /// A header of counts, then a list a vertex, and whom a vertex lists lists it too.
  bool fitsMetis() const;
  bool startsWithTwoNumbers() const { return !filled_.empty() && filled_[0].numbers.size() >= 2; }
  /// A header of counts, however many lines follow.
  bool hasMetisHeader() const;
  /// Whether the first line is a header of METIS, but counts no vertices and no edges.
  bool countsNothing() const;
  /// Why these are no lines of METIS, where there is no such header: behind "but ".
  std::string unlikeMetis() const;
  /// A header before no more lines than vertices, whatever the lists hold.
  bool startsAsMetis() const;
  /// A line a vertex: its number, then its neighbours, each with a line of its own; in lists of several
  /// lengths, or listing it too. A line of counts may stand before them.
  bool fitsAdjacencyLists() const;

  /// The same where −1 ends every list, one of two neighbours at least: no edges with a weight and a time.
  bool fitsEndedLists() const;
  /// As nearest neighbours are written: lists of one length, some of which −1 pads behind their last.
  bool fitsPaddedLists() const;
  /// Whether they can be read so, if asked: whole numbers, and every vertex has one line at most.
  bool readAsLists() const;

  /// Whether each line may list the neighbours of the vertex with its number (listed_pairs.h); as far as the
  /// whole file is known.
  bool fitsListsByLine() const;
  /// What a person is told of lines that look like a dense matrix; "" for others. There are as many lines as
  /// cells on each, at least three, perhaps below names or numbers of columns. They hold 0 or 1 alone, or 0
  /// on the diagonal.
  std::string denseDoubt() const;
  /// The same of a matrix below a line of counts, which may be edges with weights.
  std::string denseBelowCounts() const;
  /// What a person is told where the second number on every line counts those after it; `chosen`: by whom
  /// the lines are read as edges.
  std::string degreeDoubt(std::string_view chosen) const;

  /// What a person is told where the lines fit other formats than `chosen` as well; "" where they do not.
  std::string doubt(std::string_view chosen, const std::string& because) const;
  /// The keys that choose these others: "dataset.format = … or …"; "" where there are none.
  std::string keysOfOthers(std::string_view chosen) const;

 private:
  struct Line {
    std::vector<Index> numbers;  // up to the first field that is none
    std::size_t fields = 0;
  };
  struct Rows {
    std::span<const Line> lines;
    std::size_t size() const { return lines.size(); }
    Index operator()(std::size_t i, std::size_t j) const { return lines[i].numbers[j]; }
  };
  std::optional<Rows> denseRows(std::size_t from) const;
  struct MetisHeader {
    Index vertices = 0, edges = 0;
    std::size_t before = 0, stride = 1;  // numbers before the neighbours; numbers a neighbour
  };
  std::vector<std::string_view> others(std::string_view chosen) const;
  bool metisNumbers(MetisHeader& header) const;
  bool metisHeader(MetisHeader& header) const;
  bool allWhole() const;
  bool headsDiffer(std::size_t from) const;
  bool fitsLists(std::size_t from) const;
  static std::span<const Index> unpadded(const Line& line);
  bool fitsNearestNeighbours() const;
  bool fitsConstantLists() const;
  bool fitsSomeLists() const { return fitsAdjacencyLists() || fitsConstantLists(); }
  bool countsLists() const;
  bool wholeFileHolds(Index edges) const;

  std::filesystem::path file_;
  std::vector<Line> lines_;   // comments left out
  std::vector<Line> filled_;  // empty ones left out too
  bool cut_ = false;          // the file goes on
  bool hashed_ = false;       // with comments that METIS does not know
};

}  // namespace halo
