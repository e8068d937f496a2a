#include "engine/partition/connectivity/bisect.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <future>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/partition/connectivity/metis.h"
#include "engine/partition/hypergraph/gain_rows.h"
#include "engine/partition/hypergraph/multilevel.h"
#include "engine/partition/hypergraph/rebalance.h"
#include "engine/partition/hypergraph/refine.h"
#include "engine/partition/hypergraph/shuffle.h"

namespace halo {
namespace {

constexpr Vertex kCoarsest = 150;            // nodes that halves begin with
constexpr int kStarts = 2;                   // the first METIS's, the second grown
constexpr std::size_t kLargestClique = 200;  // pins; a larger net says little about who belongs together
constexpr double kMetisImbalance = 0.03;

/// What the first and the second half may weigh.
struct Room {
  std::int64_t first, second;
};

/// Moves nodes from part 1, where all are, to part 0, until part 0 holds its share. Of the nodes that share a
/// net with part 0, the next has the largest gain for the weight of its nets. The gain alone would pick nodes
/// with few nets, wherever they are. Where no node shares a net with part 0, any is next.
class Growth {
 public:
  Growth(NetParts& state, PhiloxStream& random)
      : state_(state),
        gains_(state, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::size_t>::max()),
        random_(random),
        netWeights_(at(state.graph().nodeCount()), 0) {
    for (Vertex v = 0; v < state.graph().nodeCount(); ++v) {
      gains_.reserve(v);
      for (const Vertex net : state.graph().netsOf(v)) netWeights_[at(v)] += state.graph().netWeight[at(net)];
    }
  }

  void run(std::int64_t share, const Room& room) {
    std::vector<Vertex> others(at(state_.graph().nodeCount()));
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
        if (gain(top.node) == top.gain) node = top.node;  // else it came again with its new gain
      }
      if (node < 0 || state_.owner(node) == 0) continue;
      const std::int64_t weight = state_.graph().nodeWeight[at(node)];
      if (grown + weight > room.first) continue;
      grown += weight;
      take(node);
    }
  }

 private:
  struct Candidate {
    float gain;
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
    if (state_.owner(node) != 0) queue_.push({gain(node), random_.next(), node});
  }
  float gain(Vertex node) const {
    return static_cast<float>(gains_.gain(node, 0)) / static_cast<float>(netWeights_[at(node)]);
  }

  NetParts& state_;
  GainRows gains_;
  PhiloxStream& random_;
  std::vector<std::int64_t> netWeights_;  // weight of a node's nets
  std::priority_queue<Candidate> queue_;
  std::vector<Vertex> nearer_, last_;
};

/// Every net as a clique of its pins that shares its weight: in tenths, or as finely as METIS's numbers hold
/// their sum.
Csr cliques(const Hypergraph& graph) {
  double sum = 0;
  for (Vertex net = 0; net < graph.netCount(); ++net)
    sum += static_cast<double>(graph.netWeight[at(net)]) * static_cast<double>(graph.pinsOf(net).size());
  const auto unit = static_cast<float>(std::min(10.0, 1e9 / std::max(1.0, sum)));
  Csr edges;
  edges.cols = graph.nodeCount();
  std::vector<float> shared(at(graph.nodeCount()), 0);
  std::vector<Vertex> neighbours;
  for (Vertex v = 0; v < graph.nodeCount(); ++v) {
    neighbours.clear();
    for (const Vertex net : graph.netsOf(v)) {
      const auto pins = graph.pinsOf(net);
      if (pins.size() > kLargestClique) continue;
      const float share =
          unit * static_cast<float>(graph.netWeight[at(net)]) / static_cast<float>(pins.size() - 1);
      for (const Vertex pin : pins) {
        if (pin == v) continue;
        if (shared[at(pin)] == 0) neighbours.push_back(pin);
        shared[at(pin)] += share;
      }
    }
    std::ranges::sort(neighbours);
    for (const Vertex pin : neighbours) {
      edges.columns.push_back(pin);
      edges.values.push_back(std::max<Scalar>(1, std::round(std::exchange(shared[at(pin)], 0))));
    }
    edges.offsets.push_back(static_cast<Index>(edges.columns.size()));
  }
  return edges;
}

class Bisection {
 public:
  Bisection(const Hypergraph& graph, double firstShare, const Room& room, const RefineEffort& effort,
            std::uint64_t seed)
      : firstShare_(firstShare),
        room_(room),
        effort_(effort),
        seed_(seed),
        levels_(graph, kCoarsest, nullptr, seed) {}

