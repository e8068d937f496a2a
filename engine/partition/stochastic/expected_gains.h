#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/index.h"
#include "engine/partition/hypergraph/net_parts.h"

namespace halo {

/// What moves bring where a net costs the rows expected of a batch. The first pin of a net is its vertex, and
/// the others are the vertex's consumers. The net costs the sum over parts p besides the vertex's own of
/// chances[consumers in p]. With chances 0, 1, 1, … that is λ − 1. Looks at the nets of a node each time.
class ExpectedGains {
 public:
  /// chances  of no consumer, which is 0, of 1, 2, …, of as many as a net has: in whole units; ever less is
  ///          added by another. A node's nets together below 2^31.
  /// No part may grow above `limit`. Keeps references.
  ExpectedGains(NetParts& state, std::int64_t limit, const std::vector<std::int64_t>& chances);

  std::int64_t cost() const { return cost_; }
  void expect(std::size_t) {}
  bool reserve(Vertex) { return true; }
  bool hasRoom(Vertex node, std::int32_t part) const {
    return state_.weight(part) + state_.graph().nodeWeight[at(node)] <= limit_;
  }
  /// By how much the cost falls if the node moves to `part`.
  std::int64_t gain(Vertex node, std::int32_t part) const;
  /// Among parts with room that share a net with it; of equal gains the lightest, then the first part.
  NodeMove best(Vertex node);
  NodeMove bestOfAny(Vertex node) { return best(node); }

  /// Moves a node. `nearer(net)` hears of all its nets, for each consumer in a part makes another cost less
  /// there. `last(pin)` hears of nodes that are now alone in their part on some net.
  template <class Nearer, class Last>
  void move(Vertex node, std::int32_t part, Nearer&& nearer, Last&& last) {
    const std::int32_t from = state_.owner(node);
    cost_ -= gain(node, part);
    state_.move(node, part);
    for (const Vertex net : state_.graph().netsOf(node)) {
      if (state_.pinsIn(net, from) == 1) last(onlyPin(net, from));
      nearer(net);
    }
  }

 private:
  Vertex sourceOf(Vertex net) const { return state_.graph().pinsOf(net).front(); }
  Vertex onlyPin(Vertex net, std::int32_t part) const;
  std::int64_t costOf(std::int32_t consumers) const { return chances_[at(consumers)]; }
  /// What the net would cost more with the consumer that is not counted in `consumers`.
  std::int64_t addedCost(std::int32_t consumers) const { return costOf(consumers + 1) - costOf(consumers); }
  void offer(std::int32_t part, std::int64_t weight);

  NetParts& state_;
  std::int64_t limit_;
  const std::vector<std::int64_t>& chances_;
  std::int64_t cost_ = 0;
  std::vector<std::int64_t> offered_;  // by part; 0 between calls
  std::vector<std::uint8_t> isListed_;
  std::vector<std::int32_t> parts_;
};

}  // namespace halo
