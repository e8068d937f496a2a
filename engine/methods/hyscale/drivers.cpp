#include "engine/methods/hyscale/drivers.h"

#include <limits>

#include "engine/base/check.h"
#include "engine/base/clock.h"
#include "engine/comm/link/link.h"

namespace halo::hyscale {

void runInOrder(Machine& machine, const std::vector<Actor>& actors, Duties& duties) {
  while (!machine.closed()) {
    const Actor* first = nullptr;
    Task next;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const Actor& actor : actors) {
      const std::optional<Task> task = machine.ready(actor);
      if (!task || !machine.canFinish(*task)) continue;
      const std::int64_t end = duties.endNs(*task);
      if (first != nullptr && end >= least) continue;
      first = &actor;
      next = *task;
      least = end;
    }
    HALO_CHECK(first != nullptr);  // all wait for each other
    TaskTimes times;
    times.queued = machine.queued(next);
    machine.take(*first, next);
    try {
      duties.perform(next);
    } catch (const std::exception& error) {
      machine.fail(*first, error.what());
      throw ActorFailed(machine.failure());
    }
    machine.finish(next);
    duties.note(*first, next, times);
  }
}

Crew::Crew(Machine& machine, const std::vector<Actor>& actors, Duties& duties)
    : machine_(machine), duties_(duties) {
  threads_.reserve(actors.size());
  for (const Actor& actor : actors) threads_.emplace_back([this, actor] { act(actor); });
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::act(const Actor& actor) {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::optional<Task> task;
    changed_.wait(lock, [&] { return leaving_ || (task = machine_.ready(actor)); });
    if (leaving_) return;
    TaskTimes times;
    times.queued = machine_.queued(*task);
    machine_.take(actor, *task);
    ++running_;
    changed_.notify_all();  // a queue has room
    lock.unlock();
    std::string failure;
    const bool done = perform(*task, failure, times);
    lock.lock();
    if (!done) machine_.fail(actor, failure);
    const std::int64_t doneNs = wallNs();
    changed_.wait(lock, [&] { return leaving_ || machine_.canFinish(*task); });
    times.waitNs = wallNs() - doneNs;
    if (!leaving_ && machine_.failure().empty()) {
      machine_.finish(*task);
      duties_.note(actor, *task, times);
    }
    --running_;
    changed_.notify_all();
  }
}

// What an actor throws ends the run, not the thread.
bool Crew::perform(const Task& task, std::string& failure, TaskTimes& times) {
  times.beginNs = wallNs();
  try {
    duties_.perform(task);
    if (const std::int64_t end = duties_.endNs(task); end > 0) sleepUntil(end);
    times.busyNs = wallNs() - times.beginNs;
    return true;
  } catch (const std::exception& error) {
    failure = error.what();
  } catch (...) {
    failure = "an unknown exception";
  }
  return false;
}

void Crew::waitUntilClosed() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return machine_.failure().empty() ? machine_.closed() : running_ == 0; });
  if (!machine_.failure().empty()) throw ActorFailed(machine_.failure());
}

}  // namespace halo::hyscale
