#pragma once

#include "engine/methods/full_graph/aggregation.h"

namespace halo {

/// The matrix of a block both ways round, remade from batch to batch; what has grown stays.
class TurnedBlock {
 public:
  /// To be filled before `turn`.
  Csr& edges() { return edges_; }
  const Csr& edges() const { return edges_; }
  /// Makes the transpose, and where layers attend the places of its entries. O(rows + columns + entries).
  void turn(bool attends);
  EdgeBlock block() const { return {edges_, transposed_, places_}; }
  std::size_t heldBytes() const;

 private:
  Csr edges_, transposed_;
  Buffer<Index> places_;
};

}  // namespace halo
