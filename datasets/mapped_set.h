#pragma once

#include "datasets/load.h"

namespace halo {

/// Of dataset.map_features: sets of which all workers of a host read the features from one file.

/// Makes the file, in the cache of converted sets, and returns its place. Holds the set meanwhile. Throws as
/// loadDataset does, and EnvironmentError where the file cannot be kept.
std::filesystem::path convertForMapping(DatasetRequest request, const Progress& progress = {});

/// The set but for its features, which stay in that file: Dataset::mapped. Throws InputError where it was not
/// made, or was made of other files, DamagedInput where it is damaged or cut short; both name the command.
Dataset loadMapped(const DatasetRequest& request);
DatasetShape mappedShape(const DatasetRequest& request);

}  // namespace halo
