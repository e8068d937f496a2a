#include "engine/record/comparison/epoch_graph.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "engine/base/index.h"
#include "engine/record/trace/meeting.h"
#include "engine/record/trace/message_numbers.h"

namespace halo {
namespace {

using Step = EpochGraph::Step;
using What = Step::What;

const std::vector<Span>& laneOf(const SpanLanes& lanes, Lane lane) { return lanes[at(lane)]; }

/// What a rank waited for, not what it did.
bool isWaiting(const Span& span) {
  return span.kind == Kind::communication || span.kind == Kind::synchronise;
}

/// When each message came: sender, number and time, in this order.
using Arrival = std::tuple<std::int32_t, std::int64_t, std::int64_t>;
std::vector<Arrival> arrivalsOf(const std::vector<Span>& link) {
  std::vector<Arrival> arrivals;
  for (const Span& span : link)
    if (span.name == Name::receive && span.message != kNoMessage && !isSent(span.message))
      arrivals.emplace_back(span.peer, numberOfBoth(span.message), span.endNs());
  std::ranges::sort(arrivals);
  return arrivals;
}

/// When what is waited for had come, at the latest when the wait ended.
std::int64_t arrivedBy(const Span& wait, const std::vector<Arrival>& arrivals) {
  const std::int64_t number = numberOfBoth(wait.message);
  const auto arrival = std::ranges::lower_bound(arrivals, Arrival{wait.peer, number, INT64_MIN});
  const bool known =
      arrival != arrivals.end() && std::get<0>(*arrival) == wait.peer && std::get<1>(*arrival) == number;
  return known ? std::min(std::get<2>(*arrival), wait.endNs()) : wait.endNs();
}

Step stepOf(const Span& span, std::int64_t rank, What what) {
  Step step;
  step.what = what;
  step.rank = static_cast<std::int32_t>(rank);
  step.epoch = span.epoch, step.layer = span.layer, step.pass = span.pass, step.name = span.name;
  step.beginNs = span.beginNs;
  step.endNs = step.arrivedNs = what == What::send ? span.beginNs : span.endNs();
  return step;
}

/// When a rank is through with a step. At the same moment a wait ends before the next message leaves. Who
/// does not wait for an answer has asked first.
std::pair<std::int64_t, int> throughAt(const Step& step) {
  if (step.what == What::send) return {step.beginNs, 1};
  return {step.endNs, step.endNs > step.beginNs ? 0 : 2};
}

}  // namespace

std::int64_t EpochGraph::withinEpochs(const Span& span) const {
  const auto endOf = [](const EpochRow& epoch) { return epoch.beginNs + epoch.wallNs; };
  std::int64_t ns = 0;
  for (auto epoch = std::ranges::upper_bound(epochs_, span.beginNs, {}, endOf);
       epoch != epochs_.end() && epoch->beginNs < span.endNs(); ++epoch)
    ns += std::min(span.endNs(), endOf(*epoch)) - std::max(span.beginNs, epoch->beginNs);
  return ns;
}

/// Those of the last step, which is `wait`. Pieces tile the waits.
void EpochGraph::addPieces(const Span& wait, const std::vector<Span>& pieces, std::size_t& next) {
  while (next < pieces.size() && pieces[next].beginNs < wait.beginNs) ++next;
  Step& step = steps_.back();
  step.firstPiece = pieces_.size();
  for (; next < pieces.size() && pieces[next].beginNs < wait.endNs(); ++next) {
    const Span& piece = pieces[next];
    const std::int64_t ns = isReason(piece.name) ? withinEpochs(piece) : 0;
    if (ns > 0) pieces_.push_back({{piece.peer, piece.layer, piece.name}, ns});
  }
  step.pieces = pieces_.size() - step.firstPiece;
}

void EpochGraph::addRank(std::int64_t rank, const SpanLanes& lanes) {
  if (epochs_.empty() || isFull()) return;
  const std::int64_t from = epochs_.front().beginNs, to = epochs_.back().beginNs + epochs_.back().wallNs;
  const std::vector<Span>& pieces = laneOf(lanes, Lane::wait);
  const std::vector<Arrival> arrivals = arrivalsOf(laneOf(lanes, Lane::link));
  std::int64_t ended = from;
  std::size_t next = 0;
  for (const Span& span : laneOf(lanes, Lane::main)) {
    const bool after = span.durationNs > 0 ? span.beginNs >= to : span.beginNs > to;
    if (span.endNs() <= from || after) continue;
    ended = std::max(ended, std::min(span.endNs(), to));
    if (!isWaiting(span)) continue;
    steps_.push_back(stepOf(span, rank, isMeeting(span) ? What::meeting : What::wait));
    if (!isMeeting(span) && span.message != kNoMessage && !isSent(span.message) && span.peer >= 0) {
      steps_.back().peer = span.peer;
      steps_.back().message = numberOfBoth(span.message);
      steps_.back().arrivedNs = arrivedBy(span, arrivals);
    }
    addPieces(span, pieces, next);
  }
  for (const Span& span : laneOf(lanes, Lane::message)) {
    if (span.name != Name::send || span.message == kNoMessage || !isSent(span.message)) continue;
    if (span.beginNs < from || span.beginNs > to || span.peer < 0) continue;
    steps_.push_back(stepOf(span, rank, What::send));
    steps_.back().peer = span.peer;
    steps_.back().message = numberOfBoth(span.message);
  }
  ended_.push_back({rank, ended});
}

void EpochGraph::add(const EpochGraph& others) {
  ended_.insert(ended_.end(), others.ended_.begin(), others.ended_.end());
  tooMany_ = isFull() || others.isFull() || steps_.size() + others.steps_.size() > kMostSteps;
  if (tooMany_) return steps_.clear();
  for (Step step : others.steps_) {
    step.firstPiece += pieces_.size();
    steps_.push_back(step);
  }
  pieces_.insert(pieces_.end(), others.pieces_.begin(), others.pieces_.end());
}

/// Waits with the sends that they are for.
void EpochGraph::link() {
  using Key = std::tuple<std::int32_t, std::int32_t, std::int64_t>;  // sender, receiver, number
  std::vector<std::pair<Key, std::size_t>> sends;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    if (const Step& step = steps_[i]; step.what == What::send)
      sends.emplace_back(Key{step.rank, step.peer, step.message}, i);
  std::ranges::sort(sends);
  for (Step& step : steps_) {
    if (step.what != What::wait || step.message == kNoMessage) continue;
    const Key key{step.peer, step.rank, step.message};
    const auto send = std::ranges::lower_bound(sends, key, {}, &std::pair<Key, std::size_t>::first);
    if (send == sends.end() || send->first != key) continue;
    step.other = static_cast<std::ptrdiff_t>(send->second);
    if (steps_[send->second].slot < 0) steps_[send->second].slot = static_cast<std::ptrdiff_t>(slots_++);
  }
}

/// Ranks come to what is of one epoch, layer, pass and name in the same order. Where they tell of different
/// numbers, or some go on before others come, they did not meet.
void EpochGraph::meet() {
  using Key = std::tuple<std::int32_t, std::int16_t, Pass, Name>;
  std::map<Key, std::map<std::int32_t, std::vector<std::size_t>>> all;  // by rank, in order of time
  const auto ranks = byRank();
  for (const std::vector<std::size_t>& steps : ranks)
    for (const std::size_t i : steps)
      if (const Step& step = steps_[i]; step.what == What::meeting)
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
      for (const std::size_t i : meeting) steps_[i].other = static_cast<std::ptrdiff_t>(meetings_.size());
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
      : graph_(graph), ranks_(graph.byRank()), next_(ranks_.size()), done_(graph.steps_.size()) {}

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
    if (step.other >= 0 && step.what == What::meeting) {
      const Meeting& meeting = graph_.meetings_[at(step.other)];
      if (!std::ranges::all_of(meeting, [this](std::size_t m) { return isNext(m); })) return false;
      graph_.order_.push_back(graph_.steps_.size() + at(step.other));
      for (const std::size_t m : meeting) finish(m);
      return true;
    }
    if (step.other >= 0 && !done_[at(step.other)]) return false;
    graph_.order_.push_back(i);
    finish(i);
    return true;
  }
  bool isNext(std::size_t i) const {
    const std::size_t rank = at(graph_.steps_[i].rank);
    return next_[rank] < ranks_[rank].size() && ranks_[rank][next_[rank]] == i;
  }
  void finish(std::size_t i) {
    done_[i] = true;
    ++next_[at(graph_.steps_[i].rank)];
  }
  void release(Step& step) {
    if (step.what == What::meeting)
      for (const std::size_t m : Meeting(graph_.meetings_[at(step.other)])) graph_.steps_[m].other = -1;
    else
      step.other = -1;
  }

