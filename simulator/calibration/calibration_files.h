#pragma once

#include <string>

#include "simulator/calibration/processor_fit.h"

namespace halo::sim {

/// What one core of the machine takes for work as a rank of a cluster does it
/// (simulator/cluster/machines/machine.h). Sparse products take kernelStart + entry · Σ nonzeros +
/// entryElement · Σ nonzeros · columns + rowElement · Σ rows · columns. Dense products go by a rate.
struct RankRates {
  double kernelStartUs = 0, entryNs = 0, entryElementNs = 0, rowElementNs = 0, denseGflops = 0,
         copyGbPerS = 0;
  double medianError = 0, worstError = 0;  // of sparse products held out: without caches they are coarse
};
RankRates rankRates(const MachineFacts& machine, std::span<const Timing> timings);

/// What one thread of the machine does as an actor of a hybrid node does it.
struct NodeRates {
  double sampleMedges = 0;             // neighbours sampled, 10^6 a second
  double gatherGbps = 0, sumGbps = 0;  // bytes of rows gathered; and summed along sampled arcs
  double gmacs = 0;                    // of products, 10^9 multiply-adds a second
  double copyGbps = 0;                 // bytes copied, each counted once
  double launchUs = 0;                 // until another thread begins
};

/// A device file that readFigureFile accepts.
std::string deviceText(const Calibration& calibration, const MachineFacts& machine);

/// A machine file that readMachine accepts: one node, a rank a core. Messages between its ranks are copies
/// through its memory, their start is assumed.
std::string clusterText(const RankRates& rates, const MachineFacts& machine);

/// A platform file for `device = "host"` of method hyscale. One thread samples, one loads, one trains as the
/// processors and one as the card. memoryGbps: of all cores, as STREAM counts it.
std::string platformText(const NodeRates& rates, double memoryGbps, const MachineFacts& machine);

}  // namespace halo::sim
