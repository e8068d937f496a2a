#include "engine/methods/hyscale/method.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/methods/contract/ends_together.h"
#include "engine/methods/full_graph/trainer.h"
#include "engine/methods/hyscale/decisions.h"
#include "engine/methods/hyscale/model_fit.h"
#include "engine/methods/hyscale/node.h"
#include "engine/methods/hyscale/start_mapping.h"
#include "engine/methods/hyscale/under_way.h"
#include "engine/methods/minibatch/full_scores.h"
#include "engine/methods/minibatch/iteration_notes.h"
#include "engine/methods/worker/resumable.h"

namespace halo::hyscale {
namespace {

BatchSettings checkedBatches(const WorkerParts& parts, int cards, std::int64_t trained) {
  const Index vertices = parts.share.graph.globalVertices;
  if (auto problems = batchesProblems(parts.settings, cards, trained, vertices); !problems.empty())
    throw InputError(std::move(problems));
  return batchesOf(parts.settings, cards, trained, vertices);
}

/// The method of one worker: the runtime, and what is told of the training.
class HyScale final : public Trainer, public Resumable {
 public:
  explicit HyScale(WorkerParts& parts)
      : HyScale(parts, nodeSettings(parts.settings), trainingVertices(parts)) {}

  double runEpoch(std::int32_t epoch) override {
    if (node_.virtualClock) parts_.tracer.setEnabled(false);  // what it notes is of this machine's clock
    const double sum = Trainer::runEpoch(epoch);
    epochClock_.endNs = nowNs_;
    allArcs_ += counts_.sampledArcs();
    ++epochs_;
    if (epoch + 1 == parts_.settings.training.epochs) refuseLate();
    return countedOfEpoch_ > 0 ? sum / countedOfEpoch_ : 0;
  }

  std::vector<Staleness> probeStaleness() override { return {}; }
  const Matrix* logits() const override { return &scores_.outputs(); }
  std::int64_t iterations() const override { return order_.iterations(); }
  BatchSums batchSums() const override { return {notes_.sums(counts_), std::nullopt}; }
  std::vector<ActorRow> actors() const override { return actorRows(node_.platform.cards, node_.cardsAre()); }
  void finish() override { crew_.reset(); }

  void keep(ByteWriter& out, const ResumePoint& next) const override {
    HALO_CHECK(stepOf(next) == firstStep_ + trained_);
    out.value(epochs_);
    out.value(allArcs_);
    out.value(nowNs_ + next.shiftNs);
    out.value(devices_.punctuality());
    out.value(dilation_);
    out.value(least_.factor);
    fit_.keep(out);
    decisions_.keep(out, firstStep_, machine_.iteration() + 1);
    UnderWay::keep(out, machine_, devices_, trained_, next.shiftNs);
    ByteWriter ofEpoch;
    if (next.iteration > 0) keepEpoch(ofEpoch, next);
    out.array(ofEpoch.take());
  }
  void resume(ByteReader& in, const ResumePoint& next) override {
    resumed_ = next;
    firstStep_ = stepOf(next);
    epochs_ = in.value<std::int64_t>();
    allArcs_ = in.value<std::int64_t>();
    nowNs_ = in.value<std::int64_t>() - next.shiftNs;
    devices_.countFrom(in.value<Punctuality>());
    // all times of a run are of one dilation, whatever this machine would need now
    dilation_ = in.value<double>();
    least_.factor = in.value<double>();
    fit_.resume(in);
    decisions_.resume(in, firstStep_, machine_.lag());
    underWay_.resume(in, next.shiftNs);
    in.array(keptOfEpoch_);
    machine_.endAfter(parts_.settings.training.epochs * iterations() - firstStep_);
    devices_.takeWeights();
  }
  std::int64_t toldDecisions() const override { return static_cast<std::int64_t>(decisions_.forgotten()); }

  std::optional<EpochClock> modelledEpoch() const override {
    return node_.virtualClock ? std::optional(epochClock_) : std::nullopt;
  }

  Memory memory() const override {
    Memory bytes{};
    const auto add = [&](MemoryOf category, std::size_t size) {
      bytes[at(category)] += static_cast<std::int64_t>(size);
    };
    add(MemoryOf::features, parts_.share.features.heldBytes());
    devices_.addTo(bytes);
    for (int l = 0; l < parts_.model.layers(); ++l)
      add(MemoryOf::activations, parts_.model.layer(l).heldBytes());
    scores_.addTo(bytes);
    add(MemoryOf::exchange, topology_.heldBytes() + order_.heldBytes());
    return bytes;
  }

