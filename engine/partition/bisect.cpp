#include "engine/partition/bisect.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <numeric>
#include <queue>

#include "engine/base/philox.h"
#include "engine/partition/gain_rows.h"
#include "engine/partition/multilevel.h"
#include "engine/partition/refine.h"
#include "engine/partition/shuffle.h"

namespace halo {
namespace {

constexpr Vertex kCoarsest = 150;  // nodes that halves are grown on
constexpr int kStarts = 2;         // grown from different nodes
constexpr RefineEffort kEffort{.patience = 50, .seeds = 4};

/// What the first and the second half may weigh.
struct Room {
  std::int64_t first, second;
};

/// Moves nodes from part 1, where all are, to part 0, until it holds its share: of those that share a net
/// with it always one of the largest gain, or any where there is none.
class Growth {
 public:
  Growth(NetParts& state, PhiloxStream& random)
      : state_(state),
        gains_(state, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::size_t>::max()),
        random_(random) {
    for (Vertex v = 0; v < state.graph().nodeCount(); ++v) gains_.reserve(v);
  }

  void run(std::int64_t share, const Room& room) {
    std::vector<Vertex> others(static_cast<std::size_t>(state_.graph().nodeCount()));
    std::iota(others.begin(), others.end(), 0);
    shuffle(others, random_);
    std::int64_t grown = 0;
    while (grown < share && (!queue_.empty() || !others.empty())) {
      Vertex node = -1;
      if (queue_.empty()) {
        node = others.back();
        others.pop_back();
      } else {
        const Candidate top = queue_.top();
        queue_.pop();
        if (gains_.gain(top.node, 0) == top.gain) node = top.node;  // else it came again with its new gain
      }
      if (node < 0 || state_.owner(node) == 0) continue;
      const std::int64_t weight = state_.graph().nodeWeight[static_cast<std::size_t>(node)];
      if (grown + weight > room.first) continue;
      grown += weight;
      take(node);
    }
  }

 private:
  struct Candidate {
    std::int64_t gain;
    std::uint32_t chance;  // decides between equal gains
    Vertex node;
    auto operator<=>(const Candidate&) const = default;
  };

  void take(Vertex node) {
    nearer_.clear();
    last_.clear();
    gains_.move(
        node, 0, [&](Vertex net) { nearer_.push_back(net); }, [&](Vertex pin) { last_.push_back(pin); });
    for (const Vertex net : nearer_)
      for (const Vertex pin : state_.graph().pinsOf(net)) offer(pin);
    for (const Vertex pin : last_) offer(pin);
  }
  void offer(Vertex node) {
    if (state_.owner(node) != 0) queue_.push({gains_.gain(node, 0), random_.next(), node});
  }

  NetParts& state_;
  GainRows gains_;
  PhiloxStream& random_;
  std::priority_queue<Candidate> queue_;
  std::vector<Vertex> nearer_, last_;
};

/// Weight above what the halves may hold.
std::int64_t excess(const NetParts& state, const Room& room) {
  const std::int64_t most = std::max(room.first, room.second);
  std::int64_t sum = 0;
  for (const std::int64_t weight : state.weights()) sum += std::max<std::int64_t>(0, weight - most);
  return sum;
}

class Bisection {
 public:
  Bisection(const Hypergraph& graph, double firstShare, const Room& room, std::uint64_t seed)
      : firstShare_(firstShare), room_(room), seed_(seed), levels_(graph, kCoarsest, nullptr, seed) {}

  Owners run() {
    Owners owners = start();
    for (std::size_t level = levels_.count(); level-- > 0;) {
      NetParts state = halves(levels_.graph(level), std::move(owners));
      rebalance(state, limit());
      refine(state, limit(), kEffort, seed_ + level);
      owners = state.takeOwners();
      if (level > 0) owners = levels_.toFiner(owners, level);
    }
    return owners;
  }

 private:
  std::int64_t limit() const { return std::max(room_.first, room_.second); }
  /// The half with less room starts with the difference, so that one limit holds for both.
  NetParts halves(const Hypergraph& graph, Owners owners) const {
    return {graph, std::move(owners), 2, {limit() - room_.first, limit() - room_.second}};
  }

