#pragma once

// What HyGCN cannot be asked (hygcn.cpp).

#include "simulator/accelerators/hygcn/hygcn_device.h"

namespace halo::sim::hygcn {

/// AcceleratorEntry::refuse.
std::vector<Problem> refuseHyGcn(const Values& figures, const Library& library,
                                 std::span<const SlicePass> passes);

/// What is seen of the graph and the level only: throws InputError.
void refuseTaskOfHyGcn(const DeviceTask& task);

}  // namespace halo::sim::hygcn
