#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/contract/format.h"
#include "datasets/text/text.h"

namespace halo {

/// The first line of edges where it holds the numbers of its columns, `0,1` or `0,1,2`. Such a line, which
/// pandas writes above columns without names, reads as an edge as well.
class NumberedColumns {
 public:
  /// For the first line of edges. `alone`: neither comments nor names stand above it.
  void first(const TextFile& text, std::string_view line, bool alone);
  /// Whether the line may be such names: what it is, is known when all edges are.
  bool held() const { return at_ > 0; }
  /// Of such a line, once all is read. `least`: the smallest vertex of the `edges` edges after it.
  void decide(const TextFile& text, Index least, Index edges);
  /// Whether these surely are names.
  bool areNames() const { return !because_.empty(); }
  /// It is an edge: a comment counts it.
  void isEdge() { at_ = 0; }
  void remark(std::vector<std::string>& remarks) const;
  /// All of it for arcs that were read with that line as the first of them.
  void settle(const TextFile& text, RawDataset& raw);

 private:
  Index at_ = 0;  // the line; 0: another one
  std::string line_;
  char separator_ = ' ';
  bool alone_ = false, doubt_ = false;
  std::string because_;  // they are names
};

}  // namespace halo
