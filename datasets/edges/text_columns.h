#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/edges/stated_direction.h"
#include "datasets/text/text.h"

namespace halo {

/// Columns behind the ends of an edge that hold texts or nothing, as Gephi exports them (Type, Label). They
/// are left out where a line above names all columns, the ends first. A column that is named as a weight
/// holds numbers all the same, and so does one with numbers on most of the first lines.
class TextColumns {
 public:
  /// For the line of names above edges: looks at the first lines below it.
  void above(const TextFile& text, std::string_view names);
  /// Whether there are such columns.
  bool any() const { return !names_.empty(); }
  /// The ends on a line of edges, without an index before them. Throws DamagedInput where the line has more
  /// or fewer cells than names.
  std::string_view ends(const TextFile& text, std::string_view line);
  void remark(std::vector<std::string>& remarks) const;
  /// What a column Type says.
  const StatedDirection& direction() const { return direction_; }

 private:
  [[noreturn]] void refuse(const TextFile& text, std::string_view cell, std::size_t column) const;

  std::vector<std::string> names_;  // of all columns; none: no column holds texts
  std::vector<bool> numbers_;       // columns behind the ends that hold numbers
  Index namesAt_ = 0;               // the line
  std::size_t ends_ = 2;            // columns up to the second end
  std::size_t typeAt_ = 0;          // the column Type; 0: there is none
  StatedDirection direction_;
  char separator_ = ',';
};

}  // namespace halo
