#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "datasets/text/vertex_numbers.h"
#include "engine/base/matrix.h"

namespace halo {

/// Whether the first edge of a list is rather a line of counts, from the numbers as they go by.
class FirstEdge {
 public:
  /// `wide`: more stands on the line.
  void pass(Index source, Index target, bool wide) {
    if (edges_++ == 0) {
      source_ = source;
      target_ = target;
      wide_ = wide;
      return;
    }
    if (edges_ == 2) next_ = source;
    least_ = std::min({least_, source, target});
    most_ = std::max({most_, source, target});
  }
  /// It is no edge.
  void drop() {
    --edges_;
    source_ = -1;
  }
  Index edges() const { return edges_; }
  /// Of the numbers after it.
  Index least() const { return least_; }
  /// Adds what a person is told where it looks like counts. `numbers`: as they stand in the file.
  /// `named`: below names of columns, which a line of counts has not.
  void remark(const VertexNumbers& numbers, bool named, std::vector<std::string>& remarks) const;

 private:
  bool counts(Index vertices, Index edges) const;
  bool countsVertices() const;
  bool countsToLargest() const;

  bool wide_ = false;
  Index source_ = 0, target_ = 0, edges_ = 0;
  Index next_ = 0;                                               // the source of the second edge
  Index least_ = std::numeric_limits<Index>::max(), most_ = -1;  // of the numbers after it
};

}  // namespace halo
