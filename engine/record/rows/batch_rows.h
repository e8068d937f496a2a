#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/record/rows/hybrid_rows.h"

namespace halo {

// Rows of runs that train in mini-batches, as in rows.h.

/// One update: a batch of every worker.
struct IterationRow {
  std::int64_t epoch = 0, iteration = 0;  // iteration: of the epoch, from 0
  std::int64_t beginNs = 0, wallNs = 0;   // as worker 0 saw it, on the run's clock
  std::optional<std::int64_t> modelledNs;
  std::optional<double> loss;  // of the batch, before the update; none: nobody had a seed
  std::int64_t seeds = 0, arcs = 0, bytesSent = 0, messages = 0;  // of all workers
};

/// What a worker's batches read in one layer, summed over the iterations of an epoch.
struct BlockRow {
  std::int64_t epoch = 0, rank = 0, layer = 0;
  std::int64_t targets = 0, sources = 0, arcs = 0;
  std::int64_t nonzeros = 0;  // of the matrices that were multiplied with
  std::int64_t remoteTargets = 0, remoteArcs = 0, remoteSources = 0;  // of them, what others own
  std::int64_t sampleCpuNs = 0;
};

/// How a worker's cache of features did in an epoch.
struct CacheRow {
  std::int64_t epoch = 0, rank = 0;
  std::int64_t capacityRows = 0, hits = 0, misses = 0, missedBytes = 0;
  double expectedHits = 0;  // by what the cache was filled with
};

/// Rows that travel and are stored together.
struct BatchRows {
  std::vector<IterationRow> iterations;
  std::vector<BlockRow> blocks;
  std::vector<CacheRow> caches;
  // of runs with several actors; a row that comes again replaces the one before
  std::vector<StageRow> stages = {};
  std::vector<DecisionRow> decisions = {};
};

}  // namespace halo
