#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/text.h"

namespace halo {

/// The fields on a line of edges, or of a vertex and its labels.
std::vector<std::string_view> edgeFields(std::string_view line);
/// How many there are.
std::size_t edgeColumns(std::string_view line);

/// Names of rows before an edge, or before a vertex and its labels, as R's write.table leaves them. The line
/// of names above then has one less than there are columns. They are left out, which is remarked. So is an
/// index before an edge, whose name in the line above is empty, as pandas and R's write.csv leave it.
///
/// Without names of columns, R's col.names = FALSE, they are known by their quotes alone.
///
/// Names of rows are in quotes where what follows is not, or count the lines from 0 or 1. A first column that
/// repeats a value is none, nor is one before something else than edges or vertices. Whatever else such a
/// file holds may be either, and is refused.
class RowNames {
 public:
  enum class Above { edges, labels };
  explicit RowNames(Above above = Above::edges) : above_(above) {}

  /// For the line of names.
  void above(const TextFile& text, std::string_view names);
  /// Leaves out the name of the row; `line`: as it stands in the file, `fields`: at its start. `vertices`:
  /// numbers from there on are no vertices.
  void skip(const TextFile& text, std::string_view line, Fields& fields,
            Index vertices = std::numeric_limits<Index>::max()) {
    if (!decided_) decide(text, line, vertices);
    if (leads_) leaveOut(text, fields);
  }
  /// Whether every column of this line has a name above it.
  bool names(std::string_view line) const { return names_ > 0 && edgeColumns(line) <= names_; }
  bool leads() const { return leads_; }
  /// Whether an index stands before columns that are named 0, 1, …: so does one before a matrix.
  bool indexOfNumbers() const { return index_ && numbers_; }
  void remark(std::vector<std::string>& remarks) const;

 private:
  void decide(const TextFile& text, std::string_view line, Index vertices);
  void decideByQuotes(const TextFile& text, std::string_view line, Index vertices);
  void requireIndex(const TextFile& text, std::string_view line, Index vertices);
  void leaveOut(const TextFile& text, Fields& fields);
  std::string unclear() const;

  Above above_;
  bool index_ = false;    // the first name is that of an index
  bool unnamed_ = false;  // and it is not empty
  bool certain_ = false;  // and the others put the ends first
  bool numbers_ = false;  // the others are 0, 1, …
  std::size_t names_ = 0;
  Index namesAt_ = 0;  // the line
  bool decided_ = false, leads_ = false, counts_ = false;
  Index next_ = 0;  // that counts the lines
};

}  // namespace halo
