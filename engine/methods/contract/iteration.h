#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/record/rows/batch_rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// What one actor of this rank did, any lanes but `phase`; each span of the epoch of its batch.
struct ActorSpans {
  std::int64_t actor = 0;
  std::vector<Span> spans;
};

/// One update of a method that trains in mini-batches, as one rank saw it.
struct Iteration {
  std::int64_t epoch = 0, number = 0;      // number: of the epoch, from 0
  std::int64_t step = 0;                   // of the run, from 0
  std::int64_t beginNs = 0, endNs = 0;     // of this rank's clock
  double loss = 0;                         // this rank's part of the batch's
  std::int64_t seeds = 0, arcs = 0;        // of this rank
  std::optional<std::int64_t> modelledNs;  // what it takes in modelled time, of modelled devices
  // Of a method with several actors, for as long as the call lasts. All times are of the clock of beginNs.
  std::span<const StageRow> stages;        // of this iteration's batch, each once
  std::span<const DecisionRow> decisions;  // made or judged since the iteration before
  std::span<const ActorSpans> actors;      // that ended since the iteration before
};

/// Begin and end of an epoch, of the clock of Iteration::beginNs.
struct EpochClock {
  std::int64_t beginNs = 0, endNs = 0;
};

/// Who is told of iterations while an epoch trains.
class IterationListener {
 public:
  virtual ~IterationListener() = default;
  /// Collective: after the update of an iteration, with nothing of the tracer's open.
  virtual void onIteration(const Iteration& iteration) = 0;
};

/// What the batches of a rank read in an epoch, summed over its iterations. Epoch and rank are left to who
/// records it.
struct BatchSums {
  std::vector<BlockRow> blocks;   // by layer
  std::optional<CacheRow> cache;  // of a method that caches features
};

}  // namespace halo
