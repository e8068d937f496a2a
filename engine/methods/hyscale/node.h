#pragma once

#include <array>
#include <memory>
#include <vector>

#include "engine/base/rehearsal.h"
#include "engine/methods/hyscale/devices.h"
#include "engine/methods/hyscale/dilation.h"
#include "engine/methods/hyscale/drivers.h"
#include "engine/methods/hyscale/plan.h"
#include "engine/methods/hyscale/settings.h"
#include "engine/methods/hyscale/stage_notes.h"
#include "engine/record/rows/batch_rows.h"

namespace halo::hyscale {

/// A batch of all trainers under way.
struct BatchUnderWay {
  Index batch = -1;
  std::int64_t step = 0;  // of the run: what draws and masks are keyed by
  HybridMapping mapping;
  std::vector<std::int64_t> dealt;  // seeds, by trainer
  std::vector<double> factors;      // of their mean losses and gradients
  std::vector<Part> parts;          // by trainer
  BatchWork work;
  HybridTimes predicted;  // by the performance model
  double loss = 0;
  std::int64_t epoch = 0, iteration = 0;
  TaskTimes drawing;
  std::vector<StageRow> stages;  // that it has been through
  std::int64_t seeds() const;
  /// What its parts read in a layer, and CPU time of drawing it.
  BlockRow readIn(int layer) const;
};

/// A batch that is opened.
struct OpenedBatch {
  Index batch = 0;
  std::int64_t epoch = 0, iteration = 0, step = 0;
  HybridMapping mapping;
  HybridTimes predicted;
};

/// What the actors do: draws, rows, passes and sums of the parts of batches. Every actor touches what the
/// state machine has given it, so that actors need no locks.
class Node final : public Duties {
 public:
  /// All outlive this.
  Node(WorkerParts& worker, const Topology& topology, const BatchSettings& batches, const NodeSettings& node,
       const HybridWork& work);

  /// Places for batches, more than are under way; each keeps what it has allocated.
  static constexpr std::size_t kSlots = 8;

  /// Deals the seeds of a batch; before the machine opens it.
  void deal(const OpenedBatch& openedBatch, std::span<const Vertex> seeds);
  /// Sets the platform's figures to what they are in this iteration of the run; before the machine opens it.
  void drift(std::int64_t iteration);
  /// Plans the iteration that the machine is in, with the mapping's threads; once its batch is drawn. Where
  /// batches are not drawn ahead the draw does it.
  void plan(const Machine& machine, const HybridMapping& mapping);
  void planWhenDrawn(const Machine& machine, const HybridMapping& mapping);

  /// When the iteration begins, and how long a second of modelled time is on that clock; 0: nothing is
  /// modelled.
  void begin(std::int64_t beginNs, double nsPerSecond);

  void perform(const Task& task) override;
  std::int64_t endNs(const Task& task) const override;
  void note(const Actor& actor, const Task& task, const TaskTimes& measuredTimes) override;

  /// What the tasks of a batch take, in seconds, done one after the other on the calling thread. No weight is
  /// stepped, and nothing is counted. As if the batch went through all stages in one iteration.
  std::vector<MeasuredTask> measure(std::int64_t step, std::span<const Vertex> seeds,
                                    const HybridMapping& mapping);
  /// Of the present iteration: what its stages took as measured, in modelled time.
  const HybridTimes& measured() const { return measured_; }
  /// An iteration that was planned is over, after so long.
  void notePlanned(std::int64_t takenNs);
  const Punctuality& punctuality() const { return punctuality_; }

  const IterationPlan& plan() const { return plan_; }
  /// What a batch has been through, in the place of what was noted.
  void setStages(Index number, std::vector<StageRow> stages) { slot(number).stages = std::move(stages); }
  /// Goes on from what was punctual before.
  void countFrom(const Punctuality& punctuality) { punctuality_ = punctuality; }
  const BatchUnderWay& batch(Index number) const { return slots_[at(number) % kSlots]; }
  /// All trainers: the model's, as after an update.
  void takeWeights();
  /// Of each actor, what it did since it was last asked.
  std::span<const ActorSpans> takeSpans();
  /// Adds the trainers' work since it was last asked.
  void takeWork(std::vector<WorkRow>& rows);
  void addTo(Memory& memory) const;
  /// Of all cards.
  CardUse cardUse() const;
  /// Goes on from what cards moved before: what they moved until now, they moved again.
  void countCardsFrom(const CardUse& before);

 private:
  BatchUnderWay& slot(Index number) { return slots_[at(number) % kSlots]; }
  const BatchWork* workOf(Index number) const { return number < 0 ? nullptr : &batch(number).work; }
  void rehearse(const Task& task) const;
  void draw(BatchUnderWay& batch);
  void drawPart(const DrawKey& key, Part& part);
  void load(BatchUnderWay& batch);
  void gather(Part& part, Matrix& rows) const;
  void transfer(Part& part, Device& to) const;
  void sumGradients(BatchUnderWay& batch);
  NotedTask notedOf(const Task& task) const;
  std::int64_t bytesOf(const Task& task) const;
  void notePunctuality(const Task& task, std::int64_t endNs);
  void noteMeasured(const Task& task, double seconds);

  WorkerParts& worker_;
  const Topology& topology_;
  const BatchSettings& batches_;
  const NodeSettings& node_;
  const HybridWork& work_;
  const Rehearsal rehearsal_;
  HybridPlatform platform_;  // as it is now
  IterationPlan plan_;
  const Machine* planned_ = nullptr;  // whose iteration a draw plans
  HybridMapping mapping_;             // with which
  std::int64_t beginNs_ = 0;
  double nsPerSecond_ = 0;
  HybridTimes measured_;
  Punctuality punctuality_;
  CardUse movedBefore_;                         // by a run that goes on
  std::vector<ActorSpans> spans_, takenSpans_;  // by actor; under way, and what was taken last
  std::array<BatchUnderWay, kSlots> slots_;
  std::vector<std::unique_ptr<Device>> trainers_;  // the processors', then the cards'
  // the sampler's
  NeighbourDraw draw_;
  BlockNumbering numbering_;
  std::vector<Vertex> rowNumbers_;
  // the synchroniser's
  std::vector<Weight*> weights_;
};

}  // namespace halo::hyscale
