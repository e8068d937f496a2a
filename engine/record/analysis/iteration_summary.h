#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "engine/record/analysis/median.h"
#include "engine/record/rows/batch_rows.h"

namespace halo {

/// What table `latest` has of a run that trains in mini-batches, kept up to date as rows come. What nothing
/// is known of is left out.
///
/// iteration_seconds           median time of the recorded iterations after the first epoch; of one epoch its
///                             own
/// modelled_iteration_seconds  the same of modelled times, where there are any
/// mteps                       median over the same of sampled arcs ÷ time ÷ 10^6, of modelled times if any
/// sampled_arcs_per_second     sampled arcs of all epochs ÷ CPU time of drawing them
/// hit_ratio                   hits ÷ (hits + misses) of caches, all epochs and workers
/// expected_hit_ratio          the same by what the caches were filled with
/// missed_bytes_per_epoch      of all workers, mean of the epochs
class IterationSummary {
 public:
  void add(const BatchRows& rows);
  std::map<std::string, double> metrics() const;

 private:
  struct Times {
    Median seconds, modelledSeconds, mteps;
  };
  void add(const IterationRow& row);
  void add(const CacheRow& row);

  Times first_, later_;  // of the first epoch, and of those after it
  double arcs_ = 0, sampleCpuNs_ = 0;
  double hits_ = 0, misses_ = 0, expectedHits_ = 0, missedBytes_ = 0;
  std::set<std::int64_t> cachedEpochs_;
};

}  // namespace halo
