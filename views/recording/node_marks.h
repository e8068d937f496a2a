#pragma once

#include <QString>
#include <map>
#include <vector>

#include "engine/record/analysis/stage_times.h"
#include "views/recording/run_data.h"

namespace halo {

/// A kind of mark over the lanes of a node's actors.
enum class NodeSign { batch, queue, kept, undone };

/// What stands over the lanes of a node's actors, of the first block. It tells which batch a span is of, what
/// waits before an actor, and what the resource manager decided.
struct NodeMarks {
  struct Decision {
    std::int64_t ns = 0;  // when the first batch with its mapping was opened
    bool kept = false;    // else undone, or not judged yet
    QString text;         // what moved, before → after
  };
  struct Batch {
    std::int64_t beginNs = 0, endNs = 0, epoch = 0, iteration = 0, number = 0;
  };
  std::vector<Decision> decisions;                        // by time
  std::map<std::int64_t, std::vector<Batch>> batches;     // of each rank of the timeline, by time
  std::map<std::int64_t, std::vector<QueueStep>> queues;  // likewise
  std::int64_t mostQueued = 0;
  bool empty() const { return batches.empty(); }
  std::vector<NodeSign> signs() const;  // that occur
};

/// Actors stand below the ranks, each as one more. divisor: recorded ns in one of the timeline.
NodeMarks nodeMarksOf(const RunData& run, double divisor = 1);

}  // namespace halo
