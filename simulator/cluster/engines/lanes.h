#pragma once

#include <vector>

#include "engine/base/index.h"
#include "simulator/cluster/engines/costs.h"

namespace halo::cluster {

/// The ranks' own sides of the network and of their devices: servers that take one message, or one copy,
/// after the other. Time is an argument; a side knows only until when it is taken. Cards that a node's ranks
/// share are not these (card_side.h).
class Lanes {
 public:
  Lanes(const Plan& plan, const Machine& machine);

  /// Whether all ranks do this step as one (sums, broadcasts, all-to-alls by other than pairs), and how long.
  bool together(const Step& step) const;
  double togetherNs(const Step& step) const;

  std::int64_t incoming(int traffic, int rank) const { return tables_[at(traffic)].incoming[at(rank)]; }
  double sendOverheadNs(int traffic, int rank) const;
  double receiveOverheadNs(int traffic, int rank) const;

  /// Copies out of, or into, the device; returns when that is done. At once where none is needed.
  double copyOut(int rank, double nowNs, std::int64_t bytes);
  double copyIn(int rank, double nowNs, std::int64_t bytes);

  /// Calls each(flow) for the messages of a rank in the machine's order.
  template <class Each>
  void inOrder(int traffic, int rank, Each each) const {
    const Table& table = tables_[at(traffic)];
    const auto begin = table.first[at(rank)];
    const auto end = table.first[at(rank) + 1];
    const auto next = table.next[at(rank)];
    for (std::int32_t i = 0; i < end - begin; ++i) each(next + i < end ? next + i : next + i - (end - begin));
  }
  /// A message leaves on its sender's own side; returns when its first byte comes to the receiver's.
  double send(int traffic, std::int32_t flow, double nowNs);
  /// A sum that the last rank entered at `enteredNs` goes before what is under way. What follows the sum
  /// waits for as long as its bytes take.
  void sum(const Step& step, double enteredNs);
  struct Received {
    double beginNs = 0, endNs = 0;  // of taking it in
    int source = 0;
    std::int64_t bytes = 0;
  };
  /// A message whose first byte came at `firstNs` is taken in from `nowNs` on, until it is all there.
  Received receive(int traffic, std::int32_t flow, double firstNs, double nowNs);

  const Flow& flowOf(int traffic, std::int32_t flow) const {
    return plan_.traffics[at(traffic)].flows[at(flow)];
  }
  /// How long the flow takes to start, then of a side or card, and from side to side.
  double startNs(int traffic, std::int32_t flow) const;
  double bytesNs(int traffic, std::int32_t flow) const;
  double wireNs(int traffic, std::int32_t flow) const;

  /// Until when any transfer of the rank that has begun goes on.
  double busyUntilNs(int rank) const;

 private:
  struct Side {
    double outNs = 0, inNs = 0, copyOutNs = 0, copyInNs = 0;  // until when each is taken
  };
  /// Of one traffic, where ranks' flows stand.
  struct Table {
    std::vector<std::int32_t> first,
        next;  // flows of a rank: from first[r] to first[r + 1]; the one to begin with
    std::vector<std::int64_t> incoming;  // flows to a rank
  };

  bool within(const Flow& flow) const { return machine_.nodeOf(flow.source) == machine_.nodeOf(flow.target); }
  const MessageCosts& costsOf(const Flow& flow) const {
    return within(flow) ? machine_.within : machine_.between;
  }
  double holdsNs(int traffic, std::int32_t flow) const {
    return startNs(traffic, flow) + bytesNs(traffic, flow);
  }

  const Plan& plan_;
  const Machine& machine_;
  std::vector<Table> tables_;
  std::vector<Side> sides_;
  std::vector<std::vector<double>> sendOverheadNs_, receiveOverheadNs_;  // by traffic and rank
};

}  // namespace halo::cluster
