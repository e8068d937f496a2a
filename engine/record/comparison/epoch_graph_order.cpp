// In which order an epoch's steps can be done: what waits for what.
#include <algorithm>
#include <map>
#include <tuple>

#include "engine/base/index.h"
#include "engine/record/comparison/epoch_graph.h"

namespace halo {
namespace {

using Step = EpochGraph::Step;
using StepKind = Step::Kind;

/// When a rank is through with a step. At the same moment a wait ends before the next message leaves. Who
/// does not wait for an answer has asked first.
std::pair<std::int64_t, int> throughAt(const Step& step) {
  if (step.kind == StepKind::send) return {step.beginNs, 1};
  return {step.endNs, step.endNs > step.beginNs ? 0 : 2};
}

}  // namespace

/// Waits with the sends that they are for.
void EpochGraph::link() {
  using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t>;  // sender, receiver, number
  std::vector<std::pair<Key, std::size_t>> sends;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (const Step& step = steps_[i]; step.kind == StepKind::send)
      sends.emplace_back(Key{step.rank, step.peer, step.message}, i);
  std::ranges::sort(sends);
  const auto sendOf = [&](const Key& key) -> std::ptrdiff_t {
    const auto send = std::ranges::lower_bound(sends, key, {}, &std::pair<Key, std::size_t>::first);
    if (send == sends.end() || send->first != key) return -1;
    std::ptrdiff_t& slot = steps_[send->second].slot;
    if (slot < 0) slot = static_cast<std::ptrdiff_t>(slots_++);
    return static_cast<std::ptrdiff_t>(send->second);
  };
  for (Step& step : steps_)
    if (step.kind == StepKind::wait && step.message != kNoMessage)
      step.dependsOn = sendOf({step.peer, step.rank, step.message});
  for (Beside& message : beside_)
    message.send = sendOf({message.peer, steps_[message.step].rank, message.message});
}

/// Ranks come to what is of one epoch, layer, pass and name in the same order. Where they tell of different
/// numbers, or some go on before others come, they did not meet.
void EpochGraph::meet() {
  using Key = std::tuple<std::int32_t, std::int16_t, Pass, Name>;
  std::map<Key, std::map<std::int32_t, std::vector<std::size_t>>> all;  // by rank, in order of time
  const auto ranks = byRank();
  for (const std::vector<std::size_t>& steps : ranks)
    for (const std::size_t i : steps)
      if (const Step& step = steps_[i]; step.kind == StepKind::meeting)
        all[{step.epoch, step.layer, step.pass, step.name}][step.rank].push_back(i);
  for (const auto& [key, ofRanks] : all) {
    const std::size_t count = ofRanks.begin()->second.size();
    if (ofRanks.size() < 2 ||
        std::ranges::any_of(ofRanks, [&](const auto& its) { return its.second.size() != count; }))
      continue;
    for (std::size_t n = 0; n < count; ++n) {
      Meeting meeting;
      for (const auto& [rank, steps] : ofRanks) meeting.push_back(steps[n]);
      std::int64_t came = INT64_MIN, left = INT64_MAX;
      for (const std::size_t i : meeting)
        came = std::max(came, steps_[i].beginNs), left = std::min(left, steps_[i].endNs);
      if (left < came) continue;
      for (const std::size_t i : meeting) steps_[i].dependsOn = static_cast<std::ptrdiff_t>(meetings_.size());
      meetings_.push_back(std::move(meeting));
    }
  }
}

std::vector<std::vector<std::size_t>> EpochGraph::byRank() const {
  std::vector<std::vector<std::size_t>> ranks(ranks_);
  for (std::size_t i = 0; i < steps_.size(); ++i) ranks[at(steps_[i].rank)].push_back(i);
  for (std::vector<std::size_t>& steps : ranks)
    std::ranges::stable_sort(steps, {}, [this](std::size_t i) { return throughAt(steps_[i]); });
  return ranks;
}

/// Rank by rank as far as each comes, again and again.
class EpochGraph::Ordering {
 public:
  explicit Ordering(EpochGraph& graph)
      : graph_(graph), ranks_(graph.byRank()), next_(ranks_.size()), isDone_(graph.steps_.size()) {}

  void run() {
    for (;;) {
      bool moved = false;
      std::optional<std::size_t> stuck;  // the first in time
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        while (next_[r] < ranks_[r].size() && proceed(ranks_[r][next_[r]])) moved = true;
        if (next_[r] == ranks_[r].size()) continue;
        const std::size_t i = ranks_[r][next_[r]];
        if (!stuck || graph_.steps_[i].beginNs < graph_.steps_[*stuck].beginNs) stuck = i;
      }
      if (moved) continue;
      if (!stuck) return;
      release(graph_.steps_[*stuck]);
    }
  }

 private:
  /// Whether the next step of its rank could be done.
  bool proceed(std::size_t i) {
    const Step& step = graph_.steps_[i];
    if (step.dependsOn >= 0 && step.kind == StepKind::meeting) {
      const Meeting& meeting = graph_.meetings_[at(step.dependsOn)];
      if (!std::ranges::all_of(meeting, [this](std::size_t m) { return isNext(m); })) return false;
      graph_.order_.push_back(graph_.steps_.size() + at(step.dependsOn));
      for (const std::size_t m : meeting) finish(m);
      return true;
    }
    if (step.dependsOn >= 0) {
      if (!isDone_[at(step.dependsOn)]) return false;
      for (const Beside& message : std::span(graph_.beside_).subspan(step.firstBeside, step.beside))
        if (message.send >= 0 && !isDone_[at(message.send)]) return false;
    }
    graph_.order_.push_back(i);
    finish(i);
    return true;
  }
  bool isNext(std::size_t i) const {
    const std::size_t rank = at(graph_.steps_[i].rank);
    return next_[rank] < ranks_[rank].size() && ranks_[rank][next_[rank]] == i;
  }
  void finish(std::size_t i) {
    isDone_[i] = true;
    ++next_[at(graph_.steps_[i].rank)];
  }
  void release(Step& step) {
    if (step.kind == StepKind::meeting)
      for (const std::size_t m : Meeting(graph_.meetings_[at(step.dependsOn)]))
        graph_.steps_[m].dependsOn = -1;
    step.dependsOn = -1;
    for (Beside& message : std::span(graph_.beside_).subspan(step.firstBeside, step.beside))
      message.send = -1;
  }

  EpochGraph& graph_;
  std::vector<std::vector<std::size_t>> ranks_;
  std::vector<std::size_t> next_;  // of each rank
  std::vector<bool> isDone_;
};

void EpochGraph::order() {
  if (isFull()) return;
  for (const Ended& rank : ended_) ranks_ = std::max(ranks_, at(rank.rank) + 1);
  link();
  meet();
  Ordering(*this).run();
}

}  // namespace halo