  std::map<std::string, double> metrics() const override {
    if (epochs_ == 0) return {};
    const HybridMapping& mapping = decisions_.mapping();
    std::map<std::string, double> figures = {
        {"iterations_per_epoch", static_cast<double>(iterations())},
        {"effective_batch", static_cast<double>(order_.globalSeeds(0))},
        {"sampled_arcs_per_epoch", static_cast<double>(allArcs_) / static_cast<double>(epochs_)},
        {"cpu_share", static_cast<double>(mapping.cpuSeeds) / static_cast<double>(mapping.batch)},
        {"decisions", static_cast<double>(decisions_.count())},
        {"windows_to_rest", static_cast<double>(decisions_.windowsToRest())}};
    if (node_.openCl) {
      const CardUse use = devices_.cardUse();
      figures["card_memory_bytes"] = static_cast<double>(use.memoryBytes);
      figures["card_bytes_up_per_epoch"] = static_cast<double>(use.bytesUp) / static_cast<double>(epochs_);
      figures["card_bytes_down_per_epoch"] =
          static_cast<double>(use.bytesDown) / static_cast<double>(epochs_);
    }
    if (isPaced()) figures["late_share"] = devices_.punctuality().share();
    fit_.addTo(figures);
    return figures;
  }

  std::map<std::string, std::string> findings() const override {
    std::map<std::string, std::string> results = {
        {"result.batch", std::to_string(settings_.seeds.globalBatch)},
        {"result.cpu_threads", std::to_string(node_.platform.cpuThreads)},
        {"result.cards", std::to_string(node_.platform.cards)}};
    if (isPaced()) {
      results["result.dilation"] = toText(Value(dilation_));
      results["result.least_dilation"] = toText(Value(least_.factor));
    }
    return results;
  }

  std::vector<std::string> marks() const override {
    std::vector<std::string> marks;
    if (node_.modelled) marks.emplace_back("modelled devices");
    if (isPaced() && dilation_ > 1) marks.emplace_back("dilated");
    if (node_.virtualClock) marks.emplace_back("virtual clock");
    return marks;
  }

 protected:
  Index startEpoch(std::int32_t epoch) override {
    counts_.clear();
    notes_.startEpoch(epoch, iterations());
    countedOfEpoch_ = 0;
    if (resumed_ && trained_ == 0) {
      redoUnderWay();
    } else if (trained_ == 0) {
      firstStep_ = Index{epoch} * iterations();
      nowNs_ = wallNs();
    }
    epochClock_.beginNs = nowNs_;
    Index begun = 0;  // iterations of the epoch
    if (const std::string kept = std::exchange(keptOfEpoch_, {}); !kept.empty()) {
      resumeEpoch(kept);
      begun = resumed_->iteration;
    }
    HALO_CHECK(Index{epoch} * iterations() + begun == firstStep_ + trained_);
    return iterations() - begun;
  }

  double pass(std::int32_t /*epoch*/) override {
    do iterate();
    while (machine_.training() != trained_);
    notes_.begin(beganNs_);
    return noteBatch(devices_.batch(trained_++));
  }

  void passEnded() override { notes_.end(nowNs_); }
  void evaluationPass() override { scores_.make(epoch()); }
  bool evaluatesLastPass() const override { return false; }
  bool updatesOnce() const override { return false; }
  /// The synchroniser has stepped.
  bool updatesNow() const override { return false; }

 private:
  HyScale(WorkerParts& parts, const NodeSettings& node, const TrainingVertices& trained)
      : Trainer(parts),
        node_(node),
        topology_(parts),
        settings_(checkedBatches(parts, node.platform.cards, std::ssize(trained.vertices))),
        order_(seedOrder(parts.comm, settings_.seeds, trained)),
        trainedWork_(workOf(parts.settings, parts.model.widths(), std::ssize(trained.vertices))),
        sizes_(sizesOf(parts, settings_, node_.trainers())),
        machine_({node_.platform.cards, node_.prefetch, node_.queueDepth, drawsAhead(),
                  order_.iterations() * parts.settings.training.epochs}),
        actors_(actorsOf(node_.platform.cards)),
        decisions_(node_, startMapping(node_, trainedWork_, sizes_, settings_.seeds.globalBatch),
                   machine_.lag(), machine_.lag() + (drawsAhead() ? 1 : 0)),
        devices_(parts, topology_, settings_, node_, trainedWork_),
        counts_(parts.model.layers(), parts.comm.size()),
        notes_(parts),
        scores_(parts, topology_, settings_) {
    if (isPaced()) findDilation();
  }

