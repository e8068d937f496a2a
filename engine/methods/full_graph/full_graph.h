#pragma once

#include <memory>
#include <vector>

#include "engine/methods/full_graph/row_steps.h"
#include "engine/methods/full_graph/trainer.h"

namespace halo {

class LabelInput;  // methods/full_graph/label_input.h

/// What a probe finds of the epoch, by layer; nullptr or empty where nothing was propagated.
struct ProbedEpoch {
  std::vector<const Matrix*> raw;  // what enter was given
  std::vector<const Matrix*> Y;    // what forward was given
  std::vector<Matrix> dZ;          // what backward was given
  std::vector<bool> returned;      // whether it was called; the same on every rank
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
  /// Layer 0 was propagated for the last time: gives back what is as wide as the input.
  virtual void release() {}
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
  /// Whether the passes that follow repeat the last ones, layer by layer. What was left to chance there is
  /// then as it came, such as the order in which rows arrived.
  virtual void repeat(bool /*repeats*/) {}
  /// See Method::finish.
  virtual void finish() {}
  /// Whether training uses fresh values only.
  virtual bool exact() const { return true; }
  /// Whether training uses every value that evaluation uses.
  virtual bool complete() const { return true; }
  /// Of one that is not exact: staleness of the last epoch's passes. Collective. What the epoch gave to
  /// `backward` is as it was then, wherever it stood; so is what `forward` got, Y. Those of an exact one are
  /// found by propagating again (FullGraph).
  virtual std::vector<Staleness> probe(const ProbedEpoch& /*epoch*/) { return {}; }
  /// See Method::holdings.
  virtual std::optional<Holdings> holdings() const { return std::nullopt; }
  /// Bytes it keeps for input features beside the share's and features(), for rows on their way, and for
  /// older copies that it uses again.
  virtual std::size_t featureBytes() const { return 0; }
  virtual std::size_t bufferBytes() const { return 0; }
  virtual std::size_t historyBytes() const { return 0; }
  /// See Method::metrics.
  virtual std::map<std::string, double> metrics() const { return {}; }
  /// See Method::decided.
  virtual std::vector<RowTable> decided() const { return {}; }
};

/// Full-graph training, the same for every method but for its Propagator: layer after layer all own rows are
/// aggregated, then updated, as RowSteps says.
///
/// Loss and gradients are sums over the ranks' own training rows divided by the global number of training
/// vertices. With `labels`, A(0) = X and embeddings of the labels shown. The loss is then of the training
/// vertices whose label is not shown, and layer 0 is not cached.
class FullGraph : public Trainer {
 public:
  FullGraph(WorkerParts& parts, std::unique_ptr<Propagator> propagator, bool layer0Cached);
  FullGraph(WorkerParts& parts, std::unique_ptr<Propagator> propagator, bool layer0Cached,
            std::unique_ptr<LabelInput> labels);
  ~FullGraph() override;

  void prepareProbe() override;
  /// Of an exact propagator: everything is propagated once more, from what the epoch gave it. What comes of
  /// it is set beside what the epoch went on with.
  std::vector<Staleness> probeStaleness() override;
  Memory memory() const override;
  /// Not counted; what comes is noted.
  void finish() override;
  std::optional<Holdings> holdings() const override { return propagator_->holdings(); }
  std::map<std::string, double> metrics() const override { return propagator_->metrics(); }
  std::vector<RowTable> decided() const override { return propagator_->decided(); }
  const Matrix* logits() const override { return &steps_.outputs(); }

 protected:
  double pass(std::int32_t epoch) override;
  void evaluationPass() override { forward(/*training=*/false); }
  bool evaluatesLastPass() const override {
    return Trainer::evaluatesLastPass() && labels_ == nullptr && propagator_->exact() &&
           propagator_->complete();
  }

 private:
  void forward(bool training);
  void forwardLayer(int l, bool training);
  void backwardLayer(int l);
  void cacheLayer0();
  void keepForward(int l, const Matrix& Y);
  void keepBackward(int l);
  std::vector<Staleness> propagateAgain();
  void swapWeights();
  RowSteps::Rows ownRows();

  std::unique_ptr<Propagator> propagator_;
  bool layer0Cached_;
  std::unique_ptr<LabelInput> labels_;  // or none
  std::int32_t epoch_ = 0;
  RowSteps steps_;
  bool cacheReady_ = false;
  bool probed_ = false;  // the epoch under way will be
  ProbedEpoch kept_;
  std::vector<Matrix> keptZ_, keptDY_;  // by layer: what came of it, where it does not stay by itself
  std::vector<Matrix> keptWeights_;     // of the epoch, where propagation depends on them
};

}  // namespace halo
