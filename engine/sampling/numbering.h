#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "datasets/graph/csr.h"
#include "engine/base/buffer.h"
#include "engine/base/index.h"

namespace halo {

/// Numbers the vertices of a batch in the order met. Takes 4 bytes a vertex of the graph, which a batch
/// touches only where it has vertices. The number of v in this batch is place_[v] − base_. What earlier
/// batches wrote lies below base_, and so is no number.
class Numbering {
 public:
  /// firstMark  1 or more; tests begin where marks run out
  explicit Numbering(Index vertices, std::uint32_t firstMark = 1) : base_(firstMark) {
    place_.assign(at(vertices), 0U);
  }

  /// Forgets the vertices met.
  void begin() {
    base_ += static_cast<std::uint32_t>(met_);
    met_ = 0;
    if (base_ <= ~std::uint32_t{0} - static_cast<std::uint32_t>(place_.size())) return;
    std::fill(place_.begin(), place_.end(), 0U);
    base_ = 1;
  }
  /// Room to meet `more` vertices. It is no more than all vertices take.
  void reserve(Index more) {
    const auto most = std::min(at(met_ + more), place_.size()) + 1;
    if (vertices_.size() < most) vertices_.resize(most);
  }
  /// The number of v, a new one where it was not met before. Needs room; writes one element past what it has
  /// met, so that it takes no branch.
  Vertex number(Vertex v) {
    std::uint32_t& place = place_[at(v)];
    const std::uint32_t before = place - base_, next = static_cast<std::uint32_t>(met_);
    const bool fresh = before >= next;
    const std::uint32_t number = fresh ? next : before;
    vertices_[next] = v;
    place = base_ + number;
    met_ += fresh;
    return static_cast<Vertex>(number);
  }
  /// −1: not met.
  Vertex find(Vertex v) const {
    const std::uint32_t number = place_[at(v)] - base_;
    return number < static_cast<std::uint32_t>(met_) ? static_cast<Vertex>(number) : -1;
  }
  void prefetch(Vertex v) const { __builtin_prefetch(&place_[at(v)], 1); }

  Index met() const { return met_; }
  std::span<const Vertex> vertices() const { return std::span(vertices_).first(at(met_)); }
  std::size_t heldBytes() const { return halo::heldBytes(place_) + halo::heldBytes(vertices_); }

 private:
  Buffer<std::uint32_t> place_;
  std::uint32_t base_;
  Index met_ = 0;
  Buffer<Vertex> vertices_;  // the first met_
};

}  // namespace halo
