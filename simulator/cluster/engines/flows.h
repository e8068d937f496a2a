#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "simulator/cluster/engines/costs.h"
#include "simulator/cluster/engines/result.h"
#include "simulator/cluster/machines/topology.h"

namespace halo::cluster {

/// Above this many ranks engine C2 takes too long: every change of a flow changes all.
inline constexpr int kFlowRanks = 512;

/// Why engine C2 cannot run on the machine, whatever the plan; empty if it can.
std::vector<std::string> flowRefusals(const Machine& machine);

/// Engine C2: ranks as in C1, but messages share links. Every rank sends one message at a time beyond its
/// node, and one within it. All that are under way have the rates that max-min fairness gives them on the
/// machine's topology. The start of a message holds its sender; its bytes flow; the wire comes last. Messages
/// within a node take its bandwidth, each for itself. Transfers advance by themselves. A sum holds all flows
/// for as long as its bytes take.
///
/// Cost: changes of flows × links on their ways. Throws InputError for more than kFlowRanks ranks, plans of
/// sums, and where flowRefusals says why.
ClusterResult simulateFlows(const Plan& plan, const Machine& machine, const SimulateOptions& options = {});

/// Max-min fair rates (Bertsekas and Gallager 1992, 6.5.2): all grow alike until a link is full, whose flows
/// are then settled, and so on.
///
/// ways      of each flow, its links; may be empty
/// capacity  of each link, above 0
/// limit     that no flow passes; the rate of those with no links
/// Cost: flows on full links, once each, times rounds.
std::vector<double> maxMinRates(std::span<const std::vector<Link>> ways,
                                const std::function<double(Link)>& capacity, std::span<const double> limit);

}  // namespace halo::cluster