  EpochGraph& graph_;
  std::vector<std::vector<std::size_t>> ranks_;
  std::vector<std::size_t> next_;  // of each rank
  std::vector<bool> done_;
};

void EpochGraph::order() {
  if (isFull()) return;
  for (const Ended& rank : ended_) ranks_ = std::max(ranks_, at(rank.rank) + 1);
  link();
  meet();
  Ordering(*this).run();
}

/// `places`: of each piece, for which of the kinds it counts; −1: none. `ranks`: by how much each ends
/// earlier.
void EpochGraph::replay(std::span<const int> places, std::vector<Shifts>& ranks) const {
  std::vector<Shifts> sent(slots_);
  /// `bound`: as far as the others let it. What is waived lets it go further.
  const auto proceed = [&](const Step& step, const Shifts& bound) {
    Shifts& rank = ranks[at(step.rank)];
    Shifts waived{};
    for (std::size_t p = step.firstPiece; p < step.firstPiece + step.pieces; ++p)
      if (places[p] >= 0) waived[at(places[p])] += pieces_[p].ns;
    for (std::size_t k = 0; k < kAtOnce; ++k)
      rank[k] = waived[k] > 0 ? std::max(rank[k] + waived[k], bound[k]) : bound[k];
  };
  for (const std::size_t i : order_) {
    if (i >= steps_.size()) {
      const Meeting& meeting = meetings_[i - steps_.size()];
      std::int64_t came = INT64_MIN;
      for (const std::size_t m : meeting) came = std::max(came, steps_[m].beginNs);
      Shifts bound;
      bound.fill(INT64_MAX);
      for (const std::size_t m : meeting)
        for (std::size_t k = 0; k < kAtOnce; ++k)
          bound[k] = std::min(bound[k], came - steps_[m].beginNs + ranks[at(steps_[m].rank)][k]);
      for (const std::size_t m : meeting) proceed(steps_[m], bound);
      continue;
    }
    const Step& step = steps_[i];
    if (step.what == What::send) {
      if (step.slot >= 0) sent[at(step.slot)] = ranks[at(step.rank)];
      continue;
    }
    Shifts bound = ranks[at(step.rank)];
    if (step.what == What::wait && step.other >= 0) {
      const Shifts& sender = sent[at(steps_[at(step.other)].slot)];
      const std::int64_t ready = std::max(step.beginNs, step.arrivedNs);
      for (std::size_t k = 0; k < kAtOnce; ++k)
        bound[k] = std::min(ready - step.beginNs + bound[k], ready - step.arrivedNs + sender[k]);
    }
    proceed(step, bound);
  }
}

