#pragma once

#include <vector>

#include "datasets/graph/csr.h"
#include "simulator/pipeline/pipeline.h"

namespace halo::sim {

/// Positions [⌊n j / s⌋, ⌊n (j + 1) / s⌋) of the order in which vertices are worked on are batch j.
struct Batching {
  Index vertices = 0;
  int batches = 1;

  Index begin(int j) const { return vertices * j / batches; }
  Index rows(int j) const { return begin(j + 1) - begin(j); }
  /// The batch that a position is in.
  int batchAt(Index position) const { return static_cast<int>(((position + 1) * batches - 1) / vertices); }
};

/// What of the batches of the phase before a batch waits for.
enum class PipelineDependence : std::uint8_t {
  exact,  // those that its rows refer to
  band,   // all up to its last position + the bandwidth: what Proposition 3.5 goes by
  all,    // every one: no use is made of the order
};

/// A propagation matrix in batches of its rows: what each is made of, and refers to.
struct BatchCut {
  Batching batching;
  std::vector<Index> nonzeros;
  std::vector<int> lastNeeded, lastReader;  // as in PipelinePhase
};

/// A (n × n) with rows and columns in working order; batches ≥ 1, above n some are empty. Linear time.
/// A batch that refers to nothing waits for nothing, except with `all`, where every one waits.
BatchCut cutIntoBatches(const Csr& A, int batches, PipelineDependence dependence);
/// The same of figures alone: nonzeros shared out evenly by rows, every row referring to rows up to `band`
/// away.
BatchCut cutByBand(Index vertices, Index nonzeros, Index band, int batches);
/// The definition, batch against batch: the tests hold cutIntoBatches with `exact` against it.
BatchCut cutIntoBatchesReference(const Csr& A, int batches);

/// What a phase takes, in picoseconds; 0 or more each.
struct PipelineRates {
  double aggregatePsPerNonzero = 0, aggregatePsPerRow = 0;
  double updatePsPerRow = 0;
  double toDensePsPerRow = 0, toSparsePsPerRow = 0;
  double overheadPs = 0;  // of a batch on either device, before it begins
};

/// Throws InputError for a rate that is negative or no number, and for a phase of over 10^16 ps (2.8 h).
PipelinePhase timePhase(const BatchCut& cut, const PipelineRates& rates);

}  // namespace halo::sim
