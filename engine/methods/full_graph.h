#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/base/check.h"
#include "engine/comm/communicator.h"
#include "engine/experiment/experiment.h"
#include "engine/kernels/activation.h"
#include "engine/kernels/loss.h"
#include "engine/kernels/spmm.h"
#include "engine/methods/method.h"
#include "engine/model/model.h"
#include "engine/model/optimizer.h"
#include "engine/partition/halo.h"

namespace halo {

/// layer0_cache  Ẑ⁰ = P·X is the same in every epoch and is computed, and exchanged, once
inline constexpr Parameter kLayer0CacheParameter{
    "layer0_cache",
    "aggregate the input features once, not every epoch; dropout then falls on what was aggregated",
    Flag{false}};

/// What one rank trains on: its share of graph, features and labels (rows in the order of graph.owned).
struct Share {
  LocalGraph graph;
  LocalArcs arcs;                                // empty, unless the method cuts vertices
  Matrix features;                               // own × d_0
  std::vector<std::int32_t> labels;              // own, or empty
  Matrix multiLabels;                            // own × classes, or empty
  std::vector<std::uint8_t> train, valid, test;  // own; 1: belongs to the split
  std::int64_t trainVertices = 0;                // of the whole graph
  std::int32_t classes = 0;
  bool multiLabel = false;
};

/// Everything a method is built from. All outlive it.
struct WorkerParts {
  Communicator& comm;
  Tracer& tracer;
  const RunSettings& settings;
  const Share& share;
  Model& model;
  Optimizer& optimizer;
};

/// Y = A X or Y += A X, noted as aggregation: how propagators multiply.
void aggregate(Tracer& tracer, const Csr& A, const Matrix& X, Matrix& Y, Write write);

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

/// How rows meet their neighbours' rows: the part in which full-graph methods differ.
class Propagator {
 public:
  virtual ~Propagator() = default;
  /// Whose rows of A(level) this rank computes, global ids; level 0: the features, the last: the outputs.
  /// Those of a level are the first of the level before, own rows the first of all. nullptr: the own rows.
  virtual const std::vector<Vertex>* rows(int /*level*/) const { return nullptr; }
  /// The features of rows(0); nullptr: of the own rows.
  virtual const Matrix* features() const { return nullptr; }
  /// Before the passes of a training epoch. Collective.
  virtual void beginEpoch(std::int32_t /*epoch*/) {}
  /// Comes before each forward, for who sends rows as they were before dropout.
  virtual void enter(int /*layer*/, const LayerInput& /*input*/) {}
  /// Whether `forward` drops what it aggregated as `enter` was told; else who called it does.
  virtual bool dropsAggregate() const { return false; }
  /// Z = P Y over the whole graph, rows(layer) of Y to rows(layer + 1) of Z. Collective.
  virtual void forward(int layer, const Matrix& Y, Matrix& Z) = 0;
  /// dY = Pᵀ dZ over the whole graph, the same rows. Collective.
  virtual void backward(int layer, const Matrix& dZ, Matrix& dY) = 0;
  /// In place of `backward` in layer 0 of a model that attends and aggregates first: the gradients of the
  /// layer's weights, no row's. Nothing travels.
  virtual void backwardWeights(int /*layer*/, const Matrix& /*dZ*/) { HALO_CHECK(false); }
  /// Adds to dH, own rows, after the dropout mask of this epoch, gradients that carry masks of their own.
  virtual void addLate(int /*layer*/, Matrix& /*dH*/) {}
  /// Whether training uses fresh values only.
  virtual bool exact() const { return true; }
  /// Whether training uses every value that evaluation uses.
  virtual bool complete() const { return true; }
  /// Staleness of the last epoch's passes; `raw`: by layer, what enter was given. Collective.
  virtual std::vector<Staleness> probe(std::span<const Matrix* const> /*raw*/) { return {}; }
  /// Bytes it keeps for rows on their way, and for older copies of rows that it uses again.
  virtual std::size_t bufferBytes() const { return 0; }
  virtual std::size_t historyBytes() const { return 0; }
  /// See Method::metrics.
  virtual std::map<std::string, double> metrics() const { return {}; }
};

/// Full-graph training, the same for every method but for its Propagator:
///
///   A(0) = X;   H(l) = dropout(A(l));   Z(l) = P prepare(H(l));   U(l) = finish(H(l), Z(l));   A(l+1) =
///   ReLU(norm(U(l)))
///
/// With model.dropout_position = after-aggregation a layer's Z is dropped instead of what it aggregates,
/// H(l) = A(l) there, and its self term, with a mask of its own.
///
/// Loss and gradients are sums over the ranks' own training rows divided by the global number of training
/// vertices. With `layer0Cached`, Z(0) = P X is computed once; layer 0 then drops after aggregation (the only
/// difference to the uncached form, and none at dropout 0).
class FullGraph : public Method {
 public:
  FullGraph(WorkerParts& parts, std::unique_ptr<Propagator> propagator, bool layer0Cached);

  double runEpoch(std::int32_t epoch) override;
  EpochRow evaluate() override;
  std::vector<Staleness> probeStaleness() override;
  Memory memory() const override;
  std::map<std::string, double> metrics() const override { return propagator_->metrics(); }
  const Matrix* logits() const override { return &U_.back(); }

 private:
  void forward(bool training);
  void forwardLayer(int l, bool training);
  const Matrix& prepare(Layer& layer, const Matrix& H);
  void activate(int l);
  double lossAndGradient(Matrix& dU);
  void backward();
  void backwardLayer(int l, Matrix& dU);
  void dropGradients(int l, double rate);
  void cacheLayer0();
  void reduceGradients();
  const Matrix& input(int l) const { return l == 0 ? features() : A_[static_cast<std::size_t>(l)]; }
  const Matrix& layerInput(int l) const {
    return dropped_[static_cast<std::size_t>(l)] ? H_[static_cast<std::size_t>(l)] : input(l);
  }
  const Matrix& features() const {
    const Matrix* wider = propagator_->features();
    return wider == nullptr ? parts_.share.features : *wider;
  }
  const std::vector<Vertex>& rows(int level) const {
    const std::vector<Vertex>* wider = propagator_->rows(level);
    return wider == nullptr ? parts_.share.graph.owned : *wider;
  }
  DropoutKey key(int l) const;
  /// Where Z(l) goes: what is read again backward has a place of its own.
  Matrix& aggregated(int l);
  DropoutKey aggregateKey(int l) const;
  bool dropsAggregate(int l) const {
    return parts_.settings.model.dropsAggregate() || (l == 0 && layer0Cached_);
  }
  void workDone(int layer, Pass pass);

  WorkerParts& parts_;
  std::unique_ptr<Propagator> propagator_;
  bool layer0Cached_;
  std::int32_t epoch_ = 0;
  // by layer: activations A (A_[0] unused), inputs after dropout H, aggregated Z, outputs before norm U, norm
  // statistics
  std::vector<Matrix> A_, H_, Z_, U_, normSaved_;
  std::vector<bool> dropped_;
  Matrix cachedZ0_;
  Matrix passingZ_;           // Z of layers whose backward pass does not read it
  Matrix dU_, dZ_, dY_, dH_;       // reused by every layer's backward pass
  Buffer<Scalar> gradients_;  // all of them, fused for one all-reduce
  std::int64_t workAt_ = 0, cpuAt_ = 0;
  bool cacheReady_ = false;
};

}  // namespace halo
