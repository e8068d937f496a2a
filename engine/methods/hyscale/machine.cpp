#include "engine/methods/hyscale/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"

namespace halo::hyscale {

void BatchQueue::push(Index batch) {
  HALO_CHECK(hasRoom());
  items_[(begin_ + size_++) % kMost] = batch;
}

Index BatchQueue::pop() {
  HALO_CHECK(!empty());
  const Index batch = items_[begin_];
  begin_ = (begin_ + 1) % kMost;
  --size_;
  return batch;
}

std::vector<Actor> actorsOf(int cards) {
  std::vector<Actor> actors = {{Role::sampler}, {Role::loader}};
  for (int trainer = 1; trainer <= cards; ++trainer) actors.push_back({Role::link, trainer});
  for (int trainer = 0; trainer <= cards; ++trainer) actors.push_back({Role::trainer, trainer});
  actors.push_back({Role::synchroniser});
  return actors;
}

Machine::Machine(const MachineShape& shape)
    : shape_(shape),
      loadLag_(shape.prefetch == Prefetch::none ? 0 : 1),
      transferLag_(shape.prefetch == Prefetch::two ? 2 : loadLag_),
      trainLag_(iterationsAhead(shape.prefetch)),
      toLoad_(shape.queueDepth),
      toTransfer_(at(shape.cards) + 1, BatchQueue(shape.queueDepth)),
      toTrain_(toTransfer_),
      toStep_(at(shape.cards) + 1) {
  HALO_CHECK(shape.cards >= 1 && shape.queueDepth >= 1 && at(shape.queueDepth) < BatchQueue::kMost);
  if (shape.prefetch == Prefetch::two) toTrain_[0] = BatchQueue(shape.queueDepth + 1);
  for (Slot& slot : slots_) slot.states.assign(at(trainers()), State::absent);
}

void Machine::endAfter(Index batches) {
  HALO_CHECK(opened_ == 0 && iteration_ == -1);
  shape_.batches = batches;
}

Index Machine::opens(Index iteration) const { return within(iteration + (shape_.drawsAhead ? 1 : 0)); }

bool Machine::trains(Index batch, int trainer) const { return trainer > 0 || slot(batch).processorsTrain; }

State Machine::stateOf(Index batch, int trainer) const {
  return slot(batch).batch == batch ? slot(batch).states[at(trainer)] : State::absent;
}

void Machine::openBatch(Index batch, bool processorsTrain) {
  HALO_CHECK(batch == opened_++);
  Slot& opened = slot(batch);
  HALO_CHECK(std::ranges::all_of(opened.states, [](State s) { return s == State::absent; }));
  opened.batch = batch;
  opened.processorsTrain = processorsTrain;
  opened.drawn = false;
  eachTrainer(batch, [&](int trainer) { send({MessageKind::open, batch, trainer}, Role::runtime); });
  toDraw_.push(batch);
}

void Machine::prime(bool processorsTrain) {
  HALO_CHECK(shape_.drawsAhead && iteration_ == -1);
  if (within(0) == 0) openBatch(0, processorsTrain);
}

void Machine::open(bool processorsTrain) {
  HALO_CHECK(iteration_ == -1 || closed());
  if (const Index over = training(); iteration_ >= 0 && over >= 0) {
    std::ranges::fill(slot(over).states, State::absent);
    slot(over).batch = -1;
  }
  ++iteration_;
  if (const Index batch = opens(iteration_); batch >= 0) openBatch(batch, processorsTrain);
  startReady();
}

// A part that is where it is trained on is started with its iteration, or as it comes there.
void Machine::startReady() {
  const Index batch = training();
  if (batch < 0 || slot(batch).batch != batch) return;
  eachTrainer(batch, [&](int trainer) {
    const State state = stateOf(batch, trainer);
    if (state == (trainer == 0 ? State::loaded : State::transferred))
      send({MessageKind::start, batch, trainer}, Role::runtime);
  });
}

bool Machine::reached(Index batch, State state, bool cardsAlone) const {
  if (batch < 0) return true;
  if (slot(batch).batch != batch) return false;
  bool all = true;
  eachTrainer(batch, [&](int trainer) {
    if (trainer > 0 || !cardsAlone) all = all && stateOf(batch, trainer) >= state;
  });
  return all;
}

bool Machine::closed() const {
  const Index ahead = iteration_ < 0 ? within(opened_ - 1) : opens(iteration_);
  return toDraw_.empty() && (ahead < 0 || slot(ahead).drawn) && reached(sampling(), State::sampled) &&
         reached(loading(), State::loaded) && reached(transferring(), State::transferred, true) &&
         reached(training(), State::acknowledged);
}

std::optional<Task> Machine::ready(const Actor& actor) const {
  if (!failure_.empty()) return std::nullopt;
  const auto due = [&](const BatchQueue& queue, Index lag) {
    return !queue.empty() && queue.front() <= iteration_ - lag;
  };
  const auto trainer = at(actor.trainer);
  switch (actor.role) {
    case Role::runtime:
      break;
    case Role::sampler:
      if (!toDraw_.empty()) return Task{Stage::draw, toDraw_.front(), 0};
      if (due(drawn_, 0)) return Task{Stage::sample, drawn_.front(), 0};
      break;
    case Role::loader:
      if (due(toLoad_, loadLag_)) return Task{Stage::load, toLoad_.front(), 0};
      break;
    case Role::link:
      if (due(toTransfer_[trainer], transferLag_))
        return Task{Stage::transfer, toTransfer_[trainer].front(), actor.trainer};
      break;
    case Role::trainer:
      if (!toStep_[trainer].empty()) return Task{Stage::step, toStep_[trainer].front(), actor.trainer};
      if (!toTrain_[trainer].empty())
        if (const Index batch = toTrain_[trainer].front();
            stateOf(batch, actor.trainer) == State::propagating)
          return Task{Stage::train, batch, actor.trainer};
      break;
    case Role::synchroniser:
      if (const Index batch = training();
          batch >= 0 && !reducing_ && doneTrainers_ > 0 && doneTrainers_ == trainersOf(batch))
        return Task{Stage::synchronise, batch, 0};
      break;
  }
  return std::nullopt;
}

void Machine::take(const Actor& actor, const Task& task) {
  HALO_CHECK(ready(actor) == task);
  switch (task.stage) {
    case Stage::draw:
      toDraw_.pop();
      break;
    case Stage::sample:
      drawn_.pop();
      break;
    case Stage::load:
      toLoad_.pop();
      break;
    case Stage::transfer:
      toTransfer_[at(task.trainer)].pop();
      break;
    case Stage::train:
      toTrain_[at(task.trainer)].pop();
      break;
    case Stage::synchronise:
      doneTrainers_ = 0;
      reducing_ = true;
      break;
    case Stage::step:
      toStep_[at(task.trainer)].pop();
      break;
  }
}

int Machine::queued(const Task& task) const {
  switch (task.stage) {
    case Stage::load:
      return toLoad_.size();
    case Stage::transfer:
      return toTransfer_[at(task.trainer)].size();
    case Stage::train:
      return toTrain_[at(task.trainer)].size();
    default:
      return 0;
  }
}

bool Machine::canFinish(const Task& task) const {
  if (!failure_.empty()) return true;
  if (task.stage == Stage::sample) return toLoad_.hasRoom();
  if (task.stage == Stage::transfer) return toTrain_[at(task.trainer)].hasRoom();
  if (task.stage != Stage::load) return true;
  bool room = true;
  eachTrainer(task.batch, [&](int trainer) {
    room = room && (trainer == 0 ? toTrain_ : toTransfer_)[at(trainer)].hasRoom();
  });
  return room;
}

void Machine::finish(const Task& task) {
  if (!failure_.empty()) return;
  const Index batch = task.batch;
  switch (task.stage) {
    case Stage::draw:
      slot(batch).drawn = true;
      drawn_.push(batch);
      return;
    case Stage::sample:
      eachTrainer(batch, [&](int i) { send({MessageKind::sampled, batch, i}, Role::sampler); });
      toLoad_.push(batch);
      return;
    case Stage::load:
      eachTrainer(batch, [&](int i) {
        send({MessageKind::loaded, batch, i}, Role::loader);
        (i == 0 ? toTrain_ : toTransfer_)[at(i)].push(batch);
      });
      return startReady();
    case Stage::transfer:
      send({MessageKind::transferred, batch, task.trainer}, Role::link);
      toTrain_[at(task.trainer)].push(batch);
      return startReady();
    case Stage::train:
      send({MessageKind::done, batch, task.trainer}, Role::trainer);
      ++doneTrainers_;
      return;
    case Stage::synchronise:
      reducing_ = false;
      eachTrainer(batch, [&](int i) {
        send({MessageKind::reduced, batch, i}, Role::synchroniser);
        toStep_[at(i)].push(batch);
      });
      return;
    case Stage::step:
      send({MessageKind::ack, batch, task.trainer}, Role::trainer);
      if (++acks_ == trainersOf(batch)) acks_ = 0;
      return;
  }
}

void Machine::send(const Message& message, Role sender) {
  const State from = stateOf(message.batch, message.trainer);
  const bool known = slot(message.batch).batch == message.batch && trains(message.batch, message.trainer);
  const Transition* row = known ? transitionOf(from, message.kind, sender, message.trainer) : nullptr;
  if (row == nullptr)
    throw WrongMessage(fmt::format("{} of batch {} from {} to a part that is {}: {}", nameOf(message.kind),
                                   message.batch, nameOf(Actor{sender, message.trainer}), nameOf(from),
                                   nameOf(Actor{Role::trainer, message.trainer})));
  slot(message.batch).states[at(message.trainer)] = row->to;
  if (log_ != nullptr) log_->push_back(message);
}

void Machine::fail(const Actor& actor, const std::string& reason) {
  if (failure_.empty()) failure_ = nameOf(actor) + ": " + reason;
}

}  // namespace halo::hyscale
