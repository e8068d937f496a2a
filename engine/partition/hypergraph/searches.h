#pragma once

// Inside partitioners: what refinement is made of, for any objective.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/partition/hypergraph/net_parts.h"
#include "engine/partition/hypergraph/refine.h"
#include "engine/partition/hypergraph/shuffle.h"

namespace halo {

/// The gains since the best prefix as a random walk (Osipov and Sanders 2010). The walk is hopeless once its
/// drift downwards outweighs its spread, so that it is unlikely to come back.
class Drift {
 public:
  /// unit: of gains
  Drift(Vertex nodes, std::int64_t unit)
      : floor_(std::log(static_cast<double>(nodes))), unit_(static_cast<double>(unit)) {}

  void restart() { count_ = mean_ = squares_ = 0; }
  void add(std::int64_t weight) {
    const double gain = static_cast<double>(weight) / unit_, off = gain - mean_;
    mean_ += off / ++count_;
    squares_ += off * (gain - mean_);
  }
  bool hopeless() const {
    return count_ > 1 && mean_ < 0 && count_ * mean_ * mean_ > kSpread * squares_ / (count_ - 1) + floor_;
  }

 private:
  static constexpr double kSpread = 0.5;
  double floor_, unit_, count_ = 0, mean_ = 0, squares_ = 0;
};

/// Localised searches over one partition; everything they need is allocated once. `Gains` says what moves of
/// `state` bring, and makes them: GainRows with `bestOfAny`, or another of these members.
template <class Gains>
class Searches {
 public:
  Searches(NetParts& state, Gains& gains, const RefineEffort& effort, PhiloxStream& random)
      : state_(state),
        gains_(gains),
        effort_(effort),
        random_(random),
        key_(static_cast<std::size_t>(state.graph().nodeCount())),
        status_(key_.size(), kFree) {}

  /// One pass over the boundary in a random order: every move that pays, and moves that cost nothing towards
  /// a lighter part.
  void payingMoves() {
    for (const Vertex v : shuffledBoundary()) {
      const NodeMove move = gains_.bestOfAny(v);
      if (move.part < 0) continue;
      const std::int64_t after =
          state_.weight(move.part) + state_.graph().nodeWeight[static_cast<std::size_t>(v)];
      if (move.gain > 0 || (move.gain == 0 && after < state_.weight(state_.owner(v))))
        gains_.move(
            v, move.part, [](Vertex) {}, [](Vertex) {});
    }
  }

  /// Rounds until there are enough of them or one improves little.
  void rounds() {
    for (int round = 0; round < effort_.rounds; ++round) {
      const std::int64_t before = gains_.cost();
      this->round();
      if (static_cast<double>(before - gains_.cost()) < effort_.least * static_cast<double>(before)) break;
    }
  }

 private:
  /// A round: every boundary node is the seed of one search, unless a search moved it before.
  void round() {
    std::ranges::fill(status_, kFree);
    const std::vector<Vertex> boundary = shuffledBoundary();
    for (std::size_t i = 0; i < boundary.size();) {
      for (int seeds = 0; i < boundary.size() && seeds < effort_.seeds; ++i)
        if (status_[static_cast<std::size_t>(boundary[i])] == kFree) {
          offer(boundary[i]);
          ++seeds;
        }
      search();
    }
  }

  enum Status : std::uint8_t { kFree, kQueued, kMoved };
  struct Candidate {
    Candidate(std::int64_t gain, std::uint32_t chance, Vertex vertex)
        : key((static_cast<std::uint64_t>(gain + kBias) << 32) | chance), node(vertex) {}
    std::int64_t gain() const { return static_cast<std::int64_t>(key >> 32) - kBias; }
    std::uint32_t chance() const { return static_cast<std::uint32_t>(key); }
    bool operator<(const Candidate& other) const { return key < other.key; }

    static constexpr std::int64_t kBias = std::int64_t{1} << 31;  // gains are sums of 32 bits
    std::uint64_t key;  // the gain, then chance, which decides between equal ones: one comparison
    Vertex node;
  };
  struct Step {
    Vertex node;
    std::int32_t from;
  };

  /// The boundary's nodes, with rows as far as there is room, made in the order the graph lies in memory.
  std::vector<Vertex> shuffledBoundary() {
    std::vector<Vertex> boundary;
    for (Vertex v = 0; v < state_.graph().nodeCount(); ++v)
      if (state_.onBoundary(v)) boundary.push_back(v);
    gains_.expect(boundary.size());
    for (const Vertex v : boundary) gains_.reserve(v);
    shuffle(boundary, random_);
    return boundary;
  }

