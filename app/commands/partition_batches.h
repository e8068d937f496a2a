#pragma once

#include "datasets/graph/dataset.h"
#include "engine/partition/contract/partitioner.h"

namespace halo {

struct BatchComparison {
  PartitionRequest request;  // balance alone of parameters
  Index batch = 0;           // vertices of a uniform batch
  std::int64_t draws = 0;    // batches that are measured, at least 2
  bool json = false;
};

/// Prints what partitions by each partitioner cost in uniform batches, expected and measured: rows of a part,
/// and of the one that sends most. Throws InputError for a batch that the graph does not have.
int compareInBatches(const Dataset& dataset, const BatchComparison& comparison);

}  // namespace halo
