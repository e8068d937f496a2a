#pragma once

#include <optional>
#include <vector>

#include "engine/base/index.h"
#include "engine/comm/exchange/transposition.h"
#include "engine/kernels/sparse/attention.h"
#include "engine/methods/full_graph/full_graph.h"

namespace halo {

/// Edges of own rows to a block of rows that are at hand, both ways round; a view.
struct EdgeBlock {
  const Csr& edges;  // own × rows
  const Csr& transposed;
  std::span<const Index> places = {};  // transposedPlaces(edges); layers that attend need it
  // of the rows that the edges number, those that are at hand; −1: all
  Index begin = 0, count = -1;
};

/// The same with its own transpose. `edges` outlives it.
class TurnedEdges {
 public:
  TurnedEdges(const Model& model, const Csr& edges);
  EdgeBlock block() const { return {edges_, transposed_, places_}; }

 private:
  const Csr& edges_;
  Csr transposed_;
  Buffer<Index> places_;
};

/// The scores of own rows in one layer, and their gradients, where somebody else makes the scores of all
/// columns (slice_scores.h). The rows are then a slice of their columns, whole heads or a part of one.
struct GivenScores {
  HeadSlice slice;
  Matrix source, target;    // own × the slice's heads, of the forward pass
  Matrix dSource, dTarget;  // the same, as far as they come from this slice, once the backward pass is over
};

/// The gradients that a backward pass adds to.
void clearGradients(const Attention& attention);

/// How rows are summed over edges, block by block of source rows. The sums take P's values, or, in layers
/// that attend, coefficients made of the rows themselves. These are a running softmax, so that no block must
/// wait for another. Written against this, a propagator trains both. One pass of one layer at a time:
///
///   begin(l, Y, Z);  add(block, rows) for each block, in an order that is always the same;  finish()
///   beginBackward(l, dZ);  rowGradients(block, rows, dRows) for each block, in any order; finishBackward(dY)
///
/// Y, Z and what is given as `rows` backward are those of the forward pass, unchanged; only a layer that
/// attends reads them again.
class Aggregation {
 public:
  /// `scores`: by layer, of the own rows; nullptr: made here. Those of other rows are made here always, which
  /// needs whole heads of them. It outlives this.
  explicit Aggregation(WorkerParts& parts, std::vector<GivenScores>* scores = nullptr);

  /// Whether the model's layers attend: rows are then needed again in the backward pass.
  bool attends() const { return attends_; }

  /// Z is for the vertices whose rows stand in `own`, or the first `targets` of them.
  void begin(int layer, const Matrix& own, Matrix& Z, Index targets);
  void begin(int layer, const Matrix& own, Matrix& Z) { begin(layer, own, Z, own.rows()); }
  void add(const EdgeBlock& block, const Matrix& rows);
  void finish();

  void beginBackward(int layer, const Matrix& dZ);
  /// dRows (overwritten): what the block's rows get through its edges. Left alone where nobody needs it: in
  /// layer 0 of a layer that attends to its input rows.
  void rowGradients(const EdgeBlock& block, const Matrix& rows, Matrix& dRows);
  /// The same in the rows' own place, for who has no room for both; layers that attend alone.
  void rowGradientsInPlace(const EdgeBlock& block, Matrix& rows);
  /// The same of the block of the own rows, `begin` knows which.
  void ownGradients(const EdgeBlock& block, Matrix& dOwn) { rowGradients(block, *state().own, dOwn); }
  /// Adds to dOwn what the own rows get through their part in the scores of the edges into them.
  void finishBackward(Matrix& dOwn);

  std::size_t bytes() const;

 private:
  /// What the backward pass of a layer reads of its forward pass.
  struct State {
    const Matrix* own = nullptr;
    Matrix* Z = nullptr;
    Matrix target, logSum;  // own × heads
  };
  State& state() { return states_[at(layer_)]; }
  void enter(int layer);
  /// nullptr: the own rows' scores are made here.
  GivenScores* given() const { return scores_ == nullptr ? nullptr : &(*scores_)[at(layer_)]; }
  bool isGiven(const Matrix& rows) { return scores_ != nullptr && &rows == state().own; }
  Index heads() const { return scores_ == nullptr ? attention_->heads() : given()->slice.heads.count; }
  const Matrix& targetScores() { return scores_ == nullptr ? state().target : given()->target; }
  const Matrix& sourceVector();
  void pullBackSources(const Matrix& values, Matrix& dValues);
  const Matrix& transformed(const Matrix& rows);
  void attendTo(const EdgeBlock& block, const Matrix& rows);
  void attentionGradients(const EdgeBlock& block, const Matrix& rows, Matrix& dRows);
  void pullBack(const Matrix& rows, const Matrix& dY, Matrix& dRows, Write write);

  WorkerParts& parts_;
  std::vector<GivenScores>* scores_;
  bool attends_;
  std::vector<State> states_;  // by layer
  int layer_ = 0;
  std::optional<Attention> attention_;  // of the layer under way
  bool first_ = true;                   // no block was added yet
  const Matrix* dZ_ = nullptr;
  RunningSoftmax softmax_;
  Matrix source_, products_, dTarget_, dSource_, dEdges_;
  Matrix vector_, dVector_;  // of the slice's columns, where scores are given: what makes the others' scores
  Matrix transformed_, dTransformed_;
  const Matrix* transformedOf_ = nullptr;  // what stands in transformed_
};

}  // namespace halo
