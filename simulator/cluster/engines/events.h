#pragma once

#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/result.h"

namespace halo::cluster {

/// Engine C1: every rank has a clock of its own. It has an outgoing side of the network and an incoming one,
/// and copying sides where the machine needs them. A rank posts all messages of an exchange (o_s each), which
/// then leave one after the other, to the ranks after it first:
///
///   leaves    when the rank's outgoing side is free, which it then holds for start + bytes / bandwidth
///   arrives   wire later, when the receiver's incoming side is free, which it holds as long
///   wait      ends when all messages of the exchange, sent `depth` epochs ago, are there, and o_r each
///
/// Where a node has several ranks, what leaves or enters the node takes its one card, either way
/// (card_side.h); a start is the rank's alone. Messages within the node take their ranks' own sides, beside
/// the card.
///
/// Transfers advance by themselves, at polls every so often, or in waits only (Machine::progress).
/// Broadcasts, sums and all-to-alls by other than pairs start when the last rank is there and take their
/// closed forms. Staleness needs nothing of its own: a wait names the epoch that it is for.
///
/// Deterministic: one thread; events by (time, rank, order of their making). Time: events · log; pairs
/// needed. Throws InputError where the plan has sums only (more than kPairwiseRanks ranks), or does not fit
/// the machine.
ClusterResult simulateEvents(const Plan& plan, const Machine& machine, const SimulateOptions& options = {});

}  // namespace halo::cluster
