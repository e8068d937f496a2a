#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/index.h"

namespace halo {

/// The parts in which each vertex has a clone.
class CloneSets {
 public:
  CloneSets(Index vertices, int parts) : words_(at(parts + 63) / 64), bits_(at(vertices) * words_, 0) {}

  void add(Vertex v, std::int32_t part) { bitsOf(v)[at(part) / 64] |= std::uint64_t{1} << (part % 64); }
  bool none(Vertex v) const {
    return std::all_of(bitsOf(v), bitsOf(v) + words_, [](std::uint64_t word) { return word == 0; });
  }
  int count(Vertex v) const {
    int clones = 0;
    for (std::size_t w = 0; w < words_; ++w) clones += std::popcount(bitsOf(v)[w]);
    return clones;
  }
  /// visit(part) for each part of v that is one of u's too, ascending.
  template <class Visit>
  void common(Vertex v, Vertex u, const Visit& visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t word = bitsOf(v)[w] & bitsOf(u)[w]; word != 0; word &= word - 1)
        visit(static_cast<std::int32_t>(64 * w) + std::countr_zero(word));
  }

 private:
  std::uint64_t* bitsOf(Vertex v) { return bits_.data() + at(v) * words_; }
  const std::uint64_t* bitsOf(Vertex v) const { return bits_.data() + at(v) * words_; }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace halo
