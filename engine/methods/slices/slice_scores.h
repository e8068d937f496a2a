#pragma once

#include <vector>

#include "engine/methods/full_graph/aggregation.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// The scores of attention where aggregation is parallel by columns, which is ours. Who owns a row makes its
/// scores, of all heads, and shares them with the group. Each of the group attends with those of the heads
/// that its columns belong to. Backward each has gradients of the scores as far as they come from its own
/// columns. The sums of these belong to the rows' owners.
///
///   forward:   S(J_i) = [Y aₛ | Y a_t], 2 · heads numbers a vertex     rows → all
///   backward:  dS(J_i) = Σ over the group of what each has of it      dY += dS ⊗ a     da = dSᵀ Y
class SliceScores {
 public:
  /// `rows`: how rows and columns of the group are split; outlives this.
  SliceScores(WorkerParts& parts, Transposition& rows);

  // Collective over the group.

  /// Makes the scores of a layer from the own rows Y, which stay as they are until pullBack.
  void share(int layer, int tag, const Matrix& Y);
  /// Takes the gradients in its scores: adds to dY, own rows, and to those of the attention vectors.
  void pullBack(int layer, int tag, Matrix& dY);

  std::vector<GivenScores>& scoresByLayer() { return scoresByLayer_; }
  std::size_t bytes() const;

 private:
  WorkerParts& parts_;
  Transposition& rows_;
  std::vector<GivenScores> scoresByLayer_;
  std::vector<const Matrix*> Y_;  // by layer
  Matrix sources_, targets_;      // of the own rows, all heads
  Matrix both_, all_;             // side by side, of the own rows and of the group's
};

}  // namespace halo
