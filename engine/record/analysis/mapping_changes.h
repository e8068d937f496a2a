#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/record/rows/hybrid_rows.h"

namespace halo {

/// A decision of the resource manager beside the mapping that stood before it.
struct MappingChange {
  DecisionRow decision;
  std::optional<DecisionRow> before;  // none: of decision 0
  // what moved, from decision.takenFrom to decision.givenTo
  std::int64_t seeds = 0, threads = 0;
  double sampleShare = 0;
  /// Of the time of an iteration: (before − after) ÷ before; none: not judged.
  std::optional<double> gain;
};

/// In order. What stood before an undone decision stands again after it.
std::vector<MappingChange> mappingChanges(std::span<const DecisionRow> decisions);

/// "9 seeds from cpu to cards", "2 threads from load to train", "5 % of the sampling from cpu to cards"; of
/// start and rest their names.
std::string movedText(const MappingChange& change);

/// How batches are shared out from this one on.
struct MappingShares {
  std::int64_t epoch = 0, iteration = 0;
  double cpuSeeds = 0, cardSeeds = 0;                           // of the batch; of all cards together
  double sampleThreads = 0, loadThreads = 0, trainThreads = 0;  // of all threads
  double cardSample = 0;                                        // of the neighbours
};

/// A step for each decision, in order: it holds until the next. batch: seeds of an iteration.
std::vector<MappingShares> sharesOver(std::span<const DecisionRow> decisions, std::int64_t batch);

/// Windows of iterations until the manager rested first; none: it never did.
std::optional<std::int64_t> windowsToRest(std::span<const DecisionRow> decisions);

}  // namespace halo
