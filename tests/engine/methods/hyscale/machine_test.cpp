// The actors of hyscale under schedules that are drawn: whoever can do something is next. Nothing is
// computed.
#include "engine/methods/hyscale/machine.h"
#include "engine/base/index.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "engine/base/philox.h"
#include "engine/methods/hyscale/drivers.h"

using namespace halo;
using namespace halo::hyscale;

namespace {

/// What a schedule is drawn with.
struct Drawn {
  MachineShape shape;
  bool mixed = false;  // whether processors train on some batches alone
  std::uint64_t seed = 0;
};

std::vector<Drawn> shapes() {
  std::vector<Drawn> all;
  for (const Prefetch prefetch : {Prefetch::none, Prefetch::one, Prefetch::two})
    for (const int cards : {1, 2, 5})
      for (const int depth : {1, 2, 8})
        for (const bool ahead : {false, true})
          for (const bool mixed : {false, true}) all.push_back({{cards, prefetch, depth, ahead, 9}, mixed});
  return all;
}

/// Tasks that have begun end in any order too.
class RandomSchedule {
 public:
  explicit RandomSchedule(const Drawn& drawn)
      : drawn_(drawn),
        machine_(drawn.shape),
        actors_(actorsOf(drawn.shape.cards)),
        random_(drawn.seed, Purpose::shuffle, 0) {
    machine_.listenTo(&log_);
    running_.resize(actors_.size());
  }

  void run() {
    if (drawn_.shape.drawsAhead) {
      machine_.prime(trainsOn(0));
      finishIteration();
    }
    for (Index t = 0; t < drawn_.shape.batches + machine_.lag(); ++t) {
      machine_.open(trainsOn(machine_.opens(t)));
      finishIteration();
      CHECK(machine_.doneCount() == 0);
      CHECK(machine_.ackCount() == 0);
    }
  }

  bool trainsOn(Index batch) const { return !drawn_.mixed || batch % 2 == 0; }
  const std::vector<Message>& log() const { return log_; }
  const std::vector<Task>& tasks() const { return tasks_; }

 private:
  void finishIteration() {
    while (!machine_.closed()) {
      std::vector<std::size_t> enabled;
      for (std::size_t a = 0; a < actors_.size(); ++a)
        if (running_[a] ? machine_.canFinish(*running_[a]) : machine_.ready(actors_[a]).has_value())
          enabled.push_back(a);
      REQUIRE_FALSE(enabled.empty());
      const std::size_t a = enabled[random_.below(enabled.size())];
      if (!running_[a]) {
        running_[a] = machine_.ready(actors_[a]);
        machine_.take(actors_[a], *running_[a]);
        continue;
      }
      machine_.finish(*running_[a]);
      tasks_.push_back(*running_[a]);
      running_[a].reset();
    }
  }

  Drawn drawn_;
  Machine machine_;
  std::vector<Actor> actors_;
  std::vector<std::optional<Task>> running_;
  PhiloxStream random_;
  std::vector<Message> log_;
  std::vector<Task> tasks_;
};

/// Of each part of each batch, its messages in the order in which they were sent.
std::map<std::pair<Index, int>, std::vector<MessageKind>> byPart(const std::vector<Message>& log) {
  std::map<std::pair<Index, int>, std::vector<MessageKind>> parts;
  for (const Message& message : log) parts[{message.batch, message.trainer}].push_back(message.kind);
  return parts;
}

}  // namespace

TEST_CASE("under any schedule no batch is lost, trained on twice or out of order", "[hyscale]") {
  constexpr int kSchedules = 10'000;
  using enum MessageKind;
  const std::vector<MessageKind> ofCards = {open, sampled, loaded, transferred, start, done, reduced, ack},
                                 ofProcessors = {open, sampled, loaded, start, done, reduced, ack};
  const std::vector<Drawn> all = shapes();
  for (int s = 0; s < kSchedules; ++s) {
    Drawn drawn = all[at(s) % all.size()];
    drawn.seed = static_cast<std::uint64_t>(s);
    CAPTURE(s, drawn.shape.cards, static_cast<int>(drawn.shape.prefetch), drawn.shape.queueDepth);
    RandomSchedule schedule(drawn);
    schedule.run();
    const auto parts = byPart(schedule.log());
    std::size_t expected = 0;
    bool right = true;
    for (Index batch = 0; batch < drawn.shape.batches; ++batch)
      for (int trainer = 0; trainer <= drawn.shape.cards; ++trainer) {
        if (trainer == 0 && !schedule.trainsOn(batch)) continue;
        ++expected;
        const auto part = parts.find({batch, trainer});
        right = right && part != parts.end() && part->second == (trainer == 0 ? ofProcessors : ofCards);
      }
    CHECK(right);
    CHECK(parts.size() == expected);
    // each actor does the batches in their order
    std::map<std::pair<Stage, int>, Index> last;
    bool ordered = true;
    for (const Task& task : schedule.tasks()) {
      const auto [at, first] = last.try_emplace({task.stage, task.trainer}, -1);
      ordered = ordered && task.batch > at->second;
      at->second = task.batch;
    }
    CHECK(ordered);
  }
}

