#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace halo {

// Rows of runs whose rank trains with several devices at once (HyScale), as in rows.h. Times in ns.
//
// A run's clock is real or virtual. On a real clock begin_ns and its like are of the wall, κ times as long as
// what is modelled (result.dilation). On it planned_ns, predicted_ns, modelled_ns, before_ns and after_ns are
// modelled time, undilated. On a virtual clock all are modelled time.

/// What an actor is for. The text is stored: append, never rename.
enum class ActorKind : std::uint8_t { runtime, sampler, loader, link, trainer, synchroniser };
std::string_view text(ActorKind kind);

/// What an actor runs on. This is threads of this machine as they are, a device that a plan stands for, or a
/// card of OpenCL. The card's link and trainer drive it. The text is stored: append, never rename.
enum class ActorDevice : std::uint8_t { host, modelled, opencl };
std::string_view text(ActorDevice device);

/// Of a span that the rank itself did.
constexpr std::int64_t kNoActor = -1;

/// One who does a part of a batch: a thread of a rank.
struct ActorRow {
  std::int64_t actor = 0;  // of the run, from 0, in the order of the stages
  std::int64_t rank = 0;
  std::string name;  // "card 2: train"
  ActorKind kind = ActorKind::runtime;
  ActorDevice device = ActorDevice::host;
};

/// What is done with a batch, in this order.
enum class BatchStage : std::uint8_t { sample, load, transfer, propagate, synchronise };
constexpr int kBatchStages = 5;
std::string_view text(BatchStage stage);

/// What one actor did for one batch in one stage.
struct StageRow {
  std::int64_t epoch = 0, iteration = 0;  // of the batch, which may have been drawn iterations before
  BatchStage stage = BatchStage::sample;
  std::int64_t actor = 0;
  std::int64_t beginNs = 0;  // on the run's clock
  std::int64_t busyNs = 0;   // on the run's clock; with what a modelled device sleeps
  std::int64_t waitNs = 0;   // on the run's clock, after busyNs: the queue behind the stage is full
  std::optional<std::int64_t> modelledNs;    // modelled time that it took
  std::optional<std::int64_t> plannedNs;     // modelled time by the event race of the drawn blocks
  std::optional<std::int64_t> plannedEndNs;  // on the run's clock: begin of the iteration + κ (planned end)
  std::optional<std::int64_t> predictedNs;   // modelled time by the performance model, equations 7 to 13
  std::int64_t bytes = 0;                    // loaded, over the link, or of gradients
  std::int64_t queued = 0;                   // batches that waited before the stage as it began
};

/// What the resource manager did. The text is stored: append, never rename.
enum class MappingAction : std::uint8_t {
  start,     // decision 0: the mapping that the run begins with
  work,      // seeds between processors and cards, by how fast they are
  step,      // seeds between processors and cards, by a small step
  threads,   // between sampling, loading and training
  sampling,  // neighbours sampled between processors and cards
  rest,      // nothing is left to try
};
std::string_view text(MappingAction action);

/// Who gives and who gets: cpu and cards of work, step and sampling; sample, load and train of threads.
enum class MappingPart : std::uint8_t { none, cpu, cards, sample, load, train };
std::string_view text(MappingPart part);  // of none ""

enum class DecisionOutcome : std::uint8_t {
  open,    // the run ended before it was judged
  kept,    // iterations got shorter; also of decision 0
  undone,  // they did not: the next decision begins with the mapping that stood before this one
  rest,    // of action rest
};
std::string_view text(DecisionOutcome outcome);

/// A decision of the resource manager, and the mapping that it made. An undone one has no second row: what
/// follows begins with the mapping of the last decision before it that was not undone.
struct DecisionRow {
  std::int64_t decision = 0;              // of the run, from 0
  std::int64_t epoch = 0, iteration = 0;  // first batch that is opened with the mapping
  MappingAction action = MappingAction::start;
  MappingPart takenFrom = MappingPart::none, givenTo = MappingPart::none;
  // the mapping after it
  std::int64_t cpuSeeds = 0;
  std::int64_t cardSeeds = 0;  // of the card that has most: 0 ≤ cpuSeeds + cards · cardSeeds − batch < cards
  std::int64_t sampleThreads = 0, loadThreads = 0, trainThreads = 0;
  double cardSampleShare = 0;  // of the neighbours, sampled on cards: 0 … 1
  // an iteration's modelled time, median of the window before, and of the one that it had to itself
  std::optional<std::int64_t> beforeNs, afterNs;
  DecisionOutcome outcome = DecisionOutcome::open;
};

/// Back from text(); none: no such word.
std::optional<ActorKind> actorKindOf(std::string_view word);
std::optional<ActorDevice> actorDeviceOf(std::string_view word);
std::optional<BatchStage> batchStageOf(std::string_view word);
std::optional<MappingAction> mappingActionOf(std::string_view word);
std::optional<MappingPart> mappingPartOf(std::string_view word);
std::optional<DecisionOutcome> decisionOutcomeOf(std::string_view word);

}  // namespace halo
