#pragma once

#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/result.h"

namespace halo::cluster {

/// Engine C0: ranks go through the plan's steps together, each step as long as its slowest rank
/// (resources/manual/reference/simulator/clusters.md, Engines).
///
///   exchange   max_i [ o_s·s_i + o_r·r_i + α·max(s_i, r_i) + max(out, in)/β, and staging copies ] + wire,
///              out and in of all ranks of i's node beyond it (exchangeCosts); work between an exchange's
///              start and its wait hides as much of it as it takes
///   rounds     while exchanges are under way each rank goes on by itself, its exchanges one after the other;
///              all meet when the last is waited for
///   broadcast  flat ones: BroadcastClocks; others root after root, by their closed forms
///   depth k    what travels for later epochs keeps the network, and each copying side, busy beside the work:
///              T = max(work, busiest side, way of one message ÷ how many may be under way); work beside own
///              transfers is slowed by the machine's overlapSlowdown; nothing is hidden where transfers
///              advance in waits only
///
/// Ranks that share cores take as long as their work over the cores. The result is a lower bound where
/// nothing contends and ranks have alike to do. Else each step's slowest rank makes it up to some 15 % longer
/// than clocks have it. Time and memory: linear in ranks × steps, and the flows. Throws InputError where the
/// ranks do not fit the machine.
ClusterResult simulateBulk(const Plan& plan, const Machine& machine, const SimulateOptions& options = {});

}  // namespace halo::cluster
