#pragma once

#include <string>

#include "simulator/calibration/processor_fit.h"

namespace halo::sim {

/// What one core of the machine takes for work as a rank of a cluster does it
/// (simulator/cluster/machines/machine.h): kernelStart + entry · Σ nonzeros + entryElement · Σ nonzeros ·
/// columns + rowElement · Σ rows · columns, products by a rate.
struct RankRates {
  double kernelStartUs = 0, entryNs = 0, entryElementNs = 0, rowElementNs = 0, denseGflops = 0,
         copyGbPerS = 0;
  double medianError = 0, worstError = 0;  // of sparse products held out: without caches they are coarse
};
RankRates rankRates(const MachineFacts& machine, std::span<const Timing> timings);

/// A device file that readFigureFile accepts.
std::string deviceText(const Calibration& calibration, const MachineFacts& machine);

/// A machine file that readMachine accepts: one node, a rank a core. Messages between its ranks are copies
/// through its memory, their start is assumed.
std::string clusterText(const RankRates& rates, const MachineFacts& machine);

}  // namespace halo::sim
