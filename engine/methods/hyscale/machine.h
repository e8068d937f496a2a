#pragma once

#include <array>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/hybrid/prefetch.h"
#include "engine/methods/hyscale/states.h"

namespace halo::hyscale {

/// What an actor does in one go. `draw` is the sampler's work, `sample` the end of its stage: on modelled
/// devices the blocks are there before the stage's time is over.
enum class Stage : std::uint8_t { draw, sample, load, transfer, train, synchronise, step };
struct Task {
  Stage stage = Stage::draw;
  Index batch = 0;
  int trainer = 0;
  bool operator==(const Task&) const = default;
};

struct Message {
  MessageKind kind = MessageKind::open;
  Index batch = 0;
  int trainer = 0;
  bool operator==(const Message&) const = default;
};

/// A message that the state machine has no row for.
struct WrongMessage : std::logic_error {
  using logic_error::logic_error;
};

/// Batch numbers on their way from one actor to the next, first in first out.
class BatchQueue {
 public:
  static constexpr std::size_t kMost = 10;
  explicit BatchQueue(int capacity = static_cast<int>(kMost)) : capacity_(at(capacity)) {}
  bool empty() const { return size_ == 0; }
  bool hasRoom() const { return size_ < capacity_; }
  int size() const { return static_cast<int>(size_); }
  Index front() const { return items_[begin_]; }
  void push(Index batch);
  Index pop();

 private:
  std::array<Index, kMost> items_{};
  std::size_t capacity_, begin_ = 0, size_ = 0;
};

struct MachineShape {
  int cards = 1;
  Prefetch prefetch = Prefetch::two;
  int queueDepth = 1;
  bool drawsAhead = false;  // a batch is drawn in the iteration before that of its sampling
  Index batches = 0;        // of the run
};

/// HyScale's actors and what goes between them: who may begin what, and when an iteration is over. Iteration
/// t samples batch t, and loads, transfers and trains on those that `lag` says were opened before:
///
///   OPEN   SAMPLED   LOADED   TRANSFERRED   START   DONE × trainers   REDUCED   ACK × trainers   the next
///
/// Queues between samplers, loader, links and trainers are bounded: whoever writes to a full one waits. The
/// processors' trainer has no link, so its queue holds one batch more where transfers have an iteration of
/// their own. The machine computes nothing and knows no clock. One actor has one task at a time. Nothing here
/// is safe to call from two threads at once, and nothing is allocated after construction.
class Machine {
 public:
  explicit Machine(const MachineShape& shape);

  // The runtime.

  /// The batch that iteration t opens; −1: none is left.
  Index opens(Index iteration) const;
  /// Where batches are drawn ahead: opens batch 0, before the first iteration.
  void prime(bool processorsTrain);
  /// Begins an iteration, the next one; with OPEN of the batch that it opens.
  void open(bool processorsTrain);
  /// Whether everything of the present iteration is over.
  bool closed() const;
  /// That there are so many batches; before the first iteration.
  void endAfter(Index batches);
  /// Batches that were opened.
  Index opened() const { return opened_; }
  /// Of the present one, that was opened last; −1: none.
  Index iteration() const { return iteration_; }
  /// Batches that its stages work on; −1: none.
  Index sampling() const { return within(iteration_); }
  Index loading() const { return within(iteration_ - loadLag_); }
  Index transferring() const { return within(iteration_ - transferLag_); }
  Index training() const { return within(iteration_ - trainLag_); }
  /// Iterations from the sampling of a batch to its training.
  Index lag() const { return trainLag_; }

  // The others.

  /// What the actor can begin now.
  std::optional<Task> ready(const Actor& actor) const;
  /// Begins it.
  void take(const Actor& actor, const Task& task);
  /// Whether what it writes to has room.
  bool canFinish(const Task& task) const;
  /// Ends it: its messages go out.
  void finish(const Task& task);
  /// Batches waiting before a stage, as the task would begin.
  int queued(const Task& task) const;

  /// Nothing is begun any more; the first one counts.
  void fail(const Actor& actor, const std::string& reason);
  /// "trainer card 2: …"; empty: nothing failed.
  const std::string& failure() const { return failure_; }

  // What tests look at.

  State stateOf(Index batch, int trainer) const;
  int trainers() const { return shape_.cards + 1; }
  bool trains(Index batch, int trainer) const;
  int doneCount() const { return doneTrainers_; }
  int ackCount() const { return acks_; }
  /// Sends one from an actor of this role. Throws WrongMessage.
  void send(const Message& message, Role sender);
  /// Where messages are noted; nullptr: nowhere.
  void listenTo(std::vector<Message>* log) { log_ = log; }

 private:
  static constexpr std::size_t kSlots = 8;
  struct Slot {
    Index batch = -1;
    bool processorsTrain = true, drawn = false;
    std::vector<State> states;
  };
  Slot& slot(Index batch) { return slots_[at(batch) % kSlots]; }
  const Slot& slot(Index batch) const { return slots_[at(batch) % kSlots]; }
  Index within(Index batch) const { return batch >= 0 && batch < shape_.batches ? batch : -1; }
  int trainersOf(Index batch) const { return shape_.cards + (slot(batch).processorsTrain ? 1 : 0); }
  bool reached(Index batch, State state, bool cardsAlone = false) const;
  void openBatch(Index batch, bool processorsTrain);
  void startReady();
  /// use(trainer) for all that train on the batch.
  template <class Use>
  void eachTrainer(Index batch, const Use& use) const {
    for (int trainer = 0; trainer < trainers(); ++trainer)
      if (trains(batch, trainer)) use(trainer);
  }

  MachineShape shape_;
  Index loadLag_, transferLag_, trainLag_;
  Index iteration_ = -1, opened_ = 0;
  std::array<Slot, kSlots> slots_;
  BatchQueue toDraw_, drawn_, toLoad_;
  std::vector<BatchQueue> toTransfer_, toTrain_;  // by trainer
  std::vector<BatchQueue> toStep_;
  int doneTrainers_ = 0, acks_ = 0;
  bool reducing_ = false;
  std::string failure_;
  std::vector<Message>* log_ = nullptr;
};

/// All but the runtime.
std::vector<Actor> actorsOf(int cards);

}  // namespace halo::hyscale
