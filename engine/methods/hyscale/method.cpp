#include "engine/methods/hyscale/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/index.h"
#include "engine/base/parallel.h"
#include "engine/methods/contract/ends_together.h"
#include "engine/methods/full_graph/trainer.h"
#include "engine/methods/hyscale/decisions.h"
#include "engine/methods/hyscale/even_sample.h"
#include "engine/methods/hyscale/node.h"
#include "engine/methods/hyscale/start_mapping.h"
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

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The same tasks, measured several times: of each the median.
std::vector<MeasuredTask> mediansOf(const std::vector<std::vector<MeasuredTask>>& batches) {
  std::vector<MeasuredTask> medians = batches.front();
  for (std::size_t task = 0; task < medians.size(); ++task)
    for (double MeasuredTask::*time : {&MeasuredTask::cpu, &MeasuredTask::modelled}) {
      std::vector<double> values;
      for (const auto& batch : batches) values.push_back(batch[task].*time);
      medians[task].*time = medianOf(std::move(values));
    }
  return medians;
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

  // Batches under way are drawn again.
  void keep(ByteWriter& out) const override {
    out.value(epochs_);
    out.value(allArcs_);
    decisions_.keep(out, firstStep_);
  }
  void resume(ByteReader& in, std::int32_t epoch) override {
    epochs_ = in.value<std::int64_t>();
    allArcs_ = in.value<std::int64_t>();
    decisions_.resume(in, Index{epoch} * iterations());
    machine_.endAfter((parts_.settings.training.epochs - Index{epoch}) * iterations());
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
    if (!hidden_.empty()) figures["prefetch_hidden_share"] = hidden_.median();
    for (const auto& [metric, errors] : errors_) figures[metric] = errors.median();
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
    if (trained_ == 0) {
      firstStep_ = Index{epoch} * iterations();
      nowNs_ = wallNs();
    }
    HALO_CHECK(Index{epoch} * iterations() == firstStep_ + trained_);
    epochClock_.beginNs = nowNs_;
    return iterations();
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
        settings_(checkedBatches(parts, node.platform.cards, std::ssize(trained.all))),
        order_(seedOrder(parts.comm, settings_.seeds, trained)),
        trainedWork_(workOf(parts.settings, parts.model.widths(), std::ssize(trained.all))),
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
    if (dilation_ >= least_.factor) return;
    throw InputError({"", 0, 0, "run.dilation",
                      fmt::format("{:g} cannot be used; '{}' ends at {:.3g} times its modelled time on this "
                                  "machine; at least {:g}",
                                  dilation_, least_.binding, least_.factor, roundedUp(least_.factor))});
  }

  /// What was late makes the times of the run those of this machine.
  void refuseLate() const {
    constexpr double kMostLate = 0.01;
    const Node::Punctuality& punctual = devices_.punctuality();
    if (!isPaced() || punctual.share() <= kMostLate) return;
    throw EndsTogether(fmt::format(
        "{} of {} tasks ended later than modelled; dilation is {:g}, at least {:g} is "
        "needed on this machine as busy as it was",
        punctual.late, punctual.tasks, dilation_, roundedUp(dilation_ * std::max(1.0, punctual.worst))));
  }

  /// One iteration of all stages.
  void iterate() {
    const Index opened = machine_.opens(machine_.iteration() + 1);
    devices_.drift(firstStep_ + machine_.iteration() + 1);
    try {
      if (opened >= 0) deal(opened);
      node_.virtualClock ? iterateInOrder(opened) : iterateInTime();
    } catch (const ActorFailed& failed) {
      crew_.reset();
      throw EndsTogether(failed.what());
    }
    const double seconds = modelledSeconds();
    const HybridTimes& times = node_.virtualClock ? devices_.plan().times() : devices_.measured();
    if (opened >= 0) {
      noteHidden(times, seconds);
      noteErrors(times, seconds);
      decisions_.iterationDone(machine_.iteration(), times, seconds, opened + 1);
    }
  }

  double modelledSeconds() const {
    if (node_.virtualClock) return devices_.plan().seconds();
    return static_cast<double>(nowNs_ - beganNs_) / (kNsPerSecond * (isPaced() ? dilation_ : 1));
  }

  void iterateInOrder(Index opened) {
    beganNs_ = nowNs_;
    devices_.begin(nowNs_, kNsPerSecond);
    devices_.planWhenDrawn(machine_, decisions_.mapping());
    machine_.open(decisions_.mapping().cpuTrains());
    if (opened < 0) devices_.plan(machine_, decisions_.mapping());
    runInOrder(machine_, actors_, devices_);
    nowNs_ += std::llround(devices_.plan().seconds() * kNsPerSecond);
  }

  void iterateInTime() {
    if (!crew_) crew_.emplace(machine_, actors_, devices_);
    if (machine_.iteration() < 0 && drawsAhead()) {
      deal(0);
      crew_->iterate([&] { machine_.prime(decisions_.mapping().cpuTrains()); });
    }
    crew_->iterate([&] {
      machine_.open(decisions_.mapping().cpuTrains());
      if (isPaced()) devices_.plan(machine_, decisions_.mapping());
      beganNs_ = wallNs();
      devices_.begin(beganNs_, isPaced() ? dilation_ * kNsPerSecond : 0);
    });
    nowNs_ = wallNs();
  }

  void deal(Index batch) {
    const Index step = firstStep_ + batch, epoch = step / iterations();
    if (epoch != orderedEpoch_) order_.begin(static_cast<std::uint32_t>(epoch));
    orderedEpoch_ = epoch;
    const HybridMapping& mapping = decisions_.mapping();
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

  /// How far the model is off, once all stages work.
  void noteErrors(const HybridTimes& times, double seconds) {
    if (machine_.training() < 0) return;
    const double predicted = predicted_.iteration(node_.prefetch);
    for (const auto& [metric, error] : predictionErrors(predicted_, predicted, times, seconds))
      errors_[metric].add(error);
  }

  /// How much of what stages take in all is beside the longest.
  void noteHidden(const HybridTimes& times, double seconds) {
    const double stages[] = {times.sample(), times.load, times.transfer, times.propagate()};
    const double all = std::accumulate(std::begin(stages), std::end(stages), 0.0);
    const double most = std::ranges::max(stages);
    // on the host, handing over may take longer than the stages
    if (machine_.training() >= 0 && all > most)
      hidden_.add(std::clamp((all - seconds) / (all - most), 0.0, 1.0));
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
  EvenSample hidden_;                         // of iterations, as are the next
  std::map<std::string, EvenSample> errors_;  // by metric
  std::optional<Crew> crew_;                  // last: its threads use all of the above
};

}  // namespace

std::unique_ptr<Method> makeMethod(WorkerParts& parts, const Values&) {
  return std::make_unique<HyScale>(parts);
}

}  // namespace halo::hyscale