std::optional<std::vector<std::int64_t>> EpochGraph::gainsNs(std::span<const WaitKind> kinds) const {
  if (isFull() || ended_.empty()) return std::nullopt;
  std::map<WaitKind, std::size_t> numbers;
  for (const WaitKind& kind : kinds) numbers.try_emplace(kind, numbers.size());
  std::vector<std::ptrdiff_t> ofPieces;  // the number of each one's kind
  for (const Piece& piece : pieces_) {
    const auto number = numbers.find(piece.kind);
    ofPieces.push_back(number == numbers.end() ? -1 : static_cast<std::ptrdiff_t>(number->second));
  }
  std::vector<std::int64_t> gains;
  const auto gain = [&](std::span<const int> places, std::size_t count) {
    std::vector<Shifts> ranks(ranks_);
    replay(places, ranks);
    for (std::size_t k = 0; k < count; ++k) {
      std::int64_t before = INT64_MIN, after = INT64_MIN;
      for (const Ended& rank : ended_) {
        before = std::max(before, rank.atNs);
        after = std::max(after, rank.atNs - ranks[at(rank.rank)][k]);
      }
      gains.push_back(before - after);
    }
  };
  std::vector<int> places(pieces_.size());
  for (std::size_t first = 0; first < kinds.size(); first += kAtOnce) {
    for (std::size_t p = 0; p < places.size(); ++p) {
      const std::ptrdiff_t place = ofPieces[p] - static_cast<std::ptrdiff_t>(first);
      places[p] = ofPieces[p] >= 0 && place >= 0 && place < static_cast<std::ptrdiff_t>(kAtOnce)
                      ? static_cast<int>(place)
                      : -1;
    }
    gain(places, std::min(kAtOnce, kinds.size() - first));
  }
  std::ranges::fill(places, 0);
  gain(places, 1);
  return gains;
}

}  // namespace halo
