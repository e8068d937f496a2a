#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/index.h"

namespace halo {

/// What an edge list says of the direction of its edges. KONECT says it in the first comment, SNAP and others
/// in one that begins with `Directed` or `Undirected`. Gephi has a column Type.
class StatedDirection {
 public:
  /// Of the comments above the edges, in order: the first that says something counts.
  void takeComment(std::string_view comment, Index line);
  /// A cell of the column Type: one of Gephi's two words, or neither.
  void takeType(std::string_view cell);

  /// Whether the file says that its edges have no direction: each is two arcs, also of a directed set.
  bool undirected() const;
  void remark(std::vector<std::string>& remarks) const;

 private:
  enum class Stated { nothing, directed, undirected };

  bool typesAgree() const { return typesOther_ == 0 && (typesDirected_ == 0) != (typesUndirected_ == 0); }

  Stated comment_ = Stated::nothing;
  Index commentAt_ = 0;       // the line of the last comment that was looked at until one says something
  Index contradictedAt_ = 0;  // the first line after it that says the opposite; 0: none
  Index typesDirected_ = 0, typesUndirected_ = 0, typesOther_ = 0;  // cells
};

}  // namespace halo
