#pragma once

// One pass of HyGCN over a graph (hygcn.cpp says what is modelled).

#include "simulator/accelerators/hygcn/hygcn_cycles.h"

namespace halo::sim::hygcn {

/// Level `tile`: one event a shard.
Result tilePass(const HyGcn& device, const Systolic& systolic, const SlicePass& pass, const Graph& graph,
                const Shares& shares);
/// Level `cycle`: the same course of events, what engines and memory take counted cycle by cycle. Needs
/// graph.matrix.
Result cyclePass(const HyGcn& device, const Systolic& systolic, const SlicePass& pass, const Graph& graph);

/// Level `analytic`: compulsory bytes at the peak of HBM, or the slowest engine, whichever is longer.
Result boundOf(const HyGcn& device, const Systolic& systolic, const SlicePass& pass, const Graph& graph);

}  // namespace halo::sim::hygcn