  Owners run() {
    Owners owners = start();
    for (std::size_t level = levels_.count(); level-- > 0;) {
      NetParts state = halves(levels_.graph(level), std::move(owners));
      rebalance(state, limit());
      refine(state, limit(), effort_, seed_ + level);
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
    const Hypergraph& coarsest = levels_.coarsest();
    const Csr edges = cliques(coarsest);
    PhiloxStream random(seed_, Purpose::partition, 4);
    std::pair<std::int64_t, std::int64_t> best{std::numeric_limits<std::int64_t>::max(), 0};
    Owners owners;
    for (std::uint64_t i = 0; i < kStarts; ++i) {
      NetParts state = i == 0 && edges.nonzeros() > 0 ? cut(edges, seed_ + i) : grown(random);
      rebalance(state, limit());
      refine(state, limit(), effort_, seed_ + 100 + i);
      const std::pair cost{excessOf(state, limit()), state.connectivity()};
      if (cost >= best) continue;
      best = cost;
      owners = state.takeOwners();
    }
    return owners;
  }

  NetParts cut(const Csr& edges, std::uint64_t seed) const {
    const float shares[] = {static_cast<float>(firstShare_), static_cast<float>(1 - firstShare_)};
    return halves(levels_.coarsest(),
                  fewCutEdges(edges, levels_.coarsest().nodeWeight, shares, kMetisImbalance, seed));
  }

  NetParts grown(PhiloxStream& random) const {
    const Hypergraph& coarsest = levels_.coarsest();
    NetParts state = halves(coarsest, Owners(at(coarsest.nodeCount()), 1));
    const auto share = firstShare_ * static_cast<double>(totalWeight(coarsest.nodeWeight));
    Growth(state, random).run(static_cast<std::int64_t>(share), room_);
    return state;
  }

  double firstShare_;
  Room room_;
  const RefineEffort& effort_;
  std::uint64_t seed_;
  Levels levels_;
};

/// The nodes of one half with the pieces of nets that lie in it.
Hypergraph half(const Hypergraph& graph, const Owners& owners, std::int32_t side) {
  std::vector<Vertex> number(owners.size(), -1);
  Hypergraph inside;
  for (std::size_t v = 0; v < owners.size(); ++v)
    if (owners[v] == side) {
      number[v] = static_cast<Vertex>(inside.nodeWeight.size());
      inside.nodeWeight.push_back(graph.nodeWeight[v]);
    }
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    const std::size_t begin = inside.pins.size();
    for (const Vertex pin : graph.pinsOf(net))
      if (number[at(pin)] >= 0) inside.pins.push_back(number[at(pin)]);
    if (inside.pins.size() - begin < 2) {
      inside.pins.resize(begin);
      continue;
    }
    inside.netBegin.push_back(static_cast<std::int64_t>(inside.pins.size()));
    inside.netWeight.push_back(graph.netWeight[at(net)]);
  }
  completeNodes(inside, static_cast<Vertex>(inside.nodeWeight.size()));
  return inside;
}

void split(const Hypergraph& graph, int parts, std::int64_t limit, const RefineEffort& effort,
           std::uint64_t seed, int threads, Owners& owners) {
  owners.assign(at(graph.nodeCount()), 0);
  if (parts == 1) return;
  if (graph.netCount() == 0 || graph.nodeCount() <= parts) {
    owners = spreadByWeight(graph.nodeWeight, parts);
    return;
  }
  // what is spare is shared out evenly over the bisections still to come
  const auto total = static_cast<double>(totalWeight(graph.nodeWeight));
  const double spare = std::max(1.0, static_cast<double>(limit) * parts / total);
  const double factor = std::pow(spare, 1.0 / std::bit_width(static_cast<unsigned>(parts - 1)));
  const int first = (parts + 1) / 2, second = parts - first;
  const auto room = [&](int count) {  // rounded up it could be more than all its parts together may weigh
    return std::min(limit * count, static_cast<std::int64_t>(std::ceil(factor * total * count / parts)));
  };
  owners =
      Bisection(graph, static_cast<double>(first) / parts, {room(first), room(second)}, effort, seed).run();
  Owners inner[2];
  const auto splitHalf = [&](int side) {
    split(half(graph, owners, side), side == 0 ? first : second, limit, effort,
          2 * seed + static_cast<std::uint64_t>(side), threads / 2, inner[side]);
  };
  if (threads > 1 && parts > 2) {
    auto other = std::async(std::launch::async, splitHalf, 1);
    splitHalf(0);
    other.get();
  } else {
    splitHalf(0);
    splitHalf(1);
  }
  std::size_t next[2] = {0, 0};
  for (std::int32_t& owner : owners) {
    const auto side = at(owner);
    owner = inner[side][next[side]++] + (side == 0 ? 0 : first);
  }
}

}  // namespace

Owners recursivelyBisected(const Hypergraph& graph, int parts, std::int64_t limit, std::uint64_t seed,
                           int threads, const RefineEffort& effort) {
  Owners owners;
  split(graph, parts, limit, effort, seed, threads, owners);
  return owners;
}

}  // namespace halo
