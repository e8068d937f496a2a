#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/calibration/processor_fit.h"

namespace halo {

/// An R-MAT graph that is timed in random order and in RCM order.
struct KitGraph {
  int scale = 0;
  Index degree = 0;
};

/// What is timed. The same on every machine with as much memory.
struct KitSettings {
  Index streamBytes = 0, productRows = 0, gathered = 0;  // gathered: rows of X that one timing reads
  /// Over all shapes; the fastest counts: bursts of other tenants outlast the runs of one shape.
  int rounds = 1;
  double leastNs = 0;  // of all runs of one timing in a round
  std::vector<Index> productIn, productOut, gatherWidths, sparseWidths;
  std::vector<double> footprints;  // bytes, growing
  std::vector<KitGraph> graphs;
  double availableBytes = 0;  // of memory, when it was decided
};

/// Footprints up to 4 GiB, or to a quarter of the memory at hand; `quick`: up to 64 MiB, and small graphs.
/// EnvironmentError where memory does not do for that.
KitSettings kitSettings(bool quick);
/// One line: how much is timed, and what bounds it.
std::string describe(const KitSettings& settings);

/// Timings of this machine, and the matrices that some are of.
struct Kit {
  sim::MachineFacts machine;
  std::vector<sim::Timing> timings;
  std::vector<std::unique_ptr<Csr>> matrices;
};

/// Told before each timing what it is and what share of all is done; false stops.
using KitProgress = std::function<bool(const std::string& step, double share)>;

/// Times the project's kernels on all cores that this process may use. They are STREAM's triad, columns
/// copied together, products at the shapes of layers, sums of rows at random places, and sparse products on
/// R-MAT graphs. Where the package counts it, the power with and without work is measured too. Each figure is
/// the fastest of at least five runs in each of the rounds; every third shape is held out. Returns nothing
/// where it was stopped.
std::optional<Kit> measureMachine(const KitSettings& settings, const KitProgress& progress);

}  // namespace halo
