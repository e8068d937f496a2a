#include "simulator/cluster/broadcast_clocks.h"

#include <algorithm>
#include <cmath>

namespace halo::cluster {
namespace {

constexpr double kNsPerUs = 1e3;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Ranks from `begin` to before `end`.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t count() const { return end - begin; }
};
std::int64_t common(Range one, Range other) {
  return std::max<std::int64_t>(0, std::min(one.end, other.end) - std::max(one.begin, other.begin));
}

Range nodeOf(const Machine& machine, int rank, int ranks) {
  const std::int64_t first = machine.nodeOf(rank) * machine.ranksPerNode;
  return {first, std::min<std::int64_t>(first + machine.ranksPerNode, ranks)};
}

/// Messages of one rank to one other, `bytes` together.
struct Message {
  double count = 0, bytes = 0;
};
double startNs(Message message, const MessageCosts& costs) {
  return message.count * costs.startUs * kNsPerUs;
}
double bytesNs(Message message, const MessageCosts& costs) { return message.bytes / costs.gbPerS; }
/// What the message holds a rank's memory, or a card that no other rank uses.
double heldNs(Message message, const MessageCosts& costs) {
  return startNs(message, costs) + bytesNs(message, costs);
}

double copyNs(double bytes, double gbPerS) { return gbPerS > 0 ? bytes / gbPerS : 0; }

/// How many roots of a node send in turn, so that starts of some hide behind bytes of others.
double togetherOf(int ranks, double startNs, double bytesNs) {
  return 1 + (bytesNs > 0 ? std::ceil(startNs / bytesNs) : static_cast<double>(ranks));
}
/// Flat broadcasts of which only the roots' sums are known.
class SummedRoots {
 public:
  SummedRoots(const Traffic& traffic, const Machine& machine, int ranks)
      : traffic_(traffic), machine_(machine), ranks_(ranks) {
    // what all roots before one hold a receiver beyond their node, and within it, for
    startsBefore_ = bytesBefore_ = {0};
    for (int root = 0; root < ranks; ++root) {
      startsBefore_.push_back(startsBefore_.back() + messageOf(root).count);
      bytesBefore_.push_back(bytesBefore_.back() + messageOf(root).bytes);
    }
  }

  /// To each of the others.
  Message messageOf(int root) const {
    const double others = ranks_ - 1;
    return {static_cast<double>(traffic_.outMessages[root]) / others,
            static_cast<double>(traffic_.outBytes[root]) / others};
  }
  bool sends(int root) const { return traffic_.outMessages[root] > 0; }
  std::int64_t beyond(int root) const { return ranks_ - nodeOf(machine_, root, ranks_).count(); }
  /// To whom the root sends last beyond its node; itself where nobody is there.
  std::int64_t lastBeyond(int root) const {
    const Range own = nodeOf(machine_, root, ranks_);
    if (beyond(root) == 0) return root;
    const bool wraps = machine_.messageOrder != MessageOrder::ascending && own.begin > 0;
    return wraps || own.end == ranks_ ? own.begin - 1 : ranks_ - 1;
  }
  /// Of the processor, to post all of it.
  double postedNs(int root) const {
    const auto near = static_cast<double>(nodeOf(machine_, root, ranks_).count() - 1);
    return messageOf(root).count * kNsPerUs *
           (near * machine_.within.sendOverheadUs + (ranks_ - 1 - near) * machine_.between.sendOverheadUs);
  }
  /// Of the target's processor and device, once the message is there.
  double receivedNs(int root, int target) const {
    return copyNs(messageOf(root).bytes, machine_.staging.inGbPerS) +
           messageOf(root).count * costsOf(root, target).receiveOverheadUs * kNsPerUs;
  }
  /// From when the root begins until the first byte of its message comes to the target.
  double firstNs(int root, int target) const {
    const Range own = nodeOf(machine_, root, ranks_);
    std::int64_t before = 0, near = 0;
    const auto add = [&](Range targets) {
      before += targets.count() - common(targets, {root, root + 1});
      near += common(targets, own) - common(targets, {root, root + 1});
    };
    if (machine_.messageOrder == MessageOrder::ascending) {
      add({0, target});
    } else if (target > root) {
      add({root + 1, target});
    } else {
      add({root + 1, ranks_});
      add({0, target});
    }
    const MessageCosts& costs = costsOf(root, target);
    const auto alike = static_cast<double>(sameNode(root, target) ? near : before - near);
    return alike * heldNs(messageOf(root), costs) + costs.wireUs * kNsPerUs;
  }
  /// From when the first of these roots' message comes to the target until those of all of them are there
  /// that go the way of the first's: through memory, or by the node's card, which has one for each of its
  /// ranks.
  double takenFromNs(int target, Range roots) const {
    const Range own = nodeOf(machine_, target, ranks_);
    const auto first = static_cast<int>(roots.begin);
    const std::int64_t nearBegin = std::clamp(roots.begin, own.begin, own.end);
    Message within = sumOf({nearBegin, std::clamp(roots.end, nearBegin, own.end)});
    if (sameNode(first, target)) {
      if (roots.begin <= target && target < roots.end) within = less(within, messageOf(target));
      return heldNs(within, machine_.within);
    }
    const Message beyond = less(sumOf(roots), within), ofFirst = messageOf(first);
    const double card = heldNs(ofFirst, machine_.between) +
                        static_cast<double>(own.count()) * bytesNs(less(beyond, ofFirst), machine_.between);
    return std::max(heldNs(beyond, machine_.between), card);
  }
  bool sameNode(int root, int target) const { return machine_.nodeOf(root) == machine_.nodeOf(target); }
  const MessageCosts& costsOf(int root, int target) const {
    return sameNode(root, target) ? machine_.within : machine_.between;
  }

