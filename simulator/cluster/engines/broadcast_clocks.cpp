#include "simulator/cluster/engines/broadcast_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/index.h"

namespace halo::cluster {
namespace {

constexpr double kNsPerUs = 1e3;
constexpr std::size_t kNoTurn = std::numeric_limits<std::size_t>::max();

/// Ranks from `begin` to before `end`.
struct Range {
  std::int64_t begin = 0, end = 0;
  std::int64_t count() const { return end - begin; }
};
std::int64_t common(Range range, Range other) {
  return std::max<std::int64_t>(0, std::min(range.end, other.end) - std::max(range.begin, other.begin));
}

Range nodeOf(const Machine& machine, int rank, int ranks) {
  const std::int64_t first = machine.nodeOf(rank) * machine.ranksPerNode;
  return {first, std::min<std::int64_t>(first + machine.ranksPerNode, ranks)};
}

/// Messages of one rank to one other, `bytes` together.
struct Message {
  double count = 0, bytes = 0;
};
Message messageOf(const Flow& f) { return {static_cast<double>(f.messages), static_cast<double>(f.bytes)}; }
double startNs(Message message, const MessageCosts& costs) {
  return message.count * costs.startUs * kNsPerUs;
}
double bytesNs(Message message, const MessageCosts& costs) { return message.bytes / costs.gbPerS; }
/// What the message holds a rank's memory, or a card that no other rank uses.
double heldNs(Message message, const MessageCosts& costs) {
  return startNs(message, costs) + bytesNs(message, costs);
}

double copyNs(double bytes, double gbPerS) { return gbPerS > 0 ? bytes / gbPerS : 0; }

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
  /// From when the root begins until the first byte of its message comes to the target. The root's messages
  /// beyond the node leave `periodNs` after each other.
  double firstNs(int root, int target, double periodNs) const {
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
    const double heldByOthers = sameNode(root, target)
                                    ? static_cast<double>(near) * heldNs(messageOf(root), machine_.within)
                                    : static_cast<double>(before - near) * periodNs;
    return heldByOthers + costsOf(root, target).wireUs * kNsPerUs;
  }
  /// From when the first root's message comes to the target until those of all these roots that go the same
  /// way are there. That way is memory, or the node's card, which has one for each of its ranks. Of roots
  /// that take turns at a card with the first, only theirs to the target come after the first's.
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
    const std::int64_t turnEnd = std::min(nodeOf(machine_, first, ranks_).end, roots.end);
    const Message turn =
        startNs(ofFirst, machine_.between) > 0 ? less(sumOf({roots.begin, turnEnd}), ofFirst) : Message{};
    const Message later = less(less(beyond, ofFirst), turn);
    const double card = heldNs(ofFirst, machine_.between) + bytesNs(turn, machine_.between) +
                        static_cast<double>(own.count()) * bytesNs(later, machine_.between);
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
      outBeyondNs_(at(ranks)),
      inNs_(at(ranks)),
      inBeyondNs_(at(ranks)),
      cardInNs_(cards_.size()) {}

void BroadcastClocks::broadcast(const Traffic& traffic, std::vector<double>& readyNs) {
  if (ranks_ < 2) return;
  for (Card& card : cards_) card.roots = 0;
  turnBytesNs_.clear();
  traffic.pairwise ? pairs(traffic, readyNs) : sums(traffic, readyNs);
}

double BroadcastClocks::onCardNs(int root, double postedNs, double messages, double startNs, double bytesNs) {
  Card& card = cardOf(root);
  if (card.roots == 0 || startNs == 0) {
    card.turnNs = card.bytesNs = std::max(card.freeNs, postedNs);
    card.roots = 0;
    card.turn = turnBytesNs_.size();
    turnBytesNs_.push_back(0);
  }
  ++card.roots;
  turnBytesNs_[card.turn] += bytesNs;
  const double begins = std::max(card.turnNs, postedNs);
  card.bytesNs = std::max(card.bytesNs, postedNs) + messages * bytesNs;
  card.freeNs = std::max({card.freeNs, card.bytesNs, begins + messages * (startNs + bytesNs)});
  return begins;
}

void BroadcastClocks::pairs(const Traffic& traffic, std::vector<double>& readyNs) {
  std::vector<Root> roots;  // of one node, in turn
  for (auto begin = traffic.flows.begin(), end = begin; begin != traffic.flows.end(); begin = end) {
    const int root = begin->source;
    end = std::find_if(begin, traffic.flows.end(), [&](const Flow& f) { return f.source != root; });
    if (!roots.empty() && machine_.nodeOf(roots.front().rank) != machine_.nodeOf(root)) {
      leaveNode(roots, readyNs);
      roots.clear();
    }
    roots.push_back(post({begin, end}, readyNs));
  }
  leaveNode(roots, readyNs);
}

/// The root's messages within its node come; those beyond it are at the card.
BroadcastClocks::Root BroadcastClocks::post(std::span<const Flow> flows, std::vector<double>& readyNs) {
  const int root = flows.front().source;
  const auto near = [&](const Flow& f) { return machine_.nodeOf(f.source) == machine_.nodeOf(f.target); };
  double overhead = 0, bytes = 0;
  for (const Flow& f : flows) {
    const MessageCosts& costs = near(f) ? machine_.within : machine_.between;
    overhead += static_cast<double>(f.messages) * costs.sendOverheadUs * kNsPerUs;
    bytes += static_cast<double>(f.bytes);
  }
  readyNs[at(root)] += overhead;
  const double posted = readyNs[at(root)] + copyNs(bytes, machine_.staging.outGbPerS);
  readyNs[at(root)] += copyNs(bytes, machine_.messageCopyGbPerS);
  double& memory = outNs_[at(root)];
  memory = std::max(memory, posted);
  Root beyond{root, posted, std::max(posted, outBeyondNs_[at(root)]), {}};
  const auto next = machine_.messageOrder == MessageOrder::ascending
                        ? flows.begin()
                        : std::ranges::find_if(flows, [&](const Flow& f) { return f.target > root; });
  for (std::ptrdiff_t i = 0; i < std::ssize(flows); ++i) {
    const auto after = flows.end() - next;
    const Flow& f = i < after ? next[i] : flows[at(i - after)];
    if (!near(f)) {
      beyond.messages.push_back(&f);
      continue;
    }
    const Message message = messageOf(f);
    const double comes = memory + startNs(message, machine_.within) + machine_.within.wireUs * kNsPerUs;
    memory += heldNs(message, machine_.within);
    taken(f, comes, readyNs);
  }
  return beyond;
}

/// First come, first served (card_side.h).
void BroadcastClocks::leaveNode(std::vector<Root>& roots, std::vector<double>& readyNs) {
  const auto comesNs = [&](const Root& root) {
    const double start = startNs(messageOf(*root.messages[root.sent]), machine_.between);
    return start > 0 ? root.freeNs + start : root.postedNs;
  };
  while (true) {
    std::erase_if(roots, [](const Root& root) { return root.sent == root.messages.size(); });
    if (roots.empty()) return;
    Root& root = *std::ranges::min_element(roots, {}, comesNs);
    double& cardNs = cardOf(root.rank).freeNs;
    const Flow& f = *root.messages[root.sent];
    const double begins = std::max(cardNs, comesNs(root));
    ++root.sent;
    cardNs = begins + bytesNs(messageOf(f), machine_.between);
    root.freeNs = outBeyondNs_[at(root.rank)] = cardNs;
    taken(f, begins + machine_.between.wireUs * kNsPerUs, readyNs);
  }
}

/// A message whose bytes come at `comesNs` takes the target's memory, or its node's card.
void BroadcastClocks::taken(const Flow& f, double comesNs, std::vector<double>& readyNs) {
  const bool beyond = machine_.nodeOf(f.source) != machine_.nodeOf(f.target);
  const MessageCosts& costs = beyond ? machine_.between : machine_.within;
  const Message message = messageOf(f);
  double& own = (beyond ? inBeyondNs_ : inNs_)[at(f.target)];
  double begins = std::max(comesNs, own + startNs(message, costs));
  double& card = cardInNs_[at(machine_.nodeOf(f.target))];
  if (beyond) begins = std::max(begins, card);
  own = begins + bytesNs(message, costs);
  if (beyond) card = own;
  double& ready = readyNs[at(f.target)];
  ready = std::max(ready + copyNs(message.bytes, machine_.messageCopyGbPerS),
                   own + copyNs(message.bytes, machine_.staging.inGbPerS)) +
          message.count * costs.receiveOverheadUs * kNsPerUs;
}

void BroadcastClocks::sums(const Traffic& traffic, std::vector<double>& readyNs) {
  const SummedRoots roots(traffic, machine_, ranks_);
  // when a root's messages begin, within its node and beyond
  std::vector<double> postedNs(at(ranks_), 0), begunNs(at(ranks_), 0);
  std::vector<double> sentNs(at(ranks_), 0);  // when the last of them comes at the earliest
  std::vector<std::size_t> turns(at(ranks_), kNoTurn);
  std::vector<int> begun;
  // messages of a root are apart by its own start and bytes, or by bytes of all that take turns meanwhile
  const auto periodNs = [&](int root) {
    const double linkNs = heldNs(roots.messageOf(root), machine_.between);
    if (turns[at(root)] == kNoTurn) return linkNs;
    const double longest =
        std::max(linkNs, turnBytesNs_[turns[at(root)]]) * static_cast<double>(roots.beyond(root));
    const Range own = nodeOf(machine_, root, ranks_);
    double together = 0;
    for (auto other = static_cast<int>(own.begin); other < own.end; ++other) {
      if (turns[at(other)] != turns[at(root)]) continue;
      const double apart = std::abs(postedNs[at(other)] - postedNs[at(root)]) / longest;
      together += std::max(0.0, 1 - apart) * bytesNs(roots.messageOf(other), machine_.between);
    }
    return std::max(linkNs, together);
  };
  // when the messages of all that have begun have come: those from one of them on, one after the other
  const auto comes = [&](int target, int end) {
    double ns = readyNs[at(target)];
    const auto from = [&](int root) {
      if (root == target) return;
      const double begins = (roots.sameNode(root, target) ? postedNs : begunNs)[at(root)];
      ns = std::max(ns, begins + roots.firstNs(root, target, periodNs(root)) +
                            roots.takenFromNs(target, {root, end}) + roots.receivedNs(root, target));
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
    if (roots.beyond(root) > 0) {
      begunNs[at(root)] = onCardNs(root, postedNs[at(root)], static_cast<double>(roots.beyond(root)),
                                   startNs(each, machine_.between), bytesNs(each, machine_.between));
      turns[at(root)] = cardOf(root).turn;
      sentNs[at(root)] = cardOf(root).bytesNs + machine_.between.wireUs * kNsPerUs;
    }
    ready += copyNs(bytes, machine_.messageCopyGbPerS);
    begun.push_back(root);
  }
  for (int target = 0; target < ranks_; ++target) readyNs[at(target)] = comes(target, ranks_);
  for (const int root : begun) {
    double& last = readyNs[at(roots.lastBeyond(root))];
    last = std::max(last, sentNs[at(root)]);
  }
}

}  // namespace halo::cluster
