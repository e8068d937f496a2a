#pragma once

#include "engine/base/index.h"
#include "engine/methods/full_graph/trainer.h"
#include "engine/methods/minibatch/batch_source.h"
#include "engine/methods/minibatch/full_scores.h"
#include "engine/methods/minibatch/iteration_notes.h"
#include "engine/methods/minibatch/turned_block.h"
#include "engine/methods/worker/resumable.h"

namespace halo {

/// Training on sampled batches, an update each:
///
///   iteration t of an epoch: every rank samples the blocks of its own seeds, fetches the features that they
///   read, and passes through its layers alone; loss (1/B_t) Σ over all ranks' seeds, gradients summed
///
/// An epoch's loss is Σ_t B_t loss_t / Σ_t B_t, each before its update (what other samplers' iterations
/// count: BatchLoss). Its scores are of the weights after the last update, on the full graph or on a drawn
/// one. Neither depends on who draws, but for the order of sums.
class BatchTrainer : public Trainer, public Resumable {
 public:
  /// Collective. Throws InputError, the same on every rank, for batches that these training vertices do not
  /// allow.
  explicit BatchTrainer(WorkerParts& parts, MakeSource make = makeSource);

  double runEpoch(std::int32_t epoch) override;
  std::vector<Staleness> probeStaleness() override { return {}; }
  Memory memory() const override;
  const Matrix* logits() const override { return &scores_.outputs(); }
  std::map<std::string, double> metrics() const override;
  std::vector<RowTable> decided() const override { return counts_.tables(source_->iterations()); }
  std::int64_t iterations() const override { return source_->iterations(); }
  BatchSums batchSums() const override { return {notes_.sums(counts_), source_->cache()}; }
  void settle() override { prepareNext(-1, Pass::none, /*waits=*/true); }
  void keep(ByteWriter& out, const ResumePoint& next) const override;
  void resume(ByteReader& in, const ResumePoint& next) override;

 protected:
  void passEnded() override { notes_.end(); }
  Index startEpoch(std::int32_t epoch) override;
  /// The sums of an epoch that goes on.
  virtual void keepEpoch(ByteWriter& out) const;
  virtual void resumeEpoch(ByteReader& in);
  double pass(std::int32_t epoch) final;
  /// What a pass does beside being noted; its loss as Trainer::pass gives it.
  virtual double iterate(std::int32_t epoch);
  void evaluationPass() override { scores_.make(epoch()); }
  bool evaluatesLastPass() const override { return false; }
  bool updatesOnce() const override { return false; }
  bool updatesNow() const override { return counted_.trains; }

  // An iteration's parts.

  /// Draws the next batch of the epoch; whether it trains.
  bool drawNext(std::int32_t epoch);
  /// V^l and V^(l + 1) by global id, and the matrix of the block between them.
  virtual void enterBlock(int l, bool turned);
  void takeIds(int l);
  /// Of that matrix.
  virtual Index nonzeros(int l) const { return block(l).nonzeros(); }
  /// Z = P̂ Y of layer l, and dY = P̂ᵀ dZ.
  virtual void propagate(int l, const Matrix& Y, Matrix& Z);
  virtual void propagateBack(int l, const Matrix& dZ, Matrix& dY);
  /// Of the batch that was drawn last: from what enters layer `first` to the loss, and back to its gradient.
  double trainFrom(int first);

  const Topology& topology() const { return topology_; }
  const BatchSettings& settings() const { return settings_; }
  const BatchSource& source() const { return *source_; }
  const Csr& block(int l) const { return matrices_[at(l)].edges(); }
  RowSteps& steps() { return steps_; }

 private:
  BatchTrainer(WorkerParts& parts, MakeSource make, const TrainingVertices& trained);
  DrawKey keyOf(std::int64_t step) const;
  void drawBatch(const DrawKey& key);
  void forwardLayer(int l);
  void backwardLayer(int l);
  void prepareNext(int layer, Pass pass, bool waits = false);
  double betweenMachines() const;
  void takeTargets(const BatchLoss& loss);

  Topology topology_;
  BatchSettings settings_;
  std::unique_ptr<BatchSource> source_;
  double seedImbalance_ = 1;
  PullCounts counts_, allCounts_;  // of this epoch, and of all
  IterationNotes notes_;
  std::vector<TurnedBlock> matrices_;     // by layer
  std::vector<std::vector<Vertex>> ids_;  // V^l, l = 0 … L
  Aggregation aggregation_;
  RowSteps steps_;
  std::vector<std::int32_t> labels_;  // of the outputs, as are the next two
  Matrix multiLabels_;
  std::vector<std::uint8_t> chosen_;
  FullScores scores_;
  Index iteration_ = 0;
  BatchLoss counted_;          // of the batch that was drawn last
  double countedOfEpoch_ = 0;  // Σ_t of what iterations count
  std::int64_t epochs_ = 0;
  ResumePoint resumed_;      // of the epoch that goes on
  std::string keptOfEpoch_;  // its sums, until it does
};

}  // namespace halo
