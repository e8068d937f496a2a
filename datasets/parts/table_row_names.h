#pragma once

#include <string>
#include <string_view>

#include "datasets/text/text.h"

namespace halo {

/// Names of rows in a table, as R's write.table leaves them: the line of names has one less than there are
/// columns. They are the numbers of vertices in quotes, or count the rows from 0 or 1.
class TableRowNames {
 public:
  /// For the first row, below so many names: whether it begins with one more. Without quotes a comma behind
  /// the first number may be that of a decimal: then it does not.
  bool find(const TextFile& text, std::string_view line, Index names);
  /// The same for the first row of a table without names of columns, R's col.names = FALSE: whether quotes
  /// stand around the first cell alone.
  bool findByQuotes(const TextFile& text, std::string_view line);
  /// Throws DamagedInput where the row with this number from 0 begins with something else.
  void require(const TextFile& text, std::string_view line, Index row) const;
  /// So few rows without quotes may well be counted by chance; `first`: the line of the first of them.
  void requireMany(const TextFile& text, Index rows, Index first) const;
  bool any() const { return columns_ > 0; }
  /// What a person is told of them; "": there are none.
  std::string remark(const TextFile& text) const;

 private:
  std::string description() const;

  Index columns_ = 0;  // with them; 0: there are none
  Index first_ = 0;    // the number of the first row
  bool quoted_ = false, headless_ = false;
};

}  // namespace halo
