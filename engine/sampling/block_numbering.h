#pragma once

#include <span>

#include "datasets/graph/csr.h"
#include "engine/sampling/numbering.h"

namespace halo {

/// Numbers a block whose draws may come from other ranks, layer by layer from the seeds. The targets of a
/// block are its first sources. Vertices that are met for the first time follow.
class BlockNumbering {
 public:
  explicit BlockNumbering(Index vertices) : numbering_(vertices) {}

  /// seeds  distinct; V^L
  void begin(std::span<const Vertex> seeds);
  /// The targets of the next block: all vertices met.
  std::span<const Vertex> targets() const { return numbering_.vertices(); }
  /// block  a row for each of targets(), its columns by global id, which become numbers
  void add(Csr& block);
  /// Once block 1 is added.
  void finish(Buffer<Vertex>& vertices) const;
  std::size_t heldBytes() const { return numbering_.heldBytes(); }

 private:
  Numbering numbering_;
};

}  // namespace halo
