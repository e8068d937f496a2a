#pragma once

#include <memory>
#include <vector>

#include "engine/methods/hyscale/device.h"
#include "engine/methods/hyscale/settings.h"
#include "engine/methods/minibatch/topology.h"

namespace halo::hyscale {

/// A device for each trainer, the processors' first. Cards of OpenCL are dealt to trainers in turn where
/// there are fewer. Throws EnvironmentError where there is none. All that is given outlives them.
std::vector<std::unique_ptr<Device>> makeDevices(const WorkerParts& worker, const Topology& topology,
                                                 const BatchSettings& batches, const NodeSettings& node);

/// Why cards of OpenCL of this name cannot be used on this machine; empty: they can.
std::string whyNoCards(const std::string& part);

}  // namespace halo::hyscale