TEST_CASE("every state but the last is left by a message, and every message is of one row a state",
          "[hyscale]") {
  std::set<State> left, entered;
  for (const Transition& row : kTransitions) {
    left.insert(row.from);
    entered.insert(row.to);
    for (const int trainer : {0, 1}) {
      if (row.trainers == Trainers::cards && trainer == 0) continue;
      if (row.trainers == Trainers::processors && trainer == 1) continue;
      CHECK(transitionOf(row.from, row.message, row.sender, trainer) == &row);
    }
  }
  CHECK(left.size() == 8);
  CHECK(entered.size() == 8);
  CHECK(left.contains(State::absent));
  CHECK_FALSE(entered.contains(State::absent));
  CHECK_FALSE(left.contains(State::acknowledged));
}

TEST_CASE("a message that comes in a wrong state names state, batch and actor", "[hyscale]") {
  const MachineShape shape{2, Prefetch::two, 1, false, 3};
  // every message but the right one, in every state that a part comes to
  Machine machine(shape);
  CHECK_THROWS_AS(machine.send({MessageKind::sampled, 0, 1}, Role::sampler), WrongMessage);
  machine.open(true);
  CHECK_THROWS_WITH(machine.send({MessageKind::done, 0, 2}, Role::trainer),
                    "DONE of batch 0 from trainer card 1 to a part that is idle: trainer card 1");
  CHECK_THROWS_WITH(machine.send({MessageKind::open, 0, 0}, Role::runtime),
                    "OPEN of batch 0 from runtime to a part that is idle: trainer processors");
  CHECK_THROWS_AS(machine.send({MessageKind::sampled, 0, 1}, Role::loader), WrongMessage);
  CHECK_THROWS_AS(machine.send({MessageKind::sampled, 1, 1}, Role::sampler), WrongMessage);
  machine.send({MessageKind::sampled, 0, 0}, Role::sampler);
  CHECK_THROWS_AS(machine.send({MessageKind::sampled, 0, 0}, Role::sampler), WrongMessage);
  machine.send({MessageKind::loaded, 0, 0}, Role::loader);
  CHECK_THROWS_AS(machine.send({MessageKind::transferred, 0, 0}, Role::link), WrongMessage);
}

TEST_CASE("a batch that the processors do not train on has no part of theirs", "[hyscale]") {
  Machine machine({1, Prefetch::none, 1, false, 1});
  machine.open(false);
  CHECK(machine.stateOf(0, 0) == State::absent);
  CHECK(machine.stateOf(0, 1) == State::idle);
  CHECK_THROWS_AS(machine.send({MessageKind::sampled, 0, 0}, Role::sampler), WrongMessage);
}

namespace {

/// Throws in one task; counts what begins afterwards.
class Throwing final : public Duties {
 public:
  Throwing(Stage stage, Index batch, int trainer) : at_{stage, batch, trainer} {}
  void perform(const Task& task) override {
    if (task.stage == Stage::draw) ++drawn;
    if (task == at_) throw std::runtime_error("no such row");
  }
  int drawn = 0;

 private:
  Task at_;
};

struct Place {
  Stage stage;
  int trainer;
  std::string name;
};
const std::vector<Place> kPlaces = {
    {Stage::draw, 0, "sampler"},         {Stage::sample, 0, "sampler"},
    {Stage::load, 0, "loader"},          {Stage::transfer, 2, "link card 1"},
    {Stage::train, 3, "trainer card 2"}, {Stage::train, 0, "trainer processors"},
    {Stage::step, 1, "trainer card 0"},  {Stage::synchronise, 0, "synchroniser"}};

}  // namespace

TEST_CASE("an actor that throws ends the run by its name, and no batch is opened any more", "[hyscale]") {
  for (const Prefetch prefetch : {Prefetch::none, Prefetch::one, Prefetch::two})
    for (const bool threads : {false, true})
      for (const Place& place : kPlaces) {
        CAPTURE(static_cast<int>(prefetch), threads, place.name);
        constexpr Index kBatch = 4;
        Machine machine({3, prefetch, 1, false, 20});
        const std::vector<Actor> actors = actorsOf(3);
        Throwing duties(place.stage, kBatch, place.trainer);
        const auto runAll = [&] {
          std::optional<Crew> crew;
          if (threads) crew.emplace(machine, actors, duties);
          for (Index t = 0; t < 20; ++t) {
            if (threads) {
              crew->iterate([&] { machine.open(true); });
            } else {
              machine.open(true);
              runInOrder(machine, actors, duties);
            }
          }
        };
        CHECK_THROWS_WITH(runAll(), place.name + ": no such row");
        CHECK(duties.drawn <= kBatch + 1 + machine.lag());
        for (const Actor& actor : actors) CHECK_FALSE(machine.ready(actor).has_value());
      }
}
