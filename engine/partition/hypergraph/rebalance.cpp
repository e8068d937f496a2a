#include "engine/partition/hypergraph/rebalance.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/index.h"

namespace halo {
namespace {

/// Moves nodes of a part that is too heavy, the cheapest a weight first, while one fits elsewhere.
void moveOut(NetParts& state, MoveFinder& finder, std::int32_t part, std::int64_t limit) {
  const auto& weight = state.graph().nodeWeight;
  std::vector<std::pair<double, Vertex>> order;
  for (Vertex v = 0; v < state.graph().nodeCount(); ++v) {
    if (state.owner(v) != part) continue;
    const NodeMove move = finder.best(v);
    const double gain = move.part < 0 ? -1e18 : static_cast<double>(move.gain);
    order.emplace_back(gain / weight[at(v)], v);
  }
  std::ranges::sort(order, std::greater<>());
  for (const auto& [gain, v] : order) {
    if (state.weight(part) <= limit) return;
    NodeMove move = finder.best(v);
    if (move.part < 0) {
      const auto lightest = std::ranges::min_element(state.weights());
      if (*lightest + weight[at(v)] > limit) continue;
      move.part = static_cast<std::int32_t>(lightest - state.weights().begin());
    }
    state.move(v, move.part);
  }
}

/// Swaps of two nodes that lighten a part which is too heavy by the difference of their weights.
class Swaps {
 public:
  Swaps(NetParts& state, std::int64_t limit) : state_(state), limit_(limit), passedBy_(at(state.parts()), 0) {
    for (Vertex v = 0; v < state.graph().nodeCount(); ++v)
      if (state.onBoundary(v)) boundary_.push_back(v);
  }

  /// Where no part with room has two nodes to swap, another takes over the excess, who may find some; once
  /// each, so that it ends.
  void lighten(std::int32_t part) {
    passedBy_[at(part)] = 1;
    while (state_.weight(part) > limit_) {
      Swap swap = best(part, boundary_, 0);
      if (swap.out < 0) swap = best(part, everyNode(), 0);
      const bool passes = swap.out < 0;
      if (passes) swap = best(part, everyNode(), state_.weight(part) - limit_);
      if (swap.out < 0) return;
      state_.move(swap.out, swap.part);
      state_.move(swap.in, part);
      if (passes) lighten(swap.part);
    }
  }

 private:
  struct Swap {
    Vertex out = -1, in = -1;  // -1: there is none
    std::int32_t part = -1;    // with which
    double worth = 0;          // rows gained for each unit of excess that goes
  };
  /// The node of a weight that it is best to move.
  struct Offer {
    std::int32_t weight;
    std::int64_t gain;
    Vertex node;
  };

  std::vector<Vertex> everyNode() const {
    std::vector<Vertex> nodes(at(state_.graph().nodeCount()));
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
  }

  /// With a part whose room is `above` more than its limit leaves; above 0 it takes over some of the excess.
  Swap best(std::int32_t part, const std::vector<Vertex>& nodes, std::int64_t above) const {
    Swap bestSwap;
    const std::int64_t excess = state_.weight(part) - limit_;
    const std::vector<std::int32_t> own = weights(nodes, part);
    for (std::int32_t other = 0; other < state_.parts(); ++other) {
      const std::int64_t room = limit_ - state_.weight(other) + above;
      if (other == part || room <= 0) continue;
      if (above > 0 && passedBy_[at(other)] != 0) continue;
      if (!fit(own, weights(nodes, other), room)) continue;
      compare(offers(nodes, part, other), offers(nodes, other, part), excess, room, other, bestSwap);
    }
    return bestSwap;
  }

  /// Those there are, ascending.
  std::vector<std::int32_t> weights(const std::vector<Vertex>& nodes, std::int32_t part) const {
    std::vector<std::int32_t> nodeWeights;
    for (const Vertex v : nodes)
      if (state_.owner(v) == part) nodeWeights.push_back(state_.graph().nodeWeight[at(v)]);
    std::ranges::sort(nodeWeights);
    nodeWeights.erase(std::ranges::unique(nodeWeights).begin(), nodeWeights.end());
    return nodeWeights;
  }
  /// Whether one that leaves may be heavier than one that comes, by no more than `room`: looked at before
  /// gains, which take longer.
  static bool fit(const std::vector<std::int32_t>& out, const std::vector<std::int32_t>& in,
                  std::int64_t room) {
    return std::ranges::any_of(out, [&](std::int32_t leaving) {
      const auto heavier = std::ranges::lower_bound(in, leaving);
      return heavier != in.begin() && leaving - *std::prev(heavier) <= room;
    });
  }

  /// One for each weight there is, the lightest first.
  std::vector<Offer> offers(const std::vector<Vertex>& nodes, std::int32_t from, std::int32_t to) const {
    std::vector<Offer> offers;
    for (const Vertex v : nodes)
      if (state_.owner(v) == from)
        offers.push_back({state_.graph().nodeWeight[at(v)], state_.gain(v, to), v});
    std::ranges::sort(offers, [](const Offer& a, const Offer& b) {
      return std::tuple(a.weight, -a.gain, a.node) < std::tuple(b.weight, -b.gain, b.node);
    });
    const auto same = std::ranges::unique(offers, {}, &Offer::weight);
    offers.erase(same.begin(), same.end());
    return offers;
  }

  /// Every pair that makes the part lighter and the other no heavier than it may be.
  void compare(const std::vector<Offer>& out, const std::vector<Offer>& in, std::int64_t excess,
               std::int64_t room, std::int32_t other, Swap& bestSwap) const {
    auto first = in.begin();
    for (const Offer& leaving : out) {
      while (first != in.end() && leaving.weight - first->weight > room) ++first;
      for (auto coming = first; coming != in.end() && coming->weight < leaving.weight; ++coming) {
        const std::int64_t lighter = leaving.weight - coming->weight;
        const double worth =
            static_cast<double>(leaving.gain + coming->gain) / static_cast<double>(std::min(excess, lighter));
        if (bestSwap.out < 0 || worth > bestSwap.worth) bestSwap = {leaving.node, coming->node, other, worth};
      }
    }
  }

  NetParts& state_;
  std::int64_t limit_;
  std::vector<std::uint8_t> passedBy_;
  std::vector<Vertex> boundary_;  // as it was at first: cheap nodes are on it
};

}  // namespace

std::int64_t excessOf(const NetParts& state, std::int64_t limit) {
  std::int64_t sum = 0;
  for (const std::int64_t weight : state.weights()) sum += std::max<std::int64_t>(0, weight - limit);
  return sum;
}

void rebalance(NetParts& state, std::int64_t limit) {
  if (excessOf(state, limit) == 0) return;
  MoveFinder finder(state, limit);
  for (std::int32_t part = 0; part < state.parts(); ++part)
    if (state.weight(part) > limit) moveOut(state, finder, part, limit);
}

void swapIntoBalance(NetParts& state, std::int64_t limit) {
  if (excessOf(state, limit) == 0) return;
  Swaps swaps(state, limit);
  for (std::int32_t part = 0; part < state.parts(); ++part) swaps.lighten(part);
}

}  // namespace halo
