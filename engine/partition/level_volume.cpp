#include "engine/partition/level_volume.h"

#include <algorithm>

namespace halo {
namespace {

constexpr int kRounds = 4;  // over the parts that send too much

/// The vertex whose rows a net stands for: columnNets puts it first.
Vertex vertexOf(const Hypergraph& graph, Vertex net) { return graph.pinsOf(net).front(); }

class Levelling {
 public:
  Levelling(NetParts& state, std::int64_t limit, std::int64_t most, std::int64_t total)
      : state_(state), limit_(limit), most_(most), total_(total), sent_(sentRowsOf(state)) {
    netOf_.assign(static_cast<std::size_t>(state.graph().nodeCount()), -1);
    for (Vertex net = 0; net < state.graph().netCount(); ++net)
      netOf_[static_cast<std::size_t>(vertexOf(state.graph(), net))] = net;
  }

  void run() {
    for (int round = 0; round < kRounds; ++round) {
      bool moved = false;
      for (std::int32_t part = 0; part < state_.parts(); ++part)
        if (sent_[static_cast<std::size_t>(part)] > most_) moved |= relieve(part);
      if (!moved) return;
    }
  }

 private:
  /// Rows that a vertex sends: the parts that need it.
  std::int64_t copies(Vertex v) const {
    const Vertex net = netOf_[static_cast<std::size_t>(v)];
    return net < 0 ? 0 : static_cast<std::int64_t>(state_.touched(net).size()) - 1;
  }

  bool relieve(std::int32_t part) {
    struct Offer {
      std::int64_t gain;
      Vertex node;
    };
    std::vector<Offer> offers;
    for (Vertex v = 0; v < state_.graph().nodeCount(); ++v)
      if (state_.owner(v) == part && copies(v) > 0)
        if (const Move move = bestFor(v); move.part >= 0) offers.push_back({move.gain, v});
    std::ranges::stable_sort(offers, [](const Offer& a, const Offer& b) { return a.gain > b.gain; });
    bool moved = false;
    for (const Offer& offer : offers) {
      if (sent_[static_cast<std::size_t>(part)] <= most_) break;
      const Move move = bestFor(offer.node);
      if (move.part < 0 || state_.connectivity() - move.gain > total_) continue;
      shift(offer.node, move.part);
      moved = true;
    }
    return moved;
  }

  /// The cheapest part for `node` with room for its weight and for its rows.
  Move bestFor(Vertex node) const {
    const Vertex net = netOf_[static_cast<std::size_t>(node)];
    const std::int64_t weight = state_.graph().nodeWeight[static_cast<std::size_t>(node)];
    Move best;
    for (const auto& [part, pins] : state_.touched(net)) {
      if (part == state_.owner(node) || state_.weight(part) + weight > limit_ ||
          sent_[static_cast<std::size_t>(part)] + copies(node) > most_)
        continue;
      const std::int64_t gain = state_.gain(node, part);
      if (best.part < 0 || gain > best.gain || (gain == best.gain && part < best.part)) best = {gain, part};
    }
    return best;
  }

  void shift(Vertex node, std::int32_t part) {
    const std::int32_t from = state_.owner(node);
    state_.move(node, part, [&](Vertex net, std::int32_t leftIn, std::int32_t cameTo) {
      const std::int32_t owner = state_.owner(vertexOf(state_.graph(), net));
      sent_[static_cast<std::size_t>(owner)] += (cameTo == 1) - (leftIn == 0);
    });
    sent_[static_cast<std::size_t>(from)] -= copies(node);
    sent_[static_cast<std::size_t>(part)] += copies(node);
  }

  NetParts& state_;
  std::int64_t limit_, most_, total_;
  std::vector<std::int64_t> sent_;
  std::vector<Vertex> netOf_;  // -1: nobody else needs the vertex
};

}  // namespace

std::vector<std::int64_t> sentRowsOf(const NetParts& state) {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(state.parts()), 0);
  for (Vertex net = 0; net < state.graph().netCount(); ++net)
    sent[static_cast<std::size_t>(state.owner(vertexOf(state.graph(), net)))] +=
        static_cast<std::int64_t>(state.touched(net).size()) - 1;
  return sent;
}

void levelVolume(NetParts& state, std::int64_t limit, std::int64_t most, std::int64_t total) {
  Levelling(state, limit, most, total).run();
}

}  // namespace halo
