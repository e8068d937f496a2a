#include "simulator/kinds/platform_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "engine/base/index.h"

namespace halo::sim {
namespace {

constexpr auto kStages = kHybridStages.size();
constexpr std::array<ActorKind, kStages> kKinds = {
    ActorKind::sampler, ActorKind::sampler, ActorKind::loader,      ActorKind::link,
    ActorKind::trainer, ActorKind::trainer, ActorKind::synchroniser};
constexpr std::array<BatchStage, kStages> kBatchStageOf = {
    BatchStage::sample,    BatchStage::sample,    BatchStage::load,       BatchStage::transfer,
    BatchStage::propagate, BatchStage::propagate, BatchStage::synchronise};

std::int64_t toNs(double seconds) { return std::llround(seconds * 1e9); }

class Rows {
 public:
  Rows(const PlatformRows& rows, SimulationOutcome& outcome)
      : platformRows_(rows),
        outcome_(outcome),
        shown_(std::min(rows.result.iterations.size(), rows.mostShown)) {
    const std::int64_t batch = std::max<std::int64_t>(rows.batch, 1);
    perEpoch_ = std::max<std::int64_t>(1, (rows.work.trainVertices + batch - 1) / batch);
    double begin = 0;
    for (std::size_t i = 0; i < shown_; ++i) {
      begins_.push_back(begin);
      begin += rows.result.iterations[i].seconds;
    }
    begins_.push_back(begin);
  }

  void all() {
    actors();
    for (std::size_t i = 0; i < shown_; ++i)
      if (const std::int64_t batch = iteration(i).trained; batch >= 0) trained(batch, i);
    for (std::size_t i = 0; i < platformRows_.result.decisions.size(); ++i) decided(i);
  }

 private:
  const HybridIteration& iteration(std::size_t i) const { return platformRows_.result.iterations[i]; }

  /// A lane that has no spans is none.
  void actors() {
    for (std::size_t lane = 0; lane < outcome_.lanes.size(); ++lane) {
      const std::string& role = outcome_.lanes[lane].worker.role;
      for (std::size_t stage = 0; stage < kStages; ++stage) {
        if (role != platformRows_.platform.name + ": " + std::string(kHybridStages[stage])) continue;
        actorOf_[stage] = static_cast<std::int64_t>(lane);
        outcome_.actors.push_back({std::ssize(outcome_.actors), static_cast<std::int64_t>(lane),
                                   std::string(kHybridStages[stage]), kKinds[stage], ActorDevice::modelled});
      }
    }
  }

  void trained(std::int64_t batch, std::size_t at) {
    IterationRow row;
    row.epoch = batch / perEpoch_;
    row.iteration = batch % perEpoch_;
    row.beginNs = toNs(begins_[at]);
    row.wallNs = toNs(begins_[at + 1]) - row.beginNs;
    row.modelledNs = row.wallNs;
    row.seeds = platformRows_.batch;
    const int ahead = iterationsAhead(platformRows_.prefetch);
    const std::size_t sampled = at - static_cast<std::size_t>(ahead);
    row.arcs = std::llround(iteration(sampled).sampledEdges);
    outcome_.batches.iterations.push_back(row);
    const std::size_t loaded = sampled + (platformRows_.prefetch == Prefetch::none ? 0 : 1),
                      transferred = loaded + (platformRows_.prefetch == Prefetch::two ? 1 : 0);
    const std::array<std::size_t, kStages> places = {sampled, sampled, loaded, transferred, at, at, at};
    const auto predicted = predictedOf(iteration(sampled).mapping);
    for (std::size_t stage = 0; stage < kStages; ++stage)
      if (actorOf_[stage]) add(row, stage, places[stage], predicted[stage]);
  }

  void add(const IterationRow& iterationRow, std::size_t stage, std::size_t place, double predicted) {
    const HybridIteration& in = iteration(place);
    const double begin = begins_[place] + stageBegins(in.times, platformRows_.prefetch)[stage],
                 length = stageLengths(in.times)[stage];
    if (!(length > 0)) return;
    StageRow row;
    row.epoch = iterationRow.epoch;
    row.iteration = iterationRow.iteration;
    row.stage = kBatchStageOf[stage];
    row.actor = *actorOf_[stage];
    row.beginNs = toNs(begin);
    // a stage ends before the barrier of its iteration, whatever the last bits of the two say
    row.busyNs =
        std::max(std::min(toNs(begin + length), toNs(begins_[place + 1])) - row.beginNs, std::int64_t{0});
    row.modelledNs = row.plannedNs = row.busyNs;
    row.plannedEndNs = row.beginNs + row.busyNs;
    row.predictedNs = toNs(predicted);
    row.bytes = std::llround(bytesOf(in, row.stage));
    outcome_.batches.stages.push_back(row);
  }

  double bytesOf(const HybridIteration& in, BatchStage stage) const {
    if (stage == BatchStage::load) return in.loadedBytes;
    if (stage == BatchStage::transfer) return in.transferredBytes;
    // gradients up, and their mean down
    return stage == BatchStage::synchronise
               ? 2 * platformRows_.platform.cards * modelBytes(platformRows_.work)
               : 0;
  }

  std::array<double, kStages> predictedOf(const HybridMapping& mapping) {
    const auto entry = predicted_.find(mapping);
    if (entry != predicted_.end()) return entry->second;
    const HybridTimes times =
        predictStages(platformRows_.platform, platformRows_.work, platformRows_.sizes, mapping);
    return predicted_.emplace(mapping, stageLengths(times)).first->second;
  }

  void decided(std::size_t number) {
    const std::int64_t first =
        platformRows_.result.decidedAfter[number] + 1;  // batch i is sampled in iteration i
    DecisionRow row =
        decisionRow(platformRows_.result.decisions[number], number, platformRows_.platform.cards);
    row.epoch = first / perEpoch_;
    row.iteration = first % perEpoch_;
    outcome_.batches.decisions.push_back(row);
  }

  const PlatformRows& platformRows_;
  SimulationOutcome& outcome_;
  std::size_t shown_;  // iterations
  std::int64_t perEpoch_ = 1;
  std::vector<double> begins_;  // of each iteration that is shown, and the end of the last
  std::array<std::optional<std::int64_t>, kStages> actorOf_;
  std::map<HybridMapping, std::array<double, kStages>> predicted_;
};

}  // namespace

std::array<double, kHybridStages.size()> stageBegins(const HybridTimes& t, Prefetch prefetch) {
  const bool alone = prefetch == Prefetch::none;
  const double load = alone ? t.sample() : 0;
  const double transfer = prefetch == Prefetch::two ? 0 : load + t.load;
  const double train = alone ? transfer + t.transfer : 0;
  const double sync = train + std::max(t.trainCpu, t.trainCard);
  return {0, 0, load, transfer, train, train, sync};
}

std::array<double, kHybridStages.size()> stageLengths(const HybridTimes& t) {
  return {t.sampleCpu, t.sampleCard, t.load, t.transfer, t.trainCpu, t.trainCard, t.sync};
}

void addRows(const PlatformRows& rows, SimulationOutcome& outcome) { Rows(rows, outcome).all(); }

}  // namespace halo::sim
