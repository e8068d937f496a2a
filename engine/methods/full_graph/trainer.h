#pragma once

#include "engine/kernels/threads/work.h"
#include "engine/methods/worker/worker_parts.h"

namespace halo {

/// Training epochs: one pass of all ranks or several, after each of which gradients are summed and every rank
/// takes the same step.
class Trainer : public Method {
 public:
  explicit Trainer(WorkerParts& parts) : parts_(parts) {}

  double runEpoch(std::int32_t epoch) override;
  EpochRow evaluate() override;
  void keepForEvaluation() override;
  std::vector<EpochRow> evaluateKept() override;

 protected:
  /// Before the passes of an epoch: how many there will be, the same on every rank. Of an epoch that goes on,
  /// how many are left, with `loss_` as it was. Collective.
  virtual Index startEpoch(std::int32_t /*epoch*/) { return 1; }
  /// Forward, loss and backward; this rank's part of the epoch's loss. Collective.
  virtual double pass(std::int32_t epoch) = 0;
  /// After the update that followed a pass. Collective.
  virtual void passEnded() {}
  /// Whether an epoch has one update, so that scores can be of the weights that its loss is of.
  virtual bool updatesOnce() const { return true; }
  /// Whether an update follows the pass that was just done; the same on every rank.
  virtual bool updatesNow() const { return true; }
  /// A forward pass that drops nothing and uses fresh values only. Collective.
  virtual void evaluationPass() = 0;
  /// Whether the last training pass's outputs are what the evaluation pass would have given then.
  virtual bool evaluatesLastPass() const { return dropsNothing(); }
  /// Whose gradients are summed over the ranks, and what a rank then steps; both the same in every epoch.
  virtual std::vector<Weight*> summed() { return all(); }
  virtual std::vector<Weight*> stepped() { return all(); }
  /// Sums the gradients and steps; for passes with more updates than one, the last left out.
  void update();
  /// That was begun last, or is evaluated.
  std::int32_t epoch() const { return epoch_; }

  /// Takes down what was worked since last noted, or since the epoch's begin.
  void workDone(int layer, Pass pass);

  WorkerParts& parts_;
  double loss_ = 0;  // this rank's part of the epoch's, of the passes so far

 private:
  /// Where nothing is dropped and an epoch has one update, its scores are of the weights that its loss is of.
  /// That holds for who needs a pass of its own for them, too. Otherwise they are of the weights that come of
  /// the epoch.
  bool dropsNothing() const { return parts_.settings.model.dropout == 0; }
  bool scoresPassWeights() const { return dropsNothing() && updatesOnce(); }
  std::vector<Weight*> all();
  void keepPassWeights();
  void swapPassWeights();
  void reduceGradients();

  /// Weights of an epoch that is not evaluated yet.
  struct Kept {
    std::int32_t epoch = 0;
    std::vector<Matrix> weights;
  };

  std::int32_t epoch_ = 0;
  std::vector<Kept> kept_;
  std::vector<Weight*> weights_, summed_, stepped_;
  std::vector<Matrix> passWeights_;  // that the epoch's pass went by, kept for its scores
  Buffer<Scalar> gradients_;         // all of them, fused for one all-reduce
  Work workAt_;
  std::int64_t cpuAt_ = 0;
};

}  // namespace halo
