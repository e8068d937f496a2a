#include "engine/record/comparison/epoch_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/base/index.h"
#include "engine/record/trace/meeting.h"
#include "engine/record/trace/message_numbers.h"

namespace halo {
namespace {

using Step = EpochGraph::Step;
using StepKind = Step::Kind;

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

Step stepOf(const Span& span, std::int64_t rank, StepKind kind) {
  Step step;
  step.kind = kind;
  step.rank = static_cast<std::int32_t>(rank);
  step.epoch = span.epoch, step.layer = span.layer, step.pass = span.pass, step.name = span.name;
  step.beginNs = span.beginNs;
  step.endNs = step.arrivedNs = kind == StepKind::send ? span.beginNs : span.endNs();
  return step;
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

/// What came to the rank for a layer and pass, and ended no wait itself, was waited for with what came next.
void EpochGraph::addBeside(const std::vector<Span>& link, std::size_t firstStep) {
  using Place = std::tuple<std::int32_t, std::int16_t, Pass>;
  std::map<Place, std::vector<std::size_t>> waits;  // by their ends
  std::set<std::pair<std::int32_t, std::int64_t>> ending;
  for (std::size_t i = firstStep; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.kind != StepKind::wait || step.message == kNoMessage) continue;
    waits[{step.epoch, step.layer, step.pass}].push_back(i);
    ending.insert({step.peer, step.message});
  }
  const std::size_t first = beside_.size();
  for (const Span& span : link) {
    if (span.name != Name::receive || span.message == kNoMessage || isSent(span.message)) continue;
    const auto place = waits.find({span.epoch, span.layer, span.pass});
    if (place == waits.end() || ending.contains({span.peer, numberOfBoth(span.message)})) continue;
    const auto wait = std::ranges::lower_bound(place->second, span.endNs(), {},
                                               [this](std::size_t i) { return steps_[i].endNs; });
    if (wait != place->second.end())
      beside_.push_back({*wait, span.peer, numberOfBoth(span.message), span.endNs(), -1});
  }
  std::ranges::stable_sort(beside_.begin() + static_cast<std::ptrdiff_t>(first), beside_.end(), {},
                           &Beside::step);
  for (std::size_t b = first; b < beside_.size(); ++b) {
    Step& step = steps_[beside_[b].step];
    if (step.beside++ == 0) step.firstBeside = b;
  }
}

void EpochGraph::addRank(std::int64_t rank, const SpanLanes& lanes) {
  if (epochs_.empty() || isFull()) return;
  const std::int64_t from = epochs_.front().beginNs, to = epochs_.back().beginNs + epochs_.back().wallNs;
  const std::vector<Span>& pieces = laneOf(lanes, Lane::wait);
  const std::vector<Arrival> arrivals = arrivalsOf(laneOf(lanes, Lane::link));
  std::int64_t ended = from;
  const std::size_t firstStep = steps_.size();
  std::size_t next = 0;
  for (const Span& span : laneOf(lanes, Lane::main)) {
    const bool after = span.durationNs > 0 ? span.beginNs >= to : span.beginNs > to;
    if (span.endNs() <= from || after) continue;
    ended = std::max(ended, std::min(span.endNs(), to));
    if (!isWaiting(span)) continue;
    steps_.push_back(stepOf(span, rank, isMeeting(span) ? StepKind::meeting : StepKind::wait));
    if (!isMeeting(span) && span.message != kNoMessage && !isSent(span.message) && span.peer >= 0) {
      steps_.back().peer = span.peer;
      steps_.back().message = numberOfBoth(span.message);
      steps_.back().arrivedNs = arrivedBy(span, arrivals);
    }
    addPieces(span, pieces, next);
  }
  addBeside(laneOf(lanes, Lane::link), firstStep);
  for (const Span& span : laneOf(lanes, Lane::message)) {
    if (span.name != Name::send || span.message == kNoMessage || !isSent(span.message)) continue;
    if (span.beginNs < from || span.beginNs > to || span.peer < 0) continue;
    steps_.push_back(stepOf(span, rank, StepKind::send));
    steps_.back().peer = span.peer;
    steps_.back().message = numberOfBoth(span.message);
  }
  ended_.push_back({rank, ended});
}

void EpochGraph::add(const EpochGraph& others) {
  ended_.insert(ended_.end(), others.ended_.begin(), others.ended_.end());
  tooMany_ = isFull() || others.isFull() || steps_.size() + others.steps_.size() > kMostSteps;
  if (tooMany_) return steps_.clear();
  for (Beside message : others.beside_) {
    message.step += steps_.size();
    beside_.push_back(message);
  }
  for (Step step : others.steps_) {
    step.firstPiece += pieces_.size();
    step.firstBeside += beside_.size() - others.beside_.size();
    steps_.push_back(step);
  }
  pieces_.insert(pieces_.end(), others.pieces_.begin(), others.pieces_.end());
}

/// How far the messages of a wait let it go, all of them, and without the one that ended it.
std::pair<EpochGraph::Shifts, EpochGraph::Shifts> EpochGraph::boundsOf(const Step& step,
                                                                       std::span<const Shifts> sent,
                                                                       const Shifts& rank) const {
  std::pair<Shifts, Shifts> bounds;
  bounds.second.fill(INT64_MAX);
  const std::int64_t ready = std::max(step.beginNs, step.arrivedNs);
  for (const Beside& message : std::span(beside_).subspan(step.firstBeside, step.beside)) {
    if (message.send < 0) continue;
    const Shifts& sender = sent[at(steps_[at(message.send)].slot)];
    const std::int64_t spare = std::max<std::int64_t>(0, ready - message.arrivedNs);
    for (std::size_t k = 0; k < kAtOnce; ++k)
      bounds.second[k] = std::min(bounds.second[k], spare + sender[k]);
  }
  const Shifts& last = sent[at(steps_[at(step.dependsOn)].slot)];
  for (std::size_t k = 0; k < kAtOnce; ++k)
    bounds.first[k] =
        std::min({bounds.second[k], ready - step.beginNs + rank[k], ready - step.arrivedNs + last[k]});
  return bounds;
}

/// `places`: of each piece, for which of the kinds it counts; −1: none. `besides`: whether messages that came
/// earlier hold a wait up. `ranks`: by how much each ends earlier.
void EpochGraph::replay(std::span<const int> places, bool besides, std::vector<Shifts>& ranks) const {
  constexpr Shifts kFree = [] {
    Shifts shifts{};
    for (std::int64_t& shift : shifts) shift = INT64_MAX;
    return shifts;
  }();
  std::vector<Shifts> sent(slots_);
  /// `bound`: as far as the others let it. Where some of it is waived only `held` counts.
  const auto proceed = [&](const Step& step, const Shifts& bound, const Shifts& held) {
    Shifts& rank = ranks[at(step.rank)];
    Shifts waived{};
    for (std::size_t p = step.firstPiece; p < step.firstPiece + step.pieces; ++p)
      if (places[p] >= 0) waived[at(places[p])] += pieces_[p].ns;
    for (std::size_t k = 0; k < kAtOnce; ++k)
      rank[k] = waived[k] > 0 ? std::max(std::min(rank[k] + waived[k], held[k]), bound[k]) : bound[k];
  };
  for (const std::size_t i : order_) {
    if (i >= steps_.size()) {
      const Meeting& meeting = meetings_[i - steps_.size()];
      std::int64_t came = INT64_MIN;
      for (const std::size_t m : meeting) came = std::max(came, steps_[m].beginNs);
      Shifts bound = kFree;
      for (const std::size_t m : meeting)
        for (std::size_t k = 0; k < kAtOnce; ++k)
          bound[k] = std::min(bound[k], came - steps_[m].beginNs + ranks[at(steps_[m].rank)][k]);
      for (const std::size_t m : meeting) proceed(steps_[m], bound, kFree);
      continue;
    }
    const Step& step = steps_[i];
    if (step.kind == StepKind::send) {
      if (step.slot >= 0) sent[at(step.slot)] = ranks[at(step.rank)];
    } else if (step.kind == StepKind::wait && step.dependsOn >= 0) {
      const auto [bound, held] = boundsOf(step, sent, ranks[at(step.rank)]);
      proceed(step, bound, besides ? held : kFree);
    } else {
      proceed(step, ranks[at(step.rank)], kFree);
    }
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
  const auto gain = [&](std::span<const int> places, bool besides, std::size_t count) {
    std::vector<Shifts> ranks(ranks_);
    replay(places, besides, ranks);
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
    gain(places, true, std::min(kAtOnce, kinds.size() - first));
  }
  std::ranges::fill(places, 0);
  gain(places, false, 1);  // without any wait no message is waited for
  return gains;
}

}  // namespace halo
