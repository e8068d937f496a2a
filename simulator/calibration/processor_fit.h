#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/declaration.h"

namespace halo::sim {

/// What was timed on a machine, all its cores at work.
enum class Timed {
  start,    // of a kernel with next to nothing to do
  triad,    // `bytes` as STREAM counts them
  copy,     // `bytes` read and written, columns of a matrix put together
  product,  // rows × in times in × out
  gather,   // sums of rows at random places: so many `rows`, `nonzeros`, `columns` to choose from
  sparse,   // sums of neighbours' rows: `matrix`
};

/// How long one of these took.
struct Timing {
  Timed kernel = Timed::triad;
  std::string label;  // as a person reads it: "sparse product, R-MAT 2^16, 64 columns"
  double ns = 0;
  bool heldOut = false;  // not fitted, but predicted
  double bytes = 0;
  std::int64_t rows = 0, in = 0, out = 0;
  std::int64_t nonzeros = 0, columns = 0;
  const Csr* matrix = nullptr;  // outlives this
  std::int64_t width = 0;       // columns of X
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
  std::string label;
  Timed kernel = Timed::triad;
  bool heldOut = false;
  double measuredNs = 0, predictedNs = 0;
  /// Relative to what was measured, without sign.
  double error() const;
};

constexpr double kMedianError = 0.15, kWorstError = 0.35;  // on held-out shapes

/// Figures of the accelerator `cpu`, with where each comes from.
struct Calibration {
  Values figures;
  std::map<std::string, std::string> sources;
  std::vector<Predicted> shapes;
  double medianError = 0, worstError = 0;  // of those held out
  bool accepted() const;
};

/// Fits the figures of the accelerator `cpu` to what was timed. Costs of rows are a least-squares fit of
/// relative errors without negative costs; of the last level the size that fits the gathers best. Figures
/// that no timing tells keep their defaults, and say so. The same timings give the same figures.
Calibration calibrate(const MachineFacts& machine, std::span<const Timing> timings);

/// How long the accelerator `cpu` with these figures takes for what was timed.
double predictedNs(const Values& figures, const Timing& timing);

}  // namespace halo::sim
