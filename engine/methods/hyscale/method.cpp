#include "engine/methods/hyscale/method.h"

#include <algorithm>
#include <optional>

#include "engine/base/index.h"
#include "engine/methods/full_graph/trainer.h"
#include "engine/methods/hyscale/decisions.h"
#include "engine/methods/hyscale/node.h"
#include "engine/methods/hyscale/start_mapping.h"
#include "engine/methods/minibatch/full_scores.h"
#include "engine/methods/minibatch/iteration_notes.h"

namespace halo::hyscale {
namespace {

BatchSettings checkedBatches(const WorkerParts& parts, int cards, std::int64_t trained) {
  const Index vertices = parts.share.graph.globalVertices;
  if (auto problems = batchesProblems(parts.settings, cards, trained, vertices); !problems.empty())
    throw InputError(std::move(problems));
  return batchesOf(parts.settings, cards, trained, vertices);
}

/// Sizes around those that trainers get, for the mapping to begin with.
BatchSizes sizesOf(const WorkerParts& parts, const BatchSettings& batches, int trainers) {
  const std::int64_t all = batches.seeds.globalBatch, each = std::max<std::int64_t>(1, all / trainers);
  SampleRequest request;
  request.fanouts = batches.neighbours.fanouts;
  for (const std::int64_t size : {each / 4, each, all})
    if (size >= 1 && (request.batchSizes.empty() || size > request.batchSizes.back()))
      request.batchSizes.push_back(size);
  request.draws = static_cast<int>(parts.settings.parameters.integer("profile_batches"));
  request.seed = parts.settings.training.seed;
  return BatchSizes(parts.share.graph.own, request, /*threads=*/1);
}

/// The method of one worker: the runtime, and what is told of the training.
class HyScale final : public Trainer {
 public:
  explicit HyScale(WorkerParts& parts)
      : HyScale(parts, nodeSettings(parts.settings), trainingVertices(parts)) {}

  double runEpoch(std::int32_t epoch) override {
    const double sum = Trainer::runEpoch(epoch);
    allArcs_ += counts_.sampledArcs();
    ++epochs_;
    return countedOfEpoch_ > 0 ? sum / countedOfEpoch_ : 0;
  }

  std::vector<Staleness> probeStaleness() override { return {}; }
  const Matrix* logits() const override { return &scores_.outputs(); }
  std::int64_t iterations() const override { return order_.iterations(); }
  BatchSums batchSums() const override { return {notes_.sums(counts_), std::nullopt}; }

  Memory memory() const override {
    Memory bytes{};
    const auto add = [&](MemoryOf what, std::size_t size) {
      bytes[at(what)] += static_cast<std::int64_t>(size);
    };
    add(MemoryOf::features, parts_.share.features.heldBytes());
    nodeWork_.addTo(bytes);
    for (int l = 0; l < parts_.model.layers(); ++l)
      add(MemoryOf::activations, parts_.model.layer(l).heldBytes());
    scores_.addTo(bytes);
    add(MemoryOf::exchange, topology_.heldBytes() + order_.heldBytes());
    return bytes;
  }

  std::map<std::string, double> metrics() const override {
    if (epochs_ == 0) return {};
    return {{"iterations_per_epoch", static_cast<double>(iterations())},
            {"effective_batch", static_cast<double>(order_.globalSeeds(0))},
            {"sampled_arcs_per_epoch", static_cast<double>(allArcs_) / static_cast<double>(epochs_)}};
  }

  std::vector<std::string> marks() const override {
    std::vector<std::string> marks;
    if (node_.modelled) marks.emplace_back("modelled devices");
    if (node_.virtualClock) marks.emplace_back("virtual clock");
    return marks;
  }

 protected:
  Index startEpoch(std::int32_t epoch) override {
    counts_.clear();
    notes_.startEpoch(epoch, iterations());
    countedOfEpoch_ = 0;
    HALO_CHECK(Index{epoch} * iterations() == firstStep_ + trained_ || trained_ == 0);
    if (trained_ == 0) firstStep_ = Index{epoch} * iterations();
    return iterations();
  }

  double pass(std::int32_t /*epoch*/) override {
    notes_.begin();
    do iterate();
    while (machine_.training() != trained_);
    return noteBatch(nodeWork_.batch(trained_++));
  }

