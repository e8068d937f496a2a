#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/csr.h"
#include "engine/base/declaration.h"

namespace halo::sim {

/// What was timed on a machine, all its cores at work.
enum class Timed {
  triad,    // `bytes` as STREAM counts them
  copy,     // `bytes` read and written, columns of a matrix put together
  product,  // rows × in times in × out
  gather,   // sums of rows at random places: `matrix` of so many columns, all alike
  sparse,   // sums of neighbours' rows: `matrix`
};

/// How long one of these took.
struct Timing {
  Timed kernel = Timed::triad;
  std::string what;  // as a person reads it: "sparse product, R-MAT 2^16, 64 columns"
  double ns = 0;
  bool heldOut = false;  // not fitted, but predicted
  double bytes = 0;
  std::int64_t rows = 0, in = 0, out = 0;
  const Csr* matrix = nullptr;
  std::int64_t width = 0;  // columns of X
};

/// What a machine says of itself.
struct MachineFacts {
  std::string name;  // of the processor
  std::int64_t cores = 1;
  double mhz = 0, l1Kib = 0, l2Kib = 0, l3Mib = 0, memoryGb = 0;
  std::optional<double> idleW, activeW;  // of the package: with nothing to do, and all cores at work
};

/// One shape, as it was and as the figures have it.
struct Predicted {
  std::string what;
  Timed kernel = Timed::triad;
  bool heldOut = false;
  double measuredNs = 0, predictedNs = 0;
  /// Relative to what was measured, without sign.
  double error() const;
};

constexpr double kMedianError = 0.15, kWorstError = 0.35;  // on held-out shapes; simulator.md 3.5

/// Figures of the accelerator `cpu`, with where each comes from.
struct Calibration {
  Values figures;
  std::map<std::string, std::string> sources;
  std::vector<Predicted> shapes;
  double medianError = 0, worstError = 0;  // of those held out
  bool accepted() const { return medianError <= kMedianError && worstError <= kWorstError; }
};

}  // namespace halo::sim