 private:
  static Message less(Message all, Message part) { return {all.count - part.count, all.bytes - part.bytes}; }
  Message sumOf(Range roots) const {
    return {startsBefore_[at(roots.end)] - startsBefore_[at(roots.begin)],
            bytesBefore_[at(roots.end)] - bytesBefore_[at(roots.begin)]};
  }

  const Traffic& traffic_;
  const Machine& machine_;
  int ranks_;
  std::vector<double> startsBefore_, bytesBefore_;
};

}  // namespace

bool sentFlat(const Traffic& broadcasts, const Machine& machine) {
  double bytes = 0;
  for (const Flow& f : broadcasts.flows)
    bytes = std::max(bytes, static_cast<double>(f.bytes) / static_cast<double>(f.messages));
  if (!broadcasts.pairwise) {
    const auto most = static_cast<double>(std::max<std::int64_t>(broadcasts.outMessages.largest(0), 1));
    bytes = static_cast<double>(broadcasts.outBytes.largest(0)) / most;
  }
  return machine.algorithm(Collective::broadcast, bytes) == "flat";
}

BroadcastClocks::BroadcastClocks(const Machine& machine, int ranks)
    : machine_(machine),
      ranks_(ranks),
      cards_(at(machine.nodeOf(ranks - 1)) + 1),
      outNs_(at(ranks)),
      inNs_(at(ranks)),
      inBeyondNs_(at(ranks)),
      cardInNs_(cards_.size()) {}

void BroadcastClocks::broadcast(const Traffic& traffic, std::vector<double>& readyNs) {
  if (ranks_ < 2) return;
  for (Card& card : cards_) card.roots = 0;
  traffic.pairwise ? pairs(traffic, readyNs) : sums(traffic, readyNs);
}

double BroadcastClocks::onCardNs(int root, double postedNs, double messages, double startNs, double bytesNs) {
  Card& card = cardOf(root);
  if (card.roots == 0 || card.roots >= togetherOf(ranks_, startNs, bytesNs)) {
    card.turnNs = card.bytesNs = std::max(card.freeNs, postedNs);
    card.roots = 0;
  }
  ++card.roots;
  const double begins = std::max(card.turnNs, postedNs);
  card.bytesNs = std::max(card.bytesNs, postedNs) + messages * bytesNs;
  card.freeNs = std::max({card.freeNs, card.bytesNs, begins + messages * (startNs + bytesNs)});
  return begins;
}

double BroadcastClocks::takenInNs(int target, bool beyond, double comesNs, double startNs, double bytesNs) {
  double& own = (beyond ? inBeyondNs_ : inNs_)[at(target)];
  double begins = std::max(comesNs, own + startNs);
  double& card = cardInNs_[at(machine_.nodeOf(target))];
  if (beyond) begins = std::max(begins, card);
  own = begins + bytesNs;
  if (beyond) card = own;
  return own;
}