  Owners start() const {
    const Hypergraph& coarsest = levels_.graph(levels_.count() - 1);
    const auto share =
        static_cast<std::int64_t>(firstShare_ * static_cast<double>(totalWeight(coarsest.nodeWeight)));
    PhiloxStream random(seed_, Purpose::partition, 4);
    std::pair<std::int64_t, std::int64_t> best{std::numeric_limits<std::int64_t>::max(), 0};
    Owners owners;
    for (int i = 0; i < kStarts; ++i) {
      NetParts state = halves(coarsest, Owners(static_cast<std::size_t>(coarsest.nodeCount()), 1));
      Growth(state, random).run(share, room_);
      rebalance(state, limit());
      refine(state, limit(), kEffort, seed_ + 100 + static_cast<std::uint64_t>(i));
      const std::pair cost{excess(state, room_), state.connectivity()};
      if (cost >= best) continue;
      best = cost;
      owners = state.takeOwners();
    }
    return owners;
  }

  double firstShare_;
  Room room_;
  std::uint64_t seed_;
  Levels levels_;
};

/// The nodes of one half with the pieces of nets that lie in it.
Hypergraph half(const Hypergraph& graph, const Owners& owners, std::int32_t which) {
  std::vector<Vertex> number(owners.size(), -1);
  Hypergraph inside;
  for (std::size_t v = 0; v < owners.size(); ++v)
    if (owners[v] == which) {
      number[v] = static_cast<Vertex>(inside.nodeWeight.size());
      inside.nodeWeight.push_back(graph.nodeWeight[v]);
    }
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    const std::size_t begin = inside.pins.size();
    for (const Vertex pin : graph.pinsOf(net))
      if (number[static_cast<std::size_t>(pin)] >= 0)
        inside.pins.push_back(number[static_cast<std::size_t>(pin)]);
    if (inside.pins.size() - begin < 2) {
      inside.pins.resize(begin);
      continue;
    }
    inside.netBegin.push_back(static_cast<std::int64_t>(inside.pins.size()));
    inside.netWeight.push_back(graph.netWeight[static_cast<std::size_t>(net)]);
  }
  completeNodes(inside, static_cast<Vertex>(inside.nodeWeight.size()));
  return inside;
}

void split(const Hypergraph& graph, int parts, std::int64_t limit, std::uint64_t seed, Owners& owners) {
  owners.assign(static_cast<std::size_t>(graph.nodeCount()), 0);
  if (parts == 1) return;
  if (graph.netCount() == 0 || graph.nodeCount() <= parts) {
    owners = spreadByWeight(graph.nodeWeight, parts);
    return;
  }
  // what is spare is shared out evenly over the bisections still to come
  const auto total = static_cast<double>(totalWeight(graph.nodeWeight));
  const double spare = std::max(1.0, static_cast<double>(limit) * parts / total);
  const double here = std::pow(spare, 1.0 / std::bit_width(static_cast<unsigned>(parts - 1)));
  const int first = (parts + 1) / 2, second = parts - first;
  const auto room = [&](int count) {
    return static_cast<std::int64_t>(std::ceil(here * total * count / parts));
  };
  owners = Bisection(graph, static_cast<double>(first) / parts, {room(first), room(second)}, seed).run();
  Owners inner[2];
  for (const int which : {0, 1})
    split(half(graph, owners, which), which == 0 ? first : second, limit,
          2 * seed + static_cast<std::uint64_t>(which), inner[which]);
  std::size_t next[2] = {0, 0};
  for (std::int32_t& owner : owners) {
    const auto which = static_cast<std::size_t>(owner);
    owner = inner[which][next[which]++] + (which == 0 ? 0 : first);
  }
}

}  // namespace

Owners recursivelyBisected(const Hypergraph& graph, int parts, std::int64_t limit, std::uint64_t seed) {
  Owners owners;
  split(graph, parts, limit, seed, owners);
  return owners;
}

}  // namespace halo
