#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/base/index.h"
#include "engine/kernels/dense/activation.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// The rows that enter a layer, before dropout, and how they are dropped.
struct LayerInput {
  const Matrix* raw = nullptr;  // rows(layer) × d
  DropoutKey key;
  double rate = 0;
  bool training = true;  // false: evaluation, or what is computed once; values must be fresh
  // and how what is aggregated of them is dropped
  DropoutKey aggregateKey;
  double aggregateRate = 0;
};

/// How what enters a layer is dropped, and what is aggregated of it; no rows.
LayerInput layerInput(const WorkerParts& parts, std::int32_t epoch, int layer, bool training,
                      bool layer0Cached);

/// What the rows of a rank, or some of them, go through between aggregations, and what is kept of them from
/// pass to pass:
///
///   A(0) = X;   H(l) = dropout(A(l));   Z(l) = P prepare(H(l));
///   U(l) = finish(H(l), Z(l));   A(l+1) = ReLU(norm(U(l)))
///
/// With model.dropout_position = after-aggregation a layer's Z is dropped instead of what it aggregates, and
/// H(l) = A(l) there. Its self term is dropped too, with a mask of its own. With `layer0Cached`, Z(0) = P X
/// is computed once; layer 0 then drops after aggregation (the only difference to the uncached form, and none
/// at dropout 0). Somebody else aggregates:
///
///   enter(l);   aggregated(l) = P toAggregate(l);   finish(l)           layer after layer, then `loss`, then
///   startBackward(l);   dY() = Pᵀ dZ();   pullBack(l);   endBackward(l)      from the last layer
class RowSteps {
 public:
  /// Which rows.
  struct Rows {
    std::function<const Matrix&()> features;  // of those that enter layer 0
    /// Global ids of those that enter a layer; of the outputs, for the number of layers.
    std::function<const std::vector<Vertex>&(int level)> ids;
  };
  /// What the outputs are held against, row by row.
  struct Targets {
    std::span<const std::int32_t> labels;
    const Matrix& multiLabels;
    std::span<const std::uint8_t> train;
    std::optional<double> weight = {};     // of each; or else 1 / training vertices of the whole graph
    std::span<const double> factors = {};  // by row, what that is multiplied with; empty: 1
  };

  /// `model`: whose weights are used and whose gradients are written. `featureGradient`: whether that of
  /// layer 0's input is wanted too.
  RowSteps(WorkerParts& parts, Model& model, Rows rows, bool layer0Cached, bool featureGradient = false);

  void setEpoch(std::int32_t epoch) { epoch_ = epoch; }

  /// Drops what enters layer l.
  void enter(int l, bool training);
  /// How it was dropped.
  LayerInput input(int l, bool training) const;
  const Matrix& raw(int l) const { return l == 0 ? rows_.features() : A_[at(l)]; }
  /// Whether Z(l) is cached().
  bool isCached(int l) const { return l == 0 && layer0Cached_; }
  Matrix& cached() { return cachedZ0_; }
  const Matrix& toAggregate(int l);
  /// Where Z(l) goes: what is read again backward has a place of its own.
  Matrix& aggregated(int l);
  /// `dropped`: who aggregated has dropped Z(l) too, where it is to be dropped.
  void finish(int l, bool dropped);
  /// Drops a Z(l) that was aggregated once more as `finish` drops the one it is given.
  void dropAgain(int l, bool dropped, Matrix& Z) const;
  /// Whether Z(l) stands where other layers' do, so that it is gone once the next was aggregated.
  bool passesOn(int l) { return !isCached(l) && &aggregated(l) == &passingZ_; }

  /// Of the outputs, and its gradient. This rank's part of the mean over all training vertices.
  double loss(const Targets& targets);
  const Matrix& outputs() const { return U_.back(); }
  Matrix& outputs() { return U_.back(); }

  void startBackward(int l);
  Matrix& dZ() { return dZ_; }
  Matrix& dY() { return dY_; }
  /// Whether anything is to be aggregated backward in layer l.
  bool returns(int l) { return needsInput(l) || model_.layer(l).backwardNeedsPropagation(); }
  /// Whether inputGradient() is made in layer l.
  bool needsInput(int l) const { return l > 0 || featureGradient_; }
  /// From dY() to the gradient of what entered layer l, dropped as that was.
  void pullBack(int l);
  Matrix& inputGradient() { return dH_; }
  /// From there to the gradient of U(l - 1); nothing for layer 0.
  void endBackward(int l);

  /// Layer 0 from its InputProduct T on, which others have made of dropped rows: in the place of enter,
  /// toAggregate and finish. T has a row for each vertex.
  void finishProduct(const Matrix& T);
  /// Layer 0 back to dT: in the place of startBackward and what follows it.
  void backwardProduct(Matrix& dT);

  void addTo(Memory& memory) const;

 private:
  const Matrix& inputRows(int l) const { return dropped_[at(l)] ? H_[at(l)] : raw(l); }
  DropoutKey key(int l) const { return input(l, true).key; }
  DropoutKey aggregateKey(int l) const { return input(l, true).aggregateKey; }
  double rateOf(int l) const { return dropped_[at(l)] ? parts_.settings.model.dropout : 0; }
  bool dropsAggregate(int l) const { return parts_.settings.model.dropsAggregate() || isCached(l); }
  void activate(int l);
  void dropGradients(int l, double rate);

  WorkerParts& parts_;
  Model& model_;
  Rows rows_;
  bool layer0Cached_, featureGradient_;
  std::int32_t epoch_ = 0;
  // by layer: activations A (A_[0] unused), inputs after dropout H, aggregated Z, outputs before norm U, norm
  // statistics
  std::vector<Matrix> A_, H_, Z_, U_, normSaved_;
  std::vector<bool> dropped_;
  Matrix cachedZ0_;
  Matrix passingZ_;           // Z of layers whose backward pass does not read it
  Matrix dU_, dZ_, dY_, dH_;  // reused by every layer's backward pass
};

}  // namespace halo
