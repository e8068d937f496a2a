#pragma once

// AWB-GCN's task distributor and processing elements cycle by cycle: what level `tile` takes as shares is
// counted here (awb_gcn.cpp says what is modelled).

#include "simulator/accelerators/awb_gcn/awb_pass.h"
#include "simulator/graph/column_stretches.h"
#include "simulator/network/omega_network.h"

namespace halo::sim::awb {

/// Nonzeros of a strip as they stream, each with the PE that owns it (tag) and the distributor's output
/// before that.
std::vector<Packet> packetsOf(const Awb& awb, const Strip& strip, const Assignment& assignment,
                              std::span<const Nonzero> nonzeros);

/// Cycles until all have been multiplied, each in `columns` cycles of one PE: the owner, or a neighbour with
/// less waiting. A PE with its queue full takes nothing, and what is behind it in the network waits.
std::int64_t computeCycles(const Awb& awb, std::span<const Packet> packets, std::int64_t columns,
                           const AskStop& askStop = {});

/// Shares counted in up to four strips, in stretches evenly over the nonzeros of each. Where only counts are
/// known, they are counted in random nonzeros that are spread like the loads.
SampledShares sampleShares(const Awb& awb, const Graph& graph, const Balance& balance, std::int64_t columns);

/// The same in closed form. Each output gets `router_queue` nonzeros in the mean, at random, and the fullest
/// one says how long they take (balls in bins). Elements and network do not hinder each other.
SampledShares closedShares(const Awb& awb);

}  // namespace halo::sim::awb
