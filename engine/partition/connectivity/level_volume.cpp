#include "engine/partition/connectivity/level_volume.h"

#include <algorithm>
#include <utility>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr std::int64_t kSteps = 16;  // a part that sends most is to send a 16th less at a time

/// The vertex whose rows a net stands for: columnNets puts it first.
Vertex vertexOf(const Hypergraph& graph, Vertex net) { return graph.pinsOf(net).front(); }

class Levelling {
 public:
  Levelling(NetParts& state, std::int64_t limit, std::int64_t most, std::int64_t total)
      : state_(state),
        limit_(limit),
        most_(most),
        total_(total),
        sent_(sentRowsOf(state)),
        change_(sent_.size(), 0) {}

  /// Step by step: others may grow to where the largest is to be next, not only to where all are to be.
  void run() {
    for (std::int64_t largest = std::ranges::max(sent_); largest > most_;) {
      bar_ = std::max(most_, largest - std::max<std::int64_t>(1, largest / kSteps));
      for (std::int32_t part = 0; part < state_.parts(); ++part)
        while (sent(part) > bar_ && relieve(part)) {
        }
      const std::int64_t before = std::exchange(largest, std::ranges::max(sent_));
      if (largest == before) return;
    }
  }

 private:
  struct Offer {
    double price;  // rows that the total grows by, for each that the part sends less
    Vertex node;
    std::int32_t to;
  };

  std::int64_t sent(std::int32_t part) const { return sent_[at(part)]; }

  /// One round over all moves that would help the part; whether there were any.
  bool relieve(std::int32_t part) {
    std::vector<Offer> offers;
    const auto consider = [&](Vertex node, std::int32_t to) {
      if (const auto price = priceOf(node, to, part); price < kNone) offers.push_back({price, node, to});
    };
    for (Vertex net = 0; net < state_.graph().netCount(); ++net) {
      const Vertex vertex = vertexOf(state_.graph(), net);
      if (state_.owner(vertex) != part) continue;
      for (const auto& [other, pins] : state_.touched(net)) {
        if (other == part) continue;
        consider(vertex, other);
        if (pins == 1) consider(onlyPin(net, other), part);
      }
    }
    std::ranges::stable_sort(offers, {}, &Offer::price);
    bool moved = false;
    for (const Offer& offer : offers) {
      if (sent(part) <= bar_) break;
      if (state_.owner(offer.node) == offer.to || priceOf(offer.node, offer.to, part) > offer.price) continue;
      take(offer.node, offer.to);
      moved = true;
    }
    return moved;
  }

  Vertex onlyPin(Vertex net, std::int32_t part) const {
    return *std::ranges::find_if(state_.graph().pinsOf(net),
                                 [&](Vertex pin) { return state_.owner(pin) == part; });
  }

  /// Of a move for each row that `part` sends less; kNone where it does not, or breaks a bound.
  double priceOf(Vertex node, std::int32_t to, std::int32_t part) {
    if (state_.weight(to) + state_.graph().nodeWeight[at(node)] > limit_) return kNone;
    const std::int64_t lost = effectOf(node, to);
    const std::int64_t less = -change_[at(part)];
    bool allowed = less > 0 && state_.connectivity() + lost <= total_;
    for (const std::int32_t other : changed_) {
      const std::int64_t more = std::exchange(change_[at(other)], 0);
      if (more > 0 && sent(other) + more > bar_) allowed = false;
    }
    return allowed ? static_cast<double>(lost) / static_cast<double>(less) : kNone;
  }

  /// By how much the total would grow. Puts what each part would send more into change_. The parts where that
  /// is not 0 go into changed_, some perhaps twice.
  std::int64_t effectOf(Vertex node, std::int32_t to) {
    const std::int32_t from = state_.owner(node);
    std::int64_t lost = 0;
    changed_.clear();
    for (const Vertex net : state_.graph().netsOf(node)) {
      const std::int64_t more = (state_.pinsIn(net, to) == 0) - (state_.pinsIn(net, from) == 1);
      lost += more;
      const Vertex vertex = vertexOf(state_.graph(), net);
      if (vertex == node) {
        const std::int64_t copies = std::ssize(state_.touched(net)) - 1;
        change(from, -copies);
        change(to, copies + more);
      } else {
        change(state_.owner(vertex), more);
      }
    }
    return lost;
  }
  void change(std::int32_t part, std::int64_t more) {
    if (more == 0) return;
    change_[at(part)] += more;
    changed_.push_back(part);
  }

  void take(Vertex node, std::int32_t to) {
    effectOf(node, to);
    for (const std::int32_t part : changed_) sent_[at(part)] += std::exchange(change_[at(part)], 0);
    state_.move(node, to);
  }

  static constexpr double kNone = 1e18;

  NetParts& state_;
  std::int64_t limit_, most_, total_, bar_ = 0;
  std::vector<std::int64_t> sent_, change_;  // change_ is zero between calls
  std::vector<std::int32_t> changed_;
};

}  // namespace

std::vector<std::int64_t> sentRowsOf(const NetParts& state) {
  std::vector<std::int64_t> sent(at(state.parts()), 0);
  for (Vertex net = 0; net < state.graph().netCount(); ++net)
    sent[at(state.owner(vertexOf(state.graph(), net)))] +=
        static_cast<std::int64_t>(state.touched(net).size()) - 1;
  return sent;
}

void levelVolume(NetParts& state, std::int64_t limit, std::int64_t most, std::int64_t total) {
  Levelling(state, limit, most, total).run();
}

}  // namespace halo