  /// Whether tasks are waited for until their time is over.
  bool isPaced() const { return node_.modelled && !node_.virtualClock; }
  bool drawsAhead() const { return isPaced(); }

  void findDilation() {
    constexpr Index kBatches = 3;
    constexpr auto kWarm = static_cast<Index>(Node::kSlots);  // the first of a place pays for its memory
    order_.begin(0);
    std::vector<std::vector<MeasuredTask>> measured;
    for (Index batch = 0; batch < kWarm + kBatches; ++batch) {
      auto tasks = devices_.measure(batch, order_.seeds(batch % iterations()), decisions_.mapping());
      if (batch >= kWarm) measured.push_back(std::move(tasks));
    }
    least_ = leastDilation(mediansOf(measured), availableCores());
    dilation_ = node_.dilation > 0 ? node_.dilation : automaticDilation(least_.factor);
    if (const std::string why = tooSmall(least_, dilation_); !why.empty())
      throw InputError({.key = "run.dilation", .message = why});
  }

  /// What was late makes the times of the run those of this machine.
  void refuseLate() const {
    if (!isPaced()) return;
    if (const std::string why = unpunctual(devices_.punctuality(), dilation_); !why.empty())
      throw EndsTogether(why);
  }

  Index stepOf(const ResumePoint& point) const { return Index{point.epoch} * iterations() + point.iteration; }

  void keepEpoch(ByteWriter& out, const ResumePoint& next) const {
    out.value(loss_);
    out.value(countedOfEpoch_);
    out.value(epochClock_.beginNs + next.shiftNs);
    out.array(work_);
    counts_.keep(out);
    notes_.keep(out);
  }
  void resumeEpoch(const std::string& kept) {
    ByteReader in(kept);
    loss_ = in.value<double>();
    countedOfEpoch_ = in.value<double>();
    epochClock_.beginNs = in.value<std::int64_t>() - resumed_->shiftNs;
    in.array(work_);
    counts_.resume(in);
    notes_.resume(in, resumed_->iteration);
  }

  /// Takes the batches that were under way to where they were, in no time.
  void redoUnderWay() {
    const std::int64_t nowNs = nowNs_;
    redoing_ = true;
    while (machine_.iteration() + 1 < machine_.lag()) runStages();
    redoing_ = false;
    nowNs_ = nowNs;
    devices_.takeSpans();
    underWay_.restoreTo(devices_);
  }

  void iterate() {
    const Index opened = runStages();
    const double seconds = modelledSeconds();
    const HybridTimes& times = node_.virtualClock ? devices_.plan().times() : devices_.measured();
    if (opened < 0) return;
    if (machine_.training() >= 0)  // all stages work
      fit_.add(predicted_, predicted_.iteration(node_.prefetch), times, seconds);
    decisions_.iterationDone(machine_.iteration(), times, seconds, opened + 1);
  }

  /// One iteration of all stages; the batch that it opened, or below 0.
  Index runStages() {
    const Index opened = machine_.opens(machine_.iteration() + 1);
    devices_.drift(firstStep_ + machine_.iteration() + 1);
    try {
      if (opened >= 0) deal(opened);
      node_.virtualClock ? iterateInOrder(opened) : iterateInTime();
    } catch (const ActorFailed& failed) {
      crew_.reset();
      throw EndsTogether(failed.what());
    }
    return opened;
  }

  /// How a batch is dealt.
  const HybridMapping& mappingOf(Index batch) const { return underWay_.mapping(batch, decisions_.mapping()); }

  double modelledSeconds() const {
    if (node_.virtualClock) return devices_.plan().seconds();
    return static_cast<double>(nowNs_ - beganNs_) / (kNsPerSecond * (isPaced() ? dilation_ : 1));
  }

