#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/methods/hyscale/machine.h"

namespace halo::hyscale {

/// An actor failed: "trainer card 2: …".
struct ActorFailed : std::runtime_error {
  using runtime_error::runtime_error;
};

/// When a task ran. waitNs: on a full queue, after it.
struct TaskTimes {
  std::int64_t beginNs = 0, busyNs = 0, waitNs = 0;
  int queued = 0;  // batches that waited before its stage as it began
};

/// What actors do, and when it is over.
class Duties {
 public:
  virtual ~Duties() = default;
  /// Does the task's work. Tasks of different actors may run at the same time.
  virtual void perform(const Task& task) = 0;
  /// When it is over at the earliest, by a clock of the driver's; 0: as soon as it is done.
  virtual std::int64_t endNs(const Task& /*task*/) const { return 0; }
  /// The task is over. One call at a time.
  virtual void note(const Actor& /*actor*/, const Task& /*task*/, const TaskTimes& /*times*/) {}
};

/// Runs the present iteration to its end on the calling thread: of the tasks that can run, always the one
/// that is over first. Throws ActorFailed.
void runInOrder(Machine& machine, const std::vector<Actor>& actors, Duties& duties);

/// A thread an actor. All outlive it.
class Crew {
 public:
  Crew(Machine& machine, const std::vector<Actor>& actors, Duties& duties);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Begins what `open` opens, and waits until the machine is closed, or until nothing runs any more after an
  /// actor failed. Throws ActorFailed.
  template <class Open>
  void iterate(const Open& open) {
    {
      const std::lock_guard lock(mutex_);
      open();
    }
    changed_.notify_all();
    waitUntilClosed();
  }

 private:
  void act(const Actor& actor);
  void waitUntilClosed();
  bool perform(const Task& task, std::string& failure, TaskTimes& times);

  Machine& machine_;
  Duties& duties_;
  std::mutex mutex_;  // of the machine and the two below
  std::condition_variable changed_;
  int running_ = 0;
  bool leaving_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace halo::hyscale
