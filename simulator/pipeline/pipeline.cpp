#include "simulator/pipeline/pipeline.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <tuple>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kNever = -1;
constexpr std::size_t kSparse = 0, kDense = 1, kToDense = 2, kToSparse = 3;

bool fits(const std::vector<std::int64_t>& times, std::size_t batches) {
  return times.size() == batches && std::ranges::none_of(times, [](std::int64_t ps) { return ps < 0; });
}

/// The fewest aggregated batches with which an update in place never waits for an aggregation that waits for
/// its buffer.
int fewestInPlace(const std::vector<PipelinePhase>& phases) {
  int fewest = 1;
  for (const PipelinePhase& phase : phases)
    for (std::size_t j = 0; j < phase.lastReader.size(); ++j)
      fewest = std::max(fewest, phase.lastReader[j] - static_cast<int>(j) + 1);
  return fewest;
}

void check(const PipelineRequest& request) {
  const std::size_t batches = request.phases.empty() ? 0 : request.phases.front().aggregatePs.size();
  for (const PipelinePhase& phase : request.phases) {
    HALO_CHECK(fits(phase.aggregatePs, batches) && fits(phase.updatePs, batches));
    HALO_CHECK(request.link == PipelineLink::none ||
               (fits(phase.toDensePs, batches) && fits(phase.toSparsePs, batches)));
    HALO_CHECK(phase.lastNeeded.size() == batches && phase.lastReader.size() == batches);
    for (const int batch : phase.lastNeeded) HALO_CHECK(batch < static_cast<int>(batches));
    for (const int batch : phase.lastReader) HALO_CHECK(batch < static_cast<int>(batches));
  }
  std::vector<Problem> problems;
  const auto wrong = [&](const char* key, int value, const std::string& allowed) {
    problems.push_back({.key = key, .message = std::to_string(value) + " cannot be used; " + allowed});
  };
  const int state = request.stateBuffers, aggregated = request.aggregatedBatches;
  if (state != 1 && state != 2) wrong("pipeline.state_buffers", state, "1 or 2");
  if (aggregated < 0) wrong("pipeline.aggregated_batches", aggregated, "0 (no limit), or how many fit");
  if (const int fewest = fewestInPlace(request.phases); state == 1 && aggregated > 0 && aggregated < fewest)
    wrong("pipeline.aggregated_batches", aggregated,
          "with one state buffer, rows of this graph are read until " + std::to_string(fewest) +
              " batches are aggregated and not yet updated: at least " + std::to_string(fewest));
  if (!problems.empty()) throw InputError(std::move(problems));
}

/// Tasks are numbered phase by phase, batch by batch: task p · s + j.
class Pipeline {
 public:
  explicit Pipeline(const PipelineRequest& request)
      : request_(request),
        batches_(static_cast<std::int64_t>(request.phases.front().aggregatePs.size())),
        tasks_(batches_ * static_cast<std::int64_t>(request.phases.size())) {
    for (auto* taskTimes : {&aggregated_, &denseHas_, &updated_, &sparseHas_})
      taskTimes->assign(at(tasks_), kNever);
  }

  PipelineTimes run() {
    startAll(0);
    while (!events_.empty()) {
      const auto [now, order, unit, task, transfer] = events_.top();
      events_.pop();
      servers_[unit].busy = false;
      complete(transfer, task, now);
      startAll(now);
    }
    HALO_CHECK(next_[kSparse] == tasks_ && next_[kDense] == tasks_);
    for (std::size_t u = 0; u < times_.units.size(); ++u) {
      UnitTimes& unit = times_.units[u];
      if (servers_[u].used)
        unit.drainPs = times_.makespanPs - servers_[u].freeAt;
      else
        unit.fillPs = times_.makespanPs;
    }
    return std::move(times_);
  }

 private:
  struct Server {
    std::int64_t freeAt = 0;
    bool busy = false, used = false;
  };
  struct Transfer {
    std::size_t direction;  // kToDense or kToSparse
    std::int64_t task;
  };
  /// When, order of starting, unit, task, and what it does: for a device the unit, for a link the direction.
  using Event = std::tuple<std::int64_t, std::int64_t, std::size_t, std::int64_t, std::size_t>;
  /// What a task of a device waits for, and when it was there; 0 where it waits for nothing.
  struct Condition {
    bool met = true;
    std::int64_t madeAt = 0;   // the rows, by the other device
    std::int64_t hereAt = 0;   // the rows, over the link
    std::int64_t spaceAt = 0;  // the buffer

    void rows(std::int64_t computedPs, std::int64_t arrivedPs) {
      if (arrivedPs == kNever) met = false;
      madeAt = computedPs, hereAt = arrivedPs;
    }
    void space(std::int64_t since) {
      if (since == kNever) met = false;
      spaceAt = std::max(spaceAt, since);
    }
  };

  const PipelinePhase& phaseOf(std::int64_t task) const { return request_.phases[at(task / batches_)]; }
  std::size_t batchOf(std::int64_t task) const { return at(task % batches_); }

  Condition conditionOf(std::size_t unit, std::int64_t task) const {
    Condition condition;
    const std::int64_t phase = task / batches_;
    if (unit == kSparse) {
      const std::int64_t last = phaseOf(task).lastNeeded[batchOf(task)];
      if (phase > 0 && last >= 0) {
        const std::size_t needed = at((phase - 1) * batches_ + last);
        condition.rows(updated_[needed], sparseHas_[needed]);
      }
      if (const std::int64_t earlier = task - request_.aggregatedBatches;
          request_.aggregatedBatches > 0 && earlier >= 0)
        condition.space(updated_[at(earlier)]);
    } else {
      condition.rows(aggregated_[at(task)], denseHas_[at(task)]);
      const std::int64_t reader = phaseOf(task).lastReader[batchOf(task)];
      if (request_.stateBuffers == 1 && reader >= 0)
        condition.space(aggregated_[at(phase * batches_ + reader)]);
    }
    return condition;
  }

