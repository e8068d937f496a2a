#pragma once

#include <span>
#include <string>
#include <vector>

#include "datasets/formats/format.h"
#include "datasets/text.h"

namespace halo {

/// From the vertex numbers that stand in a file to 0 … n−1.
///
/// Numbers that fill at least half of 0 … largest stay as they are (absent ones are vertices without edges),
/// or move down by one if they start at 1. Sparser ones are renumbered in ascending order. Either way it is
/// remarked.
class Numbering {
 public:
  /// Throws DamagedInput naming `file` if there are too many vertices.
  Numbering(std::span<const Index> numbers, const std::filesystem::path& file,
            std::vector<std::string>& remarks);
  Index vertices() const { return vertices_; }
  /// −1: the number does not occur.
  Vertex vertex(Index number) const;

 private:
  Index vertices_ = 0, first_ = 0;
  std::vector<Index> sparse_;  // ascending; empty: number − first_
};

/// Labels from lines `vertex label …` (a first line of words is skipped): several a vertex make the set
/// multi-label.
void readLabelLists(const std::filesystem::path& file, const Numbering& numbering, RawDataset& raw);

/// Columns after the two vertices of an edge: they have to be numbers and are not used, which is remarked
/// once.
class FurtherColumns {
 public:
  void skip(Fields& fields) {
    any_ |= fields.more();
    while (fields.more()) fields.real("a weight or a time, or nothing after the two vertices");
  }
  static constexpr const char* kUnused =
      "columns after the second (weights, times) are not used: every edge counts the same";
  bool any() const { return any_; }
  void remark(RawDataset& raw) const {
    if (any_) raw.remarks.emplace_back(kUnused);
  }

 private:
  bool any_ = false;
};

/// The arc of a line `u v` of a format that numbers `vertices` vertices from `first` on.
Arc readArc(TextFile& text, Fields& fields, Index first, Index vertices, FurtherColumns& further);

}  // namespace halo
