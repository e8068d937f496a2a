#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/vertex_numbers.h"
#include "engine/base/matrix.h"

namespace halo {

/// Whether the first edge of a list is rather a line of counts, from the numbers as they go by.
class FirstEdge {
 public:
  /// `behind`: what stands behind the ends on its line.
  void pass(Index source, Index target, std::string_view behind) {
    if (edges_++ == 0) return begin(source, target, behind);
    if (edges_ == 2) next_ = source;
    least_ = std::min({least_, source, target});
    mostSource_ = std::max(mostSource_, source);
    mostTarget_ = std::max(mostTarget_, target);
  }
  /// It is no edge.
  void drop() {
    --edges_;
    source_ = -1;
  }
  Index edges() const { return edges_; }
  /// Of the numbers after it.
  Index least() const { return least_; }
  /// "943 1682 5" where that is the size of a matrix that is not square, and the edges are its entries; "".
  std::string sizeOfMatrix() const;
  /// Adds what a person is told where it looks like counts. `numbers`: as they stand in the file.
  /// `named`: below names of columns, which a line of counts has not.
  void remark(const VertexNumbers& numbers, bool named, std::vector<std::string>& remarks) const;

 private:
  void begin(Index source, Index target, std::string_view behind);
  Index most() const { return std::max(mostSource_, mostTarget_); }
  bool counts(Index vertices, Index edges) const;
  bool countsVertices() const;
  bool countsToLargest() const;

  bool wide_ = false;  // more stands behind its ends
  Index source_ = 0, target_ = 0, edges_ = 0;
  Index third_ = -1;  // the number behind its ends, if that is whole and the last one
  Index next_ = 0;    // the source of the second edge
  // of the numbers after it
  Index least_ = std::numeric_limits<Index>::max(), mostSource_ = -1, mostTarget_ = -1;
};

}  // namespace halo
