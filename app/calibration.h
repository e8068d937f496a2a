#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "simulator/calibrate.h"

namespace halo {

/// How much is measured.
struct KitSettings {
  bool quick = false;          // small footprints and graphs only
  double mostBytes = 0;        // of the largest footprint; 0: half of what is available, 4 GiB at most
};

/// Timings of this machine, and the matrices that they are of.
struct Kit {
  sim::MachineFacts machine;
  std::vector<sim::Timing> timings;
  std::vector<std::unique_ptr<Csr>> matrices;
  double largestFootprint = 0;  // bytes
};

/// Told after each timing: what it was, and the share of all that is done; false stops.
using KitProgress = std::function<bool(const sim::Timing& timing, double share)>;

/// Times the project's kernels on all cores of this machine: STREAM's triad, columns copied together, products of layers, sums of rows at random places in
/// footprints from 32 KiB up, sparse products on R-MAT graphs in random and in RCM order. The same shapes every time; each is the
/// median of at least five runs. Every other shape is held out. Uses up to the largest footprint and some of memory.
Kit measureMachine(const KitSettings& settings, const KitProgress& progress);

}  // namespace halo