  void startAll(std::int64_t now) {
    for (const std::size_t unit : {kSparse, kDense}) {
      if (servers_[unit].busy || next_[unit] == tasks_) continue;
      const std::int64_t task = next_[unit];
      const Condition condition = conditionOf(unit, task);
      if (!condition.met) continue;
      noteIdle(unit, task, now, condition);
      const PipelinePhase& phase = phaseOf(task);
      begin(unit, unit, task, now, (unit == kSparse ? phase.aggregatePs : phase.updatePs)[batchOf(task)]);
      ++next_[unit];
    }
    for (const std::size_t unit : {kToDense, kToSparse}) {
      if (servers_[unit].busy || queues_[unit - kToDense].empty()) continue;
      const Transfer transfer = queues_[unit - kToDense].front();
      queues_[unit - kToDense].pop_front();
      const PipelinePhase& phase = phaseOf(transfer.task);
      if (servers_[unit].used) wait(unit, IdleCause::dependency, transfer.task, servers_[unit].freeAt, now);
      begin(unit, transfer.direction, transfer.task, now,
            (transfer.direction == kToDense ? phase.toDensePs : phase.toSparsePs)[batchOf(transfer.task)]);
    }
  }

  void begin(std::size_t unit, std::size_t activity, std::int64_t task, std::int64_t now, std::int64_t ps) {
    Server& server = servers_[unit];
    if (!server.used) {
      times_.units[unit].fillPs = now;
      if (ps > 0) wait(unit, std::nullopt, task, 0, now);
    }
    server = {now + ps, true, server.used || ps > 0};
    times_.units[unit].busyPs += ps;
    times_.makespanPs = std::max(times_.makespanPs, now + ps);
    times_.spans.push_back({static_cast<PipelineUnit>(activity), static_cast<int>(task / batches_),
                            static_cast<int>(task % batches_), now, now + ps});
    events_.push({now + ps, order_++, unit, task, activity});
  }

  void complete(std::size_t activity, std::int64_t task, std::int64_t now) {
    if (activity == kSparse) {
      aggregated_[at(task)] = now;
      send(kToDense, task, now);
    } else if (activity == kDense) {
      updated_[at(task)] = now;
      // after the last phase nobody aggregates
      if (task + batches_ < tasks_) send(kToSparse, task, now);
    } else {
      (activity == kToDense ? denseHas_ : sparseHas_)[at(task)] = now;
    }
  }

  void send(std::size_t activity, std::int64_t task, std::int64_t now) {
    if (request_.link == PipelineLink::none) return complete(activity, task, now);
    const std::size_t server = request_.link == PipelineLink::shared ? kToDense : activity;
    queues_[server - kToDense].push_back({activity, task});
  }

  void wait(std::size_t unit, std::optional<IdleCause> cause, std::int64_t task, std::int64_t begin,
            std::int64_t end) {
    if (end <= begin) return;
    if (cause) times_.units[unit].idlePs[at(*cause)] += end - begin;
    times_.waits.push_back({static_cast<PipelineUnit>(unit), cause, static_cast<int>(task / batches_),
                            static_cast<int>(task % batches_), begin, end});
  }

  // Until its rows are made it waits for the other device, until they are here for the link, then for space.
  void noteIdle(std::size_t unit, std::int64_t task, std::int64_t now, const Condition& condition) {
    const std::int64_t since = servers_[unit].freeAt;
    if (!servers_[unit].used || now == since) return;
    const std::int64_t computedPs = std::max(since, condition.madeAt),
                       arrivedPs = std::max(computedPs, condition.hereAt);
    const std::array<std::int64_t, kIdleCauses.size()> idle = {computedPs - since, now - arrivedPs,
                                                               arrivedPs - computedPs};
    wait(unit, IdleCause::dependency, task, since, computedPs);
    wait(unit, IdleCause::link, task, computedPs, arrivedPs);
    wait(unit, IdleCause::buffer, task, arrivedPs, now);
    if (times_.firstIdle) return;
    const auto most = std::ranges::max_element(idle) - idle.begin();
    times_.firstIdle = {static_cast<PipelineUnit>(unit), static_cast<int>(task / batches_),
                        static_cast<int>(task % batches_), now - since, static_cast<IdleCause>(most)};
  }

  const PipelineRequest& request_;
  std::int64_t batches_, tasks_;
  // When each task was aggregated, there on the dense device, updated, there on the sparse device.
  std::vector<std::int64_t> aggregated_, denseHas_, updated_, sparseHas_;
  std::array<std::int64_t, 2> next_{};
  std::array<Server, 4> servers_{};
  std::array<std::deque<Transfer>, 2> queues_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t order_ = 0;
  PipelineTimes times_;
};

}  // namespace

PipelineUnit PipelineTimes::slower() const {
  const auto most = std::ranges::max_element(units, {}, &UnitTimes::busyPs);
  return static_cast<PipelineUnit>(most - units.begin());
}

double PipelineTimes::idleness() const {
  const UnitTimes& unit = timesOf(slower());
  const std::int64_t idle = unit.idleTotalPs();
  return idle == 0 ? 0 : static_cast<double>(idle) / static_cast<double>(unit.busyPs + idle);
}

PipelineTimes simulatePipeline(const PipelineRequest& request) {
  check(request);
  if (request.phases.empty() || request.phases.front().aggregatePs.empty()) return {};
  return Pipeline(request).run();
}

}  // namespace halo::sim
