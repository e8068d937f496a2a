#pragma once

#include "datasets/load.h"
#include "engine/experiment/experiment.h"

namespace halo {

/// Throws InputError where batches of each worker's own seeds leave no iteration of the run: with `drop_last`
/// no worker may have as many training vertices. Where only the parts tell, vertices are placed for it as the
/// run places them.
void requireIterations(const RunSettings& run, const DatasetShape& shape, const Progress& progress);

}  // namespace halo