void BroadcastClocks::pairs(const Traffic& traffic, std::vector<double>& readyNs) {
  for (auto begin = traffic.flows.begin(), end = begin; begin != traffic.flows.end(); begin = end) {
    const int root = begin->source;
    end = std::find_if(begin, traffic.flows.end(), [&](const Flow& f) { return f.source != root; });
    const auto costsOf = [&](const Flow& f) -> const MessageCosts& {
      return machine_.nodeOf(f.source) == machine_.nodeOf(f.target) ? machine_.within : machine_.between;
    };
    double overhead = 0, bytes = 0, flowsBeyond = 0;
    Message all;  // beyond the node
    for (auto f = begin; f != end; ++f) {
      overhead += static_cast<double>(f->messages) * costsOf(*f).sendOverheadUs * kNsPerUs;
      bytes += static_cast<double>(f->bytes);
      if (&costsOf(*f) != &machine_.between) continue;
      all.count += static_cast<double>(f->messages);
      all.bytes += static_cast<double>(f->bytes);
      ++flowsBeyond;
    }
    readyNs[at(root)] += overhead;
    const double posted = readyNs[at(root)] + copyNs(bytes, machine_.staging.outGbPerS);
    readyNs[at(root)] += copyNs(bytes, machine_.messageCopyGbPerS);
    double& memory = outNs_[at(root)];
    memory = std::max(memory, posted);
    double card = 0;
    if (flowsBeyond > 0)
      card = onCardNs(root, posted, flowsBeyond, startNs(all, machine_.between) / flowsBeyond,
                      bytesNs(all, machine_.between) / flowsBeyond);
    const auto next = machine_.messageOrder == MessageOrder::ascending
                          ? begin
                          : std::find_if(begin, end, [&](const Flow& f) { return f.target > f.source; });
    for (std::ptrdiff_t i = 0; i < end - begin; ++i) {
      const Flow& f = i < end - next ? next[i] : begin[i - (end - next)];
      const MessageCosts& costs = costsOf(f);
      const Message message = {static_cast<double>(f.messages), static_cast<double>(f.bytes)};
      const bool beyond = &costs == &machine_.between;
      const double start = startNs(message, costs), takes = bytesNs(message, costs);
      double& out = beyond ? card : memory;
      if (beyond && --flowsBeyond == 0) out = std::max(out, cardOf(root).bytesNs - start - takes);
      const double comes = out + start + costs.wireUs * kNsPerUs;
      out += start + takes;
      const double in = takenInNs(f.target, beyond, comes, start, takes);
      double& ready = readyNs[at(f.target)];
      ready = std::max(ready + copyNs(message.bytes, machine_.messageCopyGbPerS),
                       in + copyNs(message.bytes, machine_.staging.inGbPerS)) +
              message.count * costs.receiveOverheadUs * kNsPerUs;
    }
  }
}

void BroadcastClocks::sums(const Traffic& traffic, std::vector<double>& readyNs) {
  const SummedRoots roots(traffic, machine_, ranks_);
  // when a root's messages begin, within its node and beyond
  std::vector<double> postedNs(at(ranks_), 0), begunNs(at(ranks_), 0);
  std::vector<double> sentNs(at(ranks_), 0);  // when the last of them comes at the earliest
  std::vector<int> begun;
  // when the messages of all that have begun have come: those from one of them on, one after the other
  const auto comes = [&](int target, int end) {
    double ns = readyNs[at(target)];
    const auto from = [&](int root) {
      if (root == target) return;
      const double begins = (roots.sameNode(root, target) ? postedNs : begunNs)[at(root)];
      ns = std::max(ns, begins + roots.firstNs(root, target) + roots.takenFromNs(target, {root, end}) +
                            roots.receivedNs(root, target));
    };
    const auto fromSome = [&](auto first, auto last) {
      for (std::ptrdiff_t back = 1; back < last - first; back *= 2) from(*(last - back));
      for (std::ptrdiff_t i = 0; i < std::min<std::ptrdiff_t>(last - first, 2); ++i) from(*(first + i));
    };
    const Range own = nodeOf(machine_, target, ranks_);
    const auto near = std::ranges::lower_bound(begun, own.begin),
               after = std::ranges::lower_bound(begun, own.end);
    fromSome(begun.begin(), near);
    fromSome(near, after);
    fromSome(after, begun.end());
    return ns;
  };
  for (int root = 0; root < ranks_; ++root) {
    if (!roots.sends(root)) continue;
    double& ready = readyNs[at(root)];
    ready = comes(root, root) + roots.postedNs(root);
    const auto bytes = static_cast<double>(traffic.outBytes[root]);
    postedNs[at(root)] = ready + copyNs(bytes, machine_.staging.outGbPerS);
    const Message each = roots.messageOf(root);
    if (roots.beyond(root) > 0)
      begunNs[at(root)] = onCardNs(root, postedNs[at(root)], static_cast<double>(roots.beyond(root)),
                                   startNs(each, machine_.between), bytesNs(each, machine_.between));
    ready += copyNs(bytes, machine_.messageCopyGbPerS);
    begun.push_back(root);
    if (roots.beyond(root) > 0) sentNs[at(root)] = cardOf(root).bytesNs + machine_.between.wireUs * kNsPerUs;
  }
  for (int target = 0; target < ranks_; ++target) readyNs[at(target)] = comes(target, ranks_);
  for (const int root : begun) {
    double& last = readyNs[at(roots.lastBeyond(root))];
    last = std::max(last, sentNs[at(root)]);
  }
}

}  // namespace halo::cluster
