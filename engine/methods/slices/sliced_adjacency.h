#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/comm/exchange/group_graph.h"
#include "engine/comm/exchange/transposition.h"
#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// What the messages of a layer are told apart by in methods that aggregate by slices of columns. Exchanges
/// between groups use 2 · layer and 2 · layer + 1, on other pairs of ranks.
enum class SliceStep { toColumns, toRows, backToColumns, backToRows, ring, ringBack, scores, backToScores };
inline int tagOf(int layer, SliceStep step) { return 8 * layer + static_cast<int>(step); }

/// The propagation matrix as one column slice of a group's rows meets it; of layers that attend, its pattern.
/// H and Z of a forward pass stay as they are until the layer's backward pass where it attends.
class SlicedAdjacency {
 public:
  virtual ~SlicedAdjacency() = default;
  /// Z = P H.
  virtual void forward(int layer, const Matrix& H, Matrix& Z) = 0;
  /// dH = Pᵀ dZ; `mask`, unless empty, has a bit for each element that is wanted.
  virtual void backward(int layer, const Matrix& dZ, std::span<const std::uint8_t> mask, Matrix& dH) = 0;
  /// Whether `backward` makes use of a mask.
  virtual bool masks() const { return false; }
  /// See Propagator::release.
  virtual void release() = 0;
  virtual std::size_t bufferBytes() const = 0;
  virtual std::size_t graphBytes() const = 0;
  virtual Holdings holdings() const = 0;
};

/// What an adjacency is built from; all of it outlives it.
struct SlicedGraph {
  WorkerParts& parts;
  RowDirectory& directory;  // needed while it is built only
  const GroupOrder& order;
  const Transposition& rows;
  std::vector<GivenScores>* scores;  // by layer, of layers that attend to slices; or nullptr
};

// Collective.

/// Held in full; rows of other groups are fetched by those of the same slice.
std::unique_ptr<SlicedAdjacency> heldAdjacency(const SlicedGraph& graph);
/// Of one group: row blocks that travel round all ranks.
std::unique_ptr<SlicedAdjacency> ringAdjacency(const SlicedGraph& graph);

}  // namespace halo