  void passEnded() override { notes_.end(); }
  void evaluationPass() override { scores_.make(epoch()); }
  bool evaluatesLastPass() const override { return false; }
  bool updatesOnce() const override { return false; }
  /// The synchroniser has.
  bool updatesNow() const override { return false; }

 private:
  HyScale(WorkerParts& parts, const NodeSettings& node, const TrainingVertices& trained)
      : Trainer(parts),
        node_(node),
        topology_(parts),
        settings_(checkedBatches(parts, node.platform.cards, std::ssize(trained.all))),
        order_(seedOrder(parts.comm, settings_.seeds, trained)),
        trainedWork_(workOf(parts.settings, parts.model.widths(), std::ssize(trained.all))),
        machine_({node_.platform.cards, node_.prefetch, node_.queueDepth, /*drawsAhead=*/false,
                  order_.iterations() * parts.settings.training.epochs}),
        actors_(actorsOf(node_.platform.cards)),
        decisions_(node_,
                   startMapping(node_, trainedWork_, sizesOf(parts, settings_, node_.trainers()),
                                settings_.seeds.globalBatch),
                   machine_.lag(), machine_.lag()),
        nodeWork_(parts, topology_, settings_, node_, trainedWork_),
        counts_(parts.model.layers(), parts.comm.size()),
        notes_(parts),
        scores_(parts, topology_, settings_) {}

  /// One iteration of all stages.
  void iterate() {
    const Index opened = machine_.opens(machine_.iteration() + 1);
    if (opened >= 0) deal(opened);
    nodeWork_.planWhenDrawn(machine_, decisions_.mapping());
    machine_.open(decisions_.mapping().cpuTrains());
    if (opened < 0) nodeWork_.plan(machine_, decisions_.mapping());
    runInOrder(machine_, actors_, nodeWork_);
    const IterationPlan& plan = nodeWork_.plan();
    if (opened >= 0) decisions_.iterationDone(machine_.iteration(), plan.times(), plan.seconds());
  }

  void deal(Index batch) {
    const Index step = firstStep_ + batch, epoch = step / iterations();
    if (epoch != orderedEpoch_) order_.begin(static_cast<std::uint32_t>(epoch));
    orderedEpoch_ = epoch;
    nodeWork_.deal(batch, step, order_.seeds(step % iterations()), decisions_.mapping());
  }

  /// What the iteration counts in the loss of its epoch.
  double noteBatch(const BatchUnderWay& batch) {
    nodeWork_.takeWork(work_);
    for (int l = 0; l < parts_.model.layers(); ++l) {
      BlockRow read;
      for (const Part& part : batch.parts) {
        if (part.isEmpty()) continue;
        read.targets += std::ssize(part.blocks.at(l + 1));
        read.sources += std::ssize(part.blocks.at(l));
        read.arcs += part.blocks.block(l + 1).nonzeros();
        read.nonzeros += part.nonzeros[at(l)];
        counts_.addSampleCpu(l + 1, part.sampleNs[at(l)]);
      }
      notes_.addBlock(l, read);
      counts_.addSampled(read.arcs);
    }
    const auto seeds = static_cast<double>(batch.seeds());
    notes_.addLoss(batch.loss, batch.seeds());
    countedOfEpoch_ += seeds;
    return batch.loss * seeds;
  }

  NodeSettings node_;
  Topology topology_;
  BatchSettings settings_;
  SeedOrder order_;
  HybridWork trainedWork_;
  Machine machine_;
  std::vector<Actor> actors_;
  Decisions decisions_;
  Node nodeWork_;
  PullCounts counts_;  // of this epoch
  IterationNotes notes_;
  FullScores scores_;
  Index firstStep_ = 0, trained_ = 0, orderedEpoch_ = -1;  // batches of this run count from the first step
  double countedOfEpoch_ = 0;
  std::int64_t epochs_ = 0, allArcs_ = 0;
};

}  // namespace

std::unique_ptr<Method> makeMethod(WorkerParts& parts, const Values&) {
  return std::make_unique<HyScale>(parts);
}

}  // namespace halo::hyscale