  void iterateInOrder(Index opened) {
    beganNs_ = nowNs_;
    devices_.begin(nowNs_, kNsPerSecond);
    devices_.planWhenDrawn(machine_, decisions_.mapping());
    machine_.open(mappingOf(opened).cpuTrains());
    if (opened < 0) devices_.plan(machine_, decisions_.mapping());
    runInOrder(machine_, actors_, devices_);
    nowNs_ += std::llround(devices_.plan().seconds() * kNsPerSecond);
  }

  void iterateInTime() {
    if (!crew_) crew_.emplace(machine_, actors_, devices_);
    if (machine_.iteration() < 0 && drawsAhead()) {
      deal(0);
      crew_->iterate([&] { machine_.prime(mappingOf(0).cpuTrains()); });
    }
    crew_->iterate([&] {
      machine_.open(mappingOf(machine_.opened()).cpuTrains());
      if (isPaced()) devices_.plan(machine_, decisions_.mapping());
      beganNs_ = wallNs();
      devices_.begin(beganNs_, isPaced() && !redoing_ ? dilation_ * kNsPerSecond : 0);
    });
    nowNs_ = wallNs();
    devices_.notePlanned(nowNs_ - beganNs_);
  }

  void deal(Index batch) {
    const Index step = firstStep_ + batch, epoch = step / iterations();
    if (epoch != orderedEpoch_) order_.begin(static_cast<std::uint32_t>(epoch));
    orderedEpoch_ = epoch;
    const HybridMapping& mapping = mappingOf(batch);
    if (mapping != predictedFor_) {
      predictedFor_ = mapping;
      predicted_ = predictStages(node_.platform, trainedWork_, sizes_, mapping);
    }
    devices_.deal({batch, epoch, step % iterations(), step, mapping, predicted_},
                  order_.seeds(step % iterations()));
  }

  /// What the iteration counts in the loss of its epoch.
  double noteBatch(const BatchUnderWay& batch) {
    devices_.takeWork(work_);
    for (int l = 0; l < parts_.model.layers(); ++l) {
      const BlockRow read = batch.readIn(l);
      counts_.addSampleCpu(l + 1, read.sampleCpuNs);
      notes_.addBlock(l, read);
      counts_.addSampled(read.arcs);
    }
    notes_.addLoss(batch.loss, batch.seeds());
    Iteration& present = notes_.present();
    if (node_.modelled) present.modelledNs = std::llround(modelledSeconds() * kNsPerSecond);
    present.stages = batch.stages;
    present.actors = devices_.takeSpans();
    decisionRows_.clear();
    for (DecisionRow row : decisions_.takeRows()) {
      const Index step = firstStep_ + row.iteration;
      row.epoch = step / iterations();
      row.iteration = step % iterations();
      decisionRows_.push_back(row);
    }
    present.decisions = decisionRows_;
    const auto seeds = static_cast<double>(batch.seeds());
    countedOfEpoch_ += seeds;
    return batch.loss * seeds;
  }

  static constexpr double kNsPerSecond = 1e9;

  NodeSettings node_;
  Topology topology_;
  BatchSettings settings_;
  SeedOrder order_;
  HybridWork trainedWork_;
  BatchSizes sizes_;
  Machine machine_;
  std::vector<Actor> actors_;
  Decisions decisions_;
  Node devices_;
  LeastDilation least_;
  double dilation_ = 1;
  PullCounts counts_;  // of this epoch
  IterationNotes notes_;
  std::vector<DecisionRow> decisionRows_;
  FullScores scores_;
  HybridMapping predictedFor_;
  HybridTimes predicted_;
  Index firstStep_ = 0, trained_ = 0, orderedEpoch_ = -1;  // batches of this run count from the first step
  std::int64_t beganNs_ = 0, nowNs_ = 0;                   // of the present iteration
  EpochClock epochClock_;
  double countedOfEpoch_ = 0;
  std::int64_t epochs_ = 0, allArcs_ = 0;
  ModelFit fit_;
  std::optional<ResumePoint> resumed_;  // where the run goes on
  UnderWay underWay_;                   // there
  std::string keptOfEpoch_;             // sums of that epoch, until it goes on
  bool redoing_ = false;                // what is done is noted already
  std::optional<Crew> crew_;            // last: its threads use all of the above
};

}  // namespace

std::unique_ptr<Method> makeMethod(WorkerParts& parts, const Values&) {
  return std::make_unique<HyScale>(parts);
}

}  // namespace halo::hyscale
