#include "simulator/cluster/broadcast_clocks.h"

#include <algorithm>

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
/// What the message holds a side for, of which `sharing` ranks of a node have a part each.
double heldNs(Message message, const MessageCosts& costs, double sharing) {
  return message.count * costs.startUs * kNsPerUs + message.bytes * sharing / costs.gbPerS;
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
  /// Of all that the root sends, its side.
  double allNs(int root) const {
    const std::int64_t near = nodeOf(machine_, root, ranks_).count() - 1;
    return sentNs(root, near, ranks_ - 1 - near);
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
    return sentNs(root, near, before - near) + costsOf(root, target).wireUs * kNsPerUs;
  }
  /// What all roots from `begin` to before `end` hold the target's side for.
  double takenFromNs(int target, Range roots) const {
    const Range own = nodeOf(machine_, target, ranks_);
    const Range near = {std::max(roots.begin, own.begin),
                        std::max(std::min(roots.end, own.end), std::max(roots.begin, own.begin))};
    Message within = sumOf(near), all = sumOf(roots);
    const Message beyond = {all.count - within.count, all.bytes - within.bytes};
    if (common(near, {target, target + 1}) > 0) {
      within.count -= messageOf(target).count;
      within.bytes -= messageOf(target).bytes;
    }
    return heldNs(within, machine_.within, 1) +
           heldNs(beyond, machine_.between, static_cast<double>(own.count()));
  }
  const MessageCosts& costsOf(int root, int target) const {
    return machine_.nodeOf(root) == machine_.nodeOf(target) ? machine_.within : machine_.between;
  }

 private:
  double sentNs(int root, std::int64_t near, std::int64_t far) const {
    const Message message = messageOf(root);
    return static_cast<double>(near) * heldNs(message, machine_.within, 1) +
           static_cast<double>(far) * heldNs(message, machine_.between, 1);
  }
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
    : machine_(machine), ranks_(ranks), outNs_(at(ranks), 0), inNs_(at(ranks), 0) {}

void BroadcastClocks::broadcast(const Traffic& traffic, std::vector<double>& readyNs) {
  if (ranks_ < 2) return;
  traffic.pairwise ? pairs(traffic, readyNs) : sums(traffic, readyNs);
}

void BroadcastClocks::pairs(const Traffic& traffic, std::vector<double>& readyNs) {
  for (auto begin = traffic.flows.begin(), end = begin; begin != traffic.flows.end(); begin = end) {
    const int root = begin->source;
    end = std::find_if(begin, traffic.flows.end(), [&](const Flow& f) { return f.source != root; });
    const auto costsOf = [&](const Flow& f) -> const MessageCosts& {
      return machine_.nodeOf(f.source) == machine_.nodeOf(f.target) ? machine_.within : machine_.between;
    };
    double overhead = 0, bytes = 0;
    for (auto f = begin; f != end; ++f) {
      overhead += static_cast<double>(f->messages) * costsOf(*f).sendOverheadUs * kNsPerUs;
      bytes += static_cast<double>(f->bytes);
    }
    readyNs[at(root)] += overhead;
    double& out = outNs_[at(root)];
    out = std::max(out, readyNs[at(root)] + copyNs(bytes, machine_.staging.outGbPerS));
    readyNs[at(root)] += copyNs(bytes, machine_.messageCopyGbPerS);
    const auto next = machine_.messageOrder == MessageOrder::ascending
                          ? begin
                          : std::find_if(begin, end, [&](const Flow& f) { return f.target > f.source; });
    for (std::ptrdiff_t i = 0; i < end - begin; ++i) {
      const Flow& f = i < end - next ? next[i] : begin[i - (end - next)];
      const MessageCosts& costs = costsOf(f);
      const Message message = {static_cast<double>(f.messages), static_cast<double>(f.bytes)};
      const bool beyond = &costs == &machine_.between;
      const double sharing = beyond ? static_cast<double>(nodeOf(machine_, f.target, ranks_).count()) : 1;
      const double first = out + costs.wireUs * kNsPerUs;
      out += heldNs(message, costs, 1);
      double& in = inNs_[at(f.target)];
      in = std::max(first, in) + heldNs(message, costs, sharing);
      double& ready = readyNs[at(f.target)];
      ready = std::max(ready + copyNs(message.bytes, machine_.messageCopyGbPerS),
                       in + copyNs(message.bytes, machine_.staging.inGbPerS)) +
              message.count * costs.receiveOverheadUs * kNsPerUs;
    }
  }
}

void BroadcastClocks::sums(const Traffic& traffic, std::vector<double>& readyNs) {
  const SummedRoots roots(traffic, machine_, ranks_);
  std::vector<double> begunNs(at(ranks_), 0);
  std::vector<int> begun;
  // when the messages of all that have begun have come: those from one of them on, one after the other
  const auto comes = [&](int target, int end) {
    double ns = readyNs[at(target)];
    const auto from = [&](int root) {
      if (root == target) return;
      ns = std::max(ns, begunNs[at(root)] + roots.firstNs(root, target) +
                            roots.takenFromNs(target, {root, end}) + roots.receivedNs(root, target));
    };
    for (std::size_t back = 1; back < begun.size(); back *= 2) from(begun[begun.size() - back]);
    for (std::size_t i = 0; i < std::min<std::size_t>(begun.size(), 2); ++i) from(begun[i]);
    return ns;
  };
  for (int root = 0; root < ranks_; ++root) {
    if (!roots.sends(root)) continue;
    double& ready = readyNs[at(root)];
    ready = comes(root, root) + roots.postedNs(root);
    const auto bytes = static_cast<double>(traffic.outBytes[root]);
    begunNs[at(root)] = std::max(outNs_[at(root)], ready + copyNs(bytes, machine_.staging.outGbPerS));
    outNs_[at(root)] = begunNs[at(root)] + roots.allNs(root);
    ready += copyNs(bytes, machine_.messageCopyGbPerS);
    begun.push_back(root);
  }
  for (int target = 0; target < ranks_; ++target) readyNs[at(target)] = comes(target, ranks_);
}

}  // namespace halo::cluster