  /// Queues the node with its best gain, if it has a move and nothing as good is queued for it.
  void offer(Vertex node) {
    const auto at = static_cast<std::size_t>(node);
    if (!gains_.reserve(node)) return;
    const NodeMove move = gains_.best(node);
    if (move.part < 0) return;
    if (status_[at] == kQueued && key_[at] >= move.gain) return;
    queue(node, move.gain);
  }

  /// The same where only the gain towards `part` may have grown: looks at no other part where this one has
  /// room, however many there are. Whoever takes the node from the queue looks at all of them.
  void offerTo(Vertex node, std::int32_t part) {
    if (state_.owner(node) == part || !gains_.reserve(node)) return;
    const auto at = static_cast<std::size_t>(node);
    if (status_[at] == kFree && !gains_.hasRoom(node, part)) return offer(node);
    const std::int64_t gain = gains_.gain(node, part);
    if (status_[at] == kFree || gain > key_[at]) queue(node, gain);
  }

  void queue(Vertex node, std::int64_t gain) {
    const auto at = static_cast<std::size_t>(node);
    if (status_[at] == kFree) queued_.push_back(node);
    status_[at] = kQueued;
    key_[at] = gain;
    push({gain, random_.next(), node});
  }

  void push(const Candidate& candidate) {
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }
  Candidate pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Candidate top = heap_.back();
    heap_.pop_back();
    return top;
  }

  void search() {
    std::int64_t sum = 0, best = 0;
    std::size_t keep = 0;
    Drift drift(state_.graph().nodeCount(), effort_.unit);
    steps_.clear();
    while (!heap_.empty() && !drift.hopeless() &&
           steps_.size() - keep < static_cast<std::size_t>(effort_.patience)) {
      const Candidate top = pop();
      const auto at = static_cast<std::size_t>(top.node);
      if (status_[at] != kQueued || key_[at] != top.gain()) continue;
      const NodeMove move = gains_.best(top.node);
      if (move.part < 0) continue;
      if (move.gain < top.gain()) {  // moves since then made it worse
        key_[at] = move.gain;
        push({move.gain, top.chance(), top.node});
        continue;
      }
      take(top.node, move.part);
      sum += move.gain;
      drift.add(move.gain);
      if (sum > best) {
        best = sum;
        drift.restart();
        keep = steps_.size();
      }
    }
    undo(keep);
    heap_.clear();
    for (const Vertex node : queued_)
      if (status_[static_cast<std::size_t>(node)] == kQueued) status_[static_cast<std::size_t>(node)] = kFree;
    queued_.clear();
  }

  void take(Vertex node, std::int32_t part) {
    steps_.push_back({node, state_.owner(node)});
    status_[static_cast<std::size_t>(node)] = kMoved;
    nearer_.clear();
    last_.clear();
    gains_.move(
        node, part,
        [&](Vertex net) {
          if (state_.graph().pinsOf(net).size() <= static_cast<std::size_t>(effort_.spread))
            nearer_.push_back(net);
        },
        [&](Vertex pin) { last_.push_back(pin); });
    for (const Vertex pin : last_)
      if (status_[static_cast<std::size_t>(pin)] != kMoved) offer(pin);
    for (const Vertex net : nearer_)
      for (const Vertex pin : state_.graph().pinsOf(net))
        if (status_[static_cast<std::size_t>(pin)] != kMoved) offerTo(pin, part);
  }

  /// Takes back every step after the first `keep`; those nodes may be moved again by later searches.
  void undo(std::size_t keep) {
    for (; steps_.size() > keep; steps_.pop_back()) {
      gains_.move(
          steps_.back().node, steps_.back().from, [](Vertex) {}, [](Vertex) {});
      status_[static_cast<std::size_t>(steps_.back().node)] = kFree;
    }
  }

  NetParts& state_;
  Gains& gains_;
  const RefineEffort& effort_;
  PhiloxStream& random_;
  std::vector<std::int64_t> key_;
  std::vector<std::uint8_t> status_;
  std::vector<Candidate> heap_;  // keeps its memory from search to search
  std::vector<Vertex> queued_, nearer_, last_;
  std::vector<Step> steps_;
};

}  // namespace halo
