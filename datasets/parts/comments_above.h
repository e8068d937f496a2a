#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/columns.h"

namespace halo {

/// Comments above a table: numpy writes names of columns so.
class CommentsAbove {
 public:
  /// Whether the line is a comment; then it is kept.
  bool take(std::string_view line);
  bool any() const { return !lines_.empty(); }
  /// The names in the nearest one that has as many as the first row has columns.
  std::optional<ColumnNames> names(std::string_view row) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace halo
